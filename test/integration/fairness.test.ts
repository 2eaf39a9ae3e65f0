/**
 * Sinks do not delay each other: fifty sinks in the daemon's exporter parts, five with receivers that hang
 * and one with by far the most series, and another client of the store.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../src/app/config/load.ts";
import { createExporter, type RunningExporter } from "../../src/app/daemon/exporter.ts";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { runStages } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { SinkStates } from "../../src/exporter/delivery/state/sink-states.ts";
import type { SinkPlan } from "../../src/exporter/policy/spec/types.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { importLines } from "../support/samples.ts";
import { type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import { setUpEach } from "../support/set-up.ts";
import { seriesAreShown } from "../support/store/shown-series.ts";
import { until } from "../support/until.ts";

const sinkCount = 50;
const hangingCount = 5;
const periodMs = 1_000;
const never = new AbortController().signal;
let folder: string;
let store: RunningServer;
let receiver: Receiver;

setUpEach(async ({ keep, newFolder }) => {
  folder = await newFolder("fairness");
  store = await keep(startVictoriaMetrics());
  receiver = await keep(startReceiver());
});

function plan(index: number): SinkPlan {
  return {
    policy: { plane: "directory", namespace: `team-${index}`, name: "policy", uid: "-" },
    generation: 1,
    name: "sink",
    sources: [{ name: "source", metricsql: `{job="fair",team="${index}"}` }],
    endpoint: `${receiver.url}?team=${index}`,
    batch: { timeoutMs: periodMs, maxSize: 2_000, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 3, backoffMs: 500 },
    paused: false,
  };
}

async function export_(): Promise<{ exporter: RunningExporter; stop: () => Promise<void> }> {
  const file = join(folder, "telemetryd.yaml");
  await writeFile(
    file,
    [
      "policies: { directory: . }",
      `metrics: { url: "${store.url}", interval: 1s, delay: 1s }`,
      "delivery: { startFrom: 10m, shutdownTimeout: 1s, memoryLimit: 32MiB }",
      `state: { directory: ${folder} }`,
    ].join("\n"),
  );
  const { config } = await loadConfig({ file }, never);
  if (config.metrics === undefined) throw new Error("no metrics section");
  const plans = Array.from({ length: sinkCount }, (_, index) => plan(index));
  const exporter = createExporter({
    config: { ...config, metrics: config.metrics },
    state: new SinkStates(),
    desired: { plans: () => plans, subscribe: () => () => undefined },
    clock: systemClock,
    log: silentLogger,
  });
  const end = new AbortController();
  const running = runStages([[...exporter.services]], end.signal);
  return {
    exporter,
    stop: async () => {
      end.abort();
      await running;
      await exporter.close();
    },
  };
}

/** Writes samples of these ages; team 49 has far more series than the others. */
async function write(largest: number, agesMs: readonly number[]): Promise<void> {
  const nowMs = Date.now();
  function* lines(): Generator<string> {
    for (let team = 0; team < sinkCount; team++) {
      const count = team === sinkCount - 1 ? largest : 20;
      for (let series = 0; series < count; series++) {
        const metric = { __name__: "fair_total", job: "fair", team: String(team), series: String(series) };
        const timestamps = agesMs.map((ageMs) => nowMs - ageMs);
        yield `${JSON.stringify({ metric, values: agesMs, timestamps })}\n`;
      }
    }
  }
  await importLines(store.url, lines(), never);
  await until("the store shows what was written", async () => {
    const response = await fetch(`${store.url}/api/v1/series/count`);
    const { data } = (await response.json()) as { data: number[] };
    return (data[0] ?? 0) >= 20 * (sinkCount - 1) + largest;
  });
}

/** 90th percentiles of another client's query times and of the other sinks' lag. */
async function watch(exporter: RunningExporter, forMs: number): Promise<{ queryMs: number; lagMs: number }> {
  const queriesMs: number[] = [];
  const lagsMs: number[] = [];
  const endMs = performance.now() + forMs;
  while (performance.now() < endMs) {
    const startMs = performance.now();
    const response = await fetch(
      `${store.url}/api/v1/query?query=count(fair_total)&time=${Date.now() / 1000}`,
    );
    await response.text();
    expect(response.status).toBe(200);
    queriesMs.push(performance.now() - startMs);
    for (const { plan, behindMs: lagMs = Infinity } of exporter.snapshots()) {
      const team = Number(plan.policy.namespace.slice("team-".length));
      if (team >= hangingCount && team < sinkCount - 1) lagsMs.push(lagMs);
    }
    await sleep(100, never);
  }
  // Not the maximum: a busy machine occasionally stalls.
  return { queryMs: ninetieth(queriesMs), lagMs: ninetieth(lagsMs) };
}

function ninetieth(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length * 0.9)] ?? 0;
}

test("receivers that hang and one large tenant delay nobody else by more than a second", async () => {
  await write(20_000, [20_000, 15_000, 10_000]);
  await seriesAreShown(store.url, "fair_total", 20 * (sinkCount - 1) + 20_000);
  const { exporter, stop } = await export_();
  try {
    const others = () =>
      exporter
        .snapshots()
        .filter(({ plan }) => plan.policy.namespace !== `team-${sinkCount - 1}`)
        .every(({ behindMs }) => behindMs !== undefined && behindMs <= 3 * periodMs);
    await until("the others have caught up", others);
    await write(20, [0]);
    const well = await watch(exporter, 5_000);
    receiver.respond(({ path }) => {
      const team = Number(new URL(path, receiver.url).searchParams.get("team"));
      return team < hangingCount ? { fault: "hang" } : undefined;
    });
    await write(20_000, [0]);
    const hung = await watch(exporter, 8_000);
    // Reading continued; only the receivers hang. A newer store may have shown a sample after its window was
    // read.
    await until("the receivers hang", async () => {
      if (receiver.inFlight().now < hangingCount) await write(20, [0]);
      return receiver.inFlight().now >= hangingCount;
    });
    expect(hung.lagMs).toBeLessThanOrEqual(well.lagMs + 1_000);
    expect(hung.queryMs).toBeLessThanOrEqual(well.queryMs + 1_000);
  } finally {
    await stop();
  }
});
