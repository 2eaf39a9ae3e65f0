import { fork } from "node:child_process";
import { once } from "node:events";
import { Agent as HttpAgent, request as nodeRequest } from "node:http";
import { Agent } from "undici";
import { ConnectionBudget } from "../src/base/http/connection-budget.ts";
import { EgressGuard } from "../src/base/net/egress.ts";
import { TlsMaterial } from "../src/base/net/tls-material.ts";
import { type PostResult, postLimits, transportLimits } from "../src/exporter/remote-write/transport/post.ts";
import { HttpTransport } from "../src/exporter/remote-write/transport/transport.ts";
import { numberOptions } from "./support/options.ts";
import { print, round } from "./support/verdict.ts";

/**
 * The cost of sending a remote-write request and receiving its response through the HTTP client: processor
 * time of all threads of this process, garbage collection included. The receiver is another process. The
 * clients take turns, and the cheapest turn of each counts, since other work on the machine only adds to it.
 */
const { requests, turns, bytes, connections } = numberOptions({
  requests: 10_000,
  turns: 7,
  bytes: 25_000,
  connections: 4,
});

const receiver = fork(new URL("./support/responding-receiver.mjs", import.meta.url), { execArgv: [] });
const [port] = (await once(receiver, "message")) as [number];
const url = new URL(`http://127.0.0.1:${port}/api/v1/write`);
const body = Buffer.alloc(bytes, 7);
const headers = {
  "content-encoding": "snappy",
  "content-type": "application/x-protobuf",
  "x-prometheus-remote-write-version": "0.1.0",
  "user-agent": "telemetryd/0.1.0",
};
const request = { target: { origin: url.origin, path: url.pathname, headers }, body, tenant: "project" };
const { signal } = new AbortController();

const nodeAgent = new HttpAgent({ keepAlive: true, maxSockets: connections });
const undiciAgent = new Agent({ connections, pipelining: 1 });
const own = new HttpTransport({
  limits: { ...transportLimits, connections },
  guard: new EgressGuard({ deny: [], allow: [] }, "operator"),
  tls: new TlsMaterial({}),
  budget: new ConnectionBudget(100),
  lookup: () => Promise.reject(new Error("an address needs no lookup")),
});

function answered(result: PostResult): void {
  if (result.kind !== "response" || result.status !== 204) throw new Error("the request was not answered");
}

const clients: Readonly<Record<string, () => Promise<void>>> = {
  "node:http": () =>
    new Promise((resolve, reject) => {
      const options = {
        method: "POST",
        headers: { ...headers, "content-length": bytes },
        agent: nodeAgent,
      };
      const sent = nodeRequest(url, options, (response) => {
        response.resume().on("end", resolve).on("error", reject);
      });
      sent.on("error", reject).end(body);
    }),
  undici: async () => {
    const response = await undiciAgent.request({ ...request.target, method: "POST", body });
    await response.body.dump();
    if (response.statusCode !== 204) throw new Error("the request was not answered");
  },
  http: async () => answered(await own.post(request, postLimits, signal)),
};

interface Cost {
  readonly userUs: number;
  readonly systemUs: number;
}

async function costOf(send: () => Promise<void>): Promise<Cost> {
  const before = process.cpuUsage();
  const each = Math.ceil(requests / connections);
  const sendAll = async () => {
    for (let index = 0; index < each; index++) await send();
  };
  await Promise.all(Array.from({ length: connections }, sendAll));
  const { user, system } = process.cpuUsage(before);
  return { userUs: user / (each * connections), systemUs: system / (each * connections) };
}

const costs = new Map<string, Cost[]>();
for (let turn = 0; turn <= turns; turn++) {
  for (const [name, send] of Object.entries(clients)) {
    const cost = await costOf(send);
    // The first turn is warm-up.
    if (turn > 0) costs.set(name, [...(costs.get(name) ?? []), cost]);
  }
}
const table: Record<string, object> = {};
for (const [name, all] of costs) {
  const sums = all.map(({ userUs, systemUs }) => userUs + systemUs).sort((a, b) => a - b);
  const users = all.map(({ userUs }) => userUs).sort((a, b) => a - b);
  table[name] = {
    "us of CPU a request": round(sums[0] ?? NaN),
    "median turn": round(sums[sums.length >> 1] ?? NaN),
    "of it outside of the kernel": round(users[users.length >> 1] ?? NaN),
  };
}
console.table(table);
print(`${bytes} bytes a request, ${connections} connections; http is what sends go through`);
await own.close();
await undiciAgent.close();
nodeAgent.destroy();
receiver.disconnect();
