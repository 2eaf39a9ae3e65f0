/**
 * `npm run bench -- fleet`: samples delivered by one, two and three replicas in the same time. A VictoriaMetrics
 * is filled with an hour of samples; 48 sinks export it from the beginning to one receiver that only responds
 * with 204. Replicas run from the build, with `export.schedule: queue` and one Redis.
 *
 * Read the result with the number of cores in mind: store, Redis, receiver and replicas share the machine.
 * The result shows the cost of sharing; throughput grows only where cores are free. The time includes the
 * replicas' start.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { ensureBuilt } from "../scripts/daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../scripts/daemon/daemon.ts";
import { freePort } from "../scripts/servers/free-port.ts";
import { startRedis, startVictoriaMetrics } from "../scripts/servers/start.ts";
import { sleep } from "../src/base/core/clock.ts";
import { formatExactCount } from "../src/base/core/human.ts";

const sinkCount = 48;
const seriesOfSink = 200;
const samplesOfSeries = 720;
const sampleEveryMs = 5_000;
const limitMs = 120_000;
const forever = new AbortController().signal;
const total = sinkCount * seriesOfSink * samplesOfSeries;

async function fill(url: string, startMs: number): Promise<void> {
  for (let sink = 0; sink < sinkCount; sink++) {
    const lines: string[] = [];
    for (let series = 0; series < seriesOfSink; series++) {
      const metric = {
        __name__: "bench",
        job: `sink-${sink}`,
        instance: `host-${series}`,
        region: "eu",
        zone: "b",
      };
      const timestamps = Array.from(
        { length: samplesOfSeries },
        (_, index) => startMs + index * sampleEveryMs,
      );
      lines.push(JSON.stringify({ metric, values: timestamps.map((ms) => ms % 997), timestamps }));
    }
    const response = await fetch(`${url}/api/v1/import`, { method: "POST", body: lines.join("\n") });
    if (!response.ok) throw new Error(`filling the store: ${response.status}`);
  }
  await fetch(`${url}/internal/force_flush`);
}

/** One policy per sink, as teams have them. */
function policies(endpoint: string): string {
  const items = Array.from({ length: sinkCount }, (_, sink) => ({
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: `bench-${sink}`, namespace: "default" },
    spec: {
      sources: [{ name: "all", metrics: { metricsql: `{job="sink-${sink}"}` } }],
      sinks: [
        {
          name: "receiver",
          sources: ["all"],
          target: {
            prometheusRemoteWrite: {
              endpoint,
              batch: { timeout: "1s", maxSize: 5_000 },
              retry: { maxAttempts: 3, backoffDuration: "1s" },
            },
          },
        },
      ],
    },
  }));
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

async function measure(replicas: number, folder: string, storeUrl: string, endMs: number): Promise<void> {
  await using redis = await startRedis();
  const daemons: RunningDaemon[] = [];
  try {
    const start = async (number: number): Promise<void> => {
      const directory = join(folder, `state-${replicas}-${number}`);
      await mkdir(directory);
      const configFile = join(folder, `telemetryd-${replicas}-${number}.yaml`);
      await writeFile(
        configFile,
        [
          `policies: { directory: ${JSON.stringify(join(folder, "policies"))} }`,
          `metrics: { url: "${storeUrl}", interval: 1s, delay: 1s }`,
          "delivery: { startFrom: 2h, maxWindow: 5m }",
          `state: { directory: ${JSON.stringify(directory)} }`,
          `redis: { url: "${redis.url}" }`,
          "export: { schedule: queue }",
          "log: { level: warn }",
        ].join("\n"),
      );
      daemons.push(await startDaemon({ configFile, opsPort: await freePort(), signal: forever }));
    };
    const startMs = performance.now();
    await Promise.all(Array.from({ length: replicas }, (_, number) => start(number)));
    while ((await behind(daemons, endMs)) > 0) {
      if (performance.now() - startMs > limitMs) throw new Error(`not done within ${limitMs / 1_000} s`);
      await sleep(250, forever);
    }
    const seconds = (performance.now() - startMs) / 1_000;
    const requests = await Promise.all(daemons.map(({ opsUrl }) => requestsOf(opsUrl)));
    console.log(
      `${replicas} replica(s): ${seconds.toFixed(1)} s, ${formatExactCount(Math.round(total / seconds))} samples/s; requests by replica: ${requests.join(", ")}`,
    );
  } finally {
    await Promise.all(daemons.map(({ child }) => child.stop(30_000)));
  }
}

/** Number of sinks that have not reached the end, as reported by any replica. */
async function behind(daemons: readonly RunningDaemon[], endMs: number): Promise<number> {
  const reached = new Set<string>();
  for (const daemon of daemons) {
    const status = await daemon.status(forever);
    for (const { name, sinks } of status.policies) {
      if (sinks.some(({ checkpoint }) => Date.parse(checkpoint ?? "") >= endMs)) reached.add(name);
    }
  }
  return sinkCount - reached.size;
}

async function requestsOf(opsUrl: string): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`)).text();
  let sum = 0;
  for (const [, value] of text.matchAll(/^telemetryd_remote_write_requests_total\{[^}]*\} ([0-9.e+]+)$/gm)) {
    sum += Number(value);
  }
  return sum;
}

const folder = await mkdtemp(join(tmpdir(), "telemetryd-bench-fleet-"));
const receiver = createServer((request, response) => {
  request.resume();
  request.on("end", () => response.writeHead(204).end());
});
await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
try {
  await ensureBuilt(forever, () => console.log("building telemetryd"));
  await using store = await startVictoriaMetrics();
  await mkdir(join(folder, "policies"));
  const endpoint = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/write`;
  await writeFile(join(folder, "policies", "bench.json"), policies(endpoint));
  const endMs = Date.now() - 60_000;
  await fill(store.url, endMs - samplesOfSeries * sampleEveryMs);
  console.log(`${cpus().length} cores, shared by the store, Redis, the receiver and all replicas`);
  for (const replicas of [1, 2, 3]) {
    await measure(replicas, folder, store.url, endMs);
  }
} finally {
  receiver.close();
  receiver.closeAllConnections();
  await rm(folder, { recursive: true });
}
