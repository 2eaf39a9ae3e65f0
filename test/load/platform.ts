import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { Agent } from "node:https";
import { numberOption, readOptions } from "../../scripts/run/options.ts";
import { httpsRequest, organizationBase } from "../support/plane/platform.ts";
import { type OpenWatch, openWatch } from "../support/plane/watch-client.ts";
import { until } from "../support/until.ts";

/**
 * `npm run prove -- platform-load`: 10,000 objects and 1,000 watches on one process. 99 % of lists complete
 * within a second, every watch receives a change within a second, and memory stays below 512 MB.
 */
const { objects, watches: watchCount } = readOptions(
  "npm run prove -- platform-load",
  "Measures lists, watches and memory of one process.",
  {
    objects: numberOption(10_000, "objects of one collection"),
    watches: numberOption(1_000, "watches of it"),
  },
);
const limits = { listP99Ms: 1_000, changeMs: 1_000, memoryBytes: 512 * 2 ** 20 };

async function ask<T>(child: ChildProcess, message?: string): Promise<T> {
  const response = once(child, "message");
  if (message !== undefined) child.send(message);
  return (await response)[0] as T;
}

function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? 0;
}

const server = fork(new URL("./platform-server.ts", import.meta.url), { execArgv: ["--import", "tsx"] });
const { url, bearer } = await ask<{ url: string; bearer: string }>(server);
const path = `${url}${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });
const call = (method: string, target: string, body?: unknown) =>
  httpsRequest(target, {
    method,
    bearer,
    body,
    agent,
    headers: method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {},
  });

let next = 0;
await Promise.all(
  Array.from({ length: 16 }, async () => {
    while (next < objects) {
      const index = next++;
      const labels = { shard: String(index % 100) };
      const data = { text: "x".repeat(300), index: String(index) };
      const { code } = await call("POST", path, { metadata: { name: `map-${index}`, labels }, data });
      if (code !== 201) throw new Error(`creation ended with ${code}`);
    }
  }),
);
const version = (await call("GET", `${path}?limit=1`)).json.metadata.resourceVersion as string;

let arrived = 0;
let lastArrivalMs = 0;
const watches: OpenWatch[] = [];
for (let index = 0; index < watchCount; index++) {
  const selector = index % 2 === 0 ? "" : "&labelSelector=shard";
  watches.push(
    openWatch(`${path}?watch=1&resourceVersion=${version}${selector}`, bearer, () => {
      arrived++;
      lastArrivalMs = performance.now();
    }),
  );
  if (index % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 50));
}
// A first change shows that all watches are open.
await call("PATCH", `${path}/map-0`, { data: { probe: "0" } });
await until("every watch is open", () => arrived >= watchCount, 60_000);

const changeMs: number[] = [];
for (let round = 1; round <= 20; round++) {
  const before = arrived;
  const startMs = performance.now();
  await call("PATCH", `${path}/map-${round}`, { data: { probe: String(round) } });
  await until("every watch has the change", () => arrived - before >= watchCount);
  changeMs.push(lastArrivalMs - startMs);
}

const listMs: number[] = [];
for (let round = 0; round < 60; round++) {
  const startMs = performance.now();
  const query = round % 3 === 0 ? "" : round % 3 === 1 ? "?limit=500" : "?labelSelector=shard%3D7";
  const { code, json } = await call("GET", `${path}${query}`);
  if (code !== 200 || json.items.length === 0) throw new Error(`a list ended with ${code}`);
  if (query === "" && json.items.length !== objects)
    throw new Error(`a list has ${json.items.length} objects`);
  listMs.push(performance.now() - startMs);
}

const { peakBytes } = await ask<{ peakBytes: number }>(server, "memory");
for (const watch of watches) watch.stop();
agent.destroy();
server.send("stop");
await once(server, "exit");

const result = {
  objects,
  watches: watchCount,
  listP50Ms: Math.round(percentile(listMs, 0.5)),
  listP99Ms: Math.round(percentile(listMs, 0.99)),
  changeAtEveryWatchMs: Math.round(Math.max(...changeMs)),
  peakMemoryMiB: Math.round(peakBytes / 2 ** 20),
};
process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
const isGood =
  result.listP99Ms < limits.listP99Ms &&
  result.changeAtEveryWatchMs < limits.changeMs &&
  peakBytes < limits.memoryBytes;
process.exitCode = isGood ? 0 : 1;
