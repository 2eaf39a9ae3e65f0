import { Agent, request as nodeRequest } from "node:http";
import { Pool } from "undici";
import { Connections } from "../src/base/http/connections.ts";
import { RequestHead } from "../src/base/http/request-head.ts";
import { startVictoriaMetrics } from "../test/support/servers.ts";
import { backlogOf, loadSelector, writeBacklog } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { print, round } from "./support/verdict.ts";

/**
 * The cost of receiving the store's raw export of one sample per series through the HTTP client: processor
 * time of all threads of this process, garbage collection included. The bytes are only counted.
 */
const { series, reads } = numberOptions({ series: 50_000, reads: 30 });

await using source = await startVictoriaMetrics();
await writeBacklog(
  source.url,
  backlogOf(series, 1, 15_000, Date.now() - 5_000),
  new AbortController().signal,
);
const url = new URL(source.url);
const path = "/api/v1/export";
const body = Buffer.from(new URLSearchParams({ "match[]": loadSelector, start: "1" }).toString());
const headers = { "content-type": "application/x-www-form-urlencoded" };
const { signal } = new AbortController();

let bytes = 0;
const count = (chunk: Buffer) => {
  bytes += chunk.length;
};

const pool = new Pool(url.origin);
const agent = new Agent({ keepAlive: true });
const own = new Connections({
  url,
  max: 1,
  connectMs: 5_000,
  keepMs: 30_000,
  readBytes: 128 * 1024,
  repeats: true,
  channelName: "store",
  tls: () => ({}),
});
const limits = { startMs: Infinity, headersMs: 60_000, bodyIdleMs: 30_000, bodyMs: Infinity };

const clients: Readonly<Record<string, () => Promise<void>>> = {
  undici: async () => {
    const response = await pool.request({ path, method: "POST", headers, body });
    for await (const chunk of response.body) count(chunk as Buffer);
  },
  "node:http": () =>
    new Promise((resolve, reject) => {
      const request = nodeRequest(new URL(path, url), { method: "POST", headers, agent }, (response) => {
        response.on("data", count).on("end", resolve).on("error", reject);
      });
      request.on("error", reject).end(body);
    }),
  http: () =>
    own.exchange(
      { head: new RequestHead("POST", url.host, path, headers), body },
      {
        begin: () => true,
        body: (chunk) => {
          count(chunk);
          return "more";
        },
      },
      limits,
      signal,
    ),
};

const table: Record<string, object> = {};
for (const [name, read] of Object.entries(clients)) {
  for (let index = 0; index < reads; index++) await read();
  bytes = 0;
  const before = process.cpuUsage();
  for (let index = 0; index < reads; index++) await read();
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000 / reads;
  const megabytes = bytes / reads / 1e6;
  table[name] = {
    "ms of CPU a read": round(cpuMs),
    "MB a read": round(megabytes),
    "us a MB": Math.round((cpuMs * 1_000) / megabytes),
  };
}
console.table(table);
print("http is what the store client uses");
own.close();
agent.destroy();
await pool.close();
