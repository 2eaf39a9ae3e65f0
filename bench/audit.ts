import { Agent } from "node:https";
import { httpsRequest } from "../test/support/plane/platform.ts";
import { type ApiServer, startPlatformServer } from "./support/api-servers.ts";
import { numberOptions } from "./support/options.ts";
import { processUsage } from "./support/process-usage.ts";
import { print, printVerdicts, round } from "./support/verdict.ts";

/**
 * The cost of the platform's audit log: merge patches of a ConfigMap, each of which is an event, by a platform
 * with the log and one without, in short rounds that alternate. The processor time of the two is compared, since
 * throughput also depends on other work on the machine.
 *
 * Exits 1 when a target is missed.
 */
const { rounds, seconds, clients } = numberOptions({ rounds: 10, seconds: 2, clients: 16 });
const path = "/api/v1/namespaces/default/configmaps";
const headers = { "content-type": "application/merge-patch+json" };
const agent = new Agent({ keepAlive: true, maxSockets: 2 * clients });

const plain = await startPlatformServer();
const audited = await startPlatformServer("audited");
const all = [plain, audited].map((server) => ({ server, requests: 0, cpuMs: 0, tookMs: 0 }));
try {
  for (const { server } of all)
    for (let index = 0; index < clients; index++)
      await send(server, "POST", "", { metadata: { name: `map-${index}` } });
  // The first round is not counted: the code is compiled meanwhile.
  for (let turn = 0; turn <= rounds; turn++) {
    for (const measured of turn % 2 === 0 ? all : all.toReversed()) {
      const before = processUsage(measured.server.pid).cpuMs;
      const startMs = performance.now();
      const requests = await patches(measured.server);
      if (turn === 0) continue;
      measured.requests += requests;
      measured.cpuMs += processUsage(measured.server.pid).cpuMs - before;
      measured.tookMs += performance.now() - startMs;
    }
  }
} finally {
  agent.destroy();
  await Promise.all([plain.stop(), audited.stop()]);
}
const [without, with_] = all.map(({ requests, cpuMs, tookMs }) => {
  const each = { cpuMs: cpuMs / requests, perSecond: (requests / tookMs) * 1_000 };
  print(`${requests} requests: ${round(each.cpuMs)} ms of CPU each, ${round(each.perSecond)} a second`);
  return each;
});
const share = (more = 0, less = 1): number => (more / less - 1) * 100;
process.exitCode = printVerdicts([
  {
    ...{ what: "more CPU a request with the audit log", unit: "%", atMost: 5 },
    figure: share(with_?.cpuMs, without?.cpuMs),
  },
  {
    ...{ what: "fewer requests a second with the audit log", unit: "%", atMost: 5 },
    figure: share(without?.perSecond, with_?.perSecond),
  },
]);

async function patches(server: ApiServer): Promise<number> {
  const endMs = performance.now() + seconds * 1_000;
  let done = 0;
  const client = async (_: unknown, index: number): Promise<void> => {
    for (; performance.now() < endMs; done++)
      await send(server, "PATCH", `/map-${index}`, { data: { note: String(done) } });
  };
  await Promise.all(Array.from({ length: clients }, client));
  return done;
}

async function send({ url, bearer }: ApiServer, method: string, name: string, body: object): Promise<void> {
  const options = { method, bearer, agent, body, ...(method === "PATCH" && { headers }) };
  const { code, text } = await httpsRequest(`${url}${path}${name}`, options);
  if (code >= 300) throw new Error(`${method} ${name}: ${code} ${text}`);
}
