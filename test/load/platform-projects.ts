import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { numberOption, readOptions } from "../../scripts/run/options.ts";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { PolicyStore } from "../../src/exporter/policy/store.ts";
import { createControlPlane } from "../../src/platform/client/control-plane.ts";
import { groupDomain, httpsRequest, policiesPath, projectsPath } from "../support/plane/platform.ts";
import { until } from "../support/until.ts";

/**
 * `npm run prove -- platform-projects`: an organization of a thousand projects, followed by one exporter: at most
 * two connections per project, and the memory they take.
 */
const { projects: count } = readOptions(
  "npm run prove -- platform-projects",
  "Measures the connections and the memory of an exporter that follows many projects.",
  { projects: numberOption(1_000, "projects of one organization") },
);

const server = fork(new URL("./platform-server.ts", import.meta.url), { execArgv: ["--import", "tsx"] });
const [{ url, bearer, token, caFile }] = (await once(server, "message")) as [
  { url: string; bearer: string; token: string; caFile: string },
];
const folder = await mkdtemp(join(tmpdir(), "telemetryd-projects-"));
const accessTokenFile = join(folder, "token");
await writeFile(accessTokenFile, token);
const agent = new Agent({ keepAlive: true, maxSockets: 8 });
const call = (method: string, path: string, body?: unknown) =>
  httpsRequest(`${url}${path}`, { method, bearer, body, agent });
const spec = {
  sources: [{ name: "cpu", metrics: { metricsql: "up" } }],
  sinks: [
    {
      name: "s",
      sources: ["cpu"],
      target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/w" } },
    },
  ],
};

const createdMs = performance.now();
for (let index = 0; index < count; index++) {
  await call("POST", projectsPath, { metadata: { name: `project-${index}` } });
}
for (let index = 0; index < count; index++) {
  const name = `project-${index}`;
  await until(`${name} takes its policy`, async () => {
    const { code } = await call("POST", policiesPath(name), { metadata: { name: "p" }, spec });
    return code === 201;
  });
}
const createMs = performance.now() - createdMs;

const before = process.memoryUsage().rss;
const store = new PolicyStore();
const { service } = createControlPlane({
  ...{ apiUrl: url, groupDomain, organization: "acme", projects: [], accessTokenFile, caFile, store },
  ...{ statuses: () => [], clock: systemClock, log: silentLogger },
});
const stop = new AbortController();
const startedMs = performance.now();
const running = service.run(stop.signal);
await until("every project's policy is there", () => store.policies().length === count, 180_000);
const followMs = performance.now() - startedMs;
await new Promise((resolve) => setTimeout(resolve, 3_000));
const connections = process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length;
const memory = process.memoryUsage().rss - before;
const last = `project-${count - 1}`;
const changedMs = performance.now();
await call("DELETE", `${policiesPath(last)}/p`);
await until("a change arrives", () => store.policies().length === count - 1);
const changeMs = performance.now() - changedMs;
stop.abort();
await running;
server.send("memory");
const [{ peakBytes }] = (await once(server, "message")) as [{ peakBytes: number }];
server.send("stop");
await once(server, "exit");
agent.destroy();
await rm(folder, { recursive: true, force: true });

const result = {
  projects: count,
  createdInMs: Math.round(createMs),
  followedAfterMs: Math.round(followMs),
  connections,
  exporterMemoryMiB: Math.round(memory / 2 ** 20),
  serverMemoryMiB: Math.round(peakBytes / 2 ** 20),
  changeMs: Math.round(changeMs),
};
process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
// Plus the connections of the organization's watch, the writer and the test itself.
process.exitCode = connections <= 2 * count + 20 ? 0 : 1;
