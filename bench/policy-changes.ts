import { once } from "node:events";
import { type IntervalHistogram, monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { PolicyStatuses } from "../src/app/daemon/policy-statuses.ts";
import { buildOpsApp } from "../src/app/ops/app.ts";
import { OpsServer } from "../src/app/ops/server.ts";
import { systemClock } from "../src/base/core/clock.ts";
import { silentLogger } from "../src/base/log/log.ts";
import { delivering } from "../src/exporter/delivery/dispatch/delivery-state.ts";
import { sinkExposition } from "../src/exporter/delivery/export-metrics.ts";
import type { ExporterSnapshot } from "../src/exporter/delivery/exporter-snapshot.ts";
import { Reconciler } from "../src/exporter/delivery/schedule/reconciler.ts";
import { SinkStates } from "../src/exporter/delivery/state/sink-states.ts";
import { SinkStats } from "../src/exporter/delivery/stats/sink-stats.ts";
import { planPolicy } from "../src/exporter/policy/plan.ts";
import { PolicyPlans } from "../src/exporter/policy/policy-plans.ts";
import { checkExportPolicy } from "../src/exporter/policy/spec/check-policy.ts";
import { type SinkPlan, sinkKey } from "../src/exporter/policy/spec/types.ts";
import { PolicyStore } from "../src/exporter/policy/store.ts";
import { createStatusWriter } from "../src/platform/client/status-writer.ts";
import { numberOptions } from "./support/options.ts";
import { print, printVerdicts, round } from "./support/verdict.ts";

/**
 * 10,000 policies of control planes, 100 of which change each second: the cost of planning, reconciling and
 * statuses (without reading events, exporting and writing statuses), and the latency of a readiness probe.
 * First with nothing cached and everything recomputed for each change, then as the daemon does it.
 */
const { policies, changes, seconds, planes } = numberOptions({
  policies: 10_000,
  changes: 100,
  seconds: 10,
  planes: 100,
});

interface Measured {
  readonly cpuShare: number;
  /** The probes' 99th percentile. */
  readonly probeMs: number;
  /**
   * Longest time that the event loop was blocked while policies changed, without and with concurrent scrapes
   * of `/metrics`.
   */
  readonly standMs: number;
  readonly scrapeStandMs: number;
  /** Duration of one scrape, and its number of series. */
  readonly scrapeMs: number;
  readonly series: number;
  readonly made: number;
}

function checkedPolicy(index: number, generation: number) {
  const document = {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: `export-${index}`, namespace: "default", uid: `uid-${index}`, generation },
    spec: {
      sources: [{ name: "up", metrics: { metricsql: `requests_total{job="job-${index}"}` } }],
      sinks: [
        {
          name: "sink",
          sources: ["up"],
          target: { prometheusRemoteWrite: { endpoint: `https://r.example.com/${generation}` } },
        },
      ],
    },
  };
  const { checked } = checkExportPolicy(document, {
    plane: `plane-${index % planes}`,
    unknownFields: "warning",
  });
  if (checked === undefined) throw new Error("the manifest has no name");
  return checked;
}

/** Reports every sink as up to date. */
class IdleSchedule {
  readonly #snapshots = new Map<string, ExporterSnapshot>();

  start(plan: SinkPlan): void {
    const snapshot = { plan, deliveryState: delivering, sources: [], lagMs: 0, periodMs: 15_000 };
    this.#snapshots.set(sinkKey(plan.policy, plan.name), { ...snapshot, stats: new SinkStats(0) });
  }

  renew(): void {}

  change(plan: SinkPlan): void {
    this.start(plan);
  }

  async remove(key: string): Promise<void> {
    this.#snapshots.delete(key);
  }

  snapshots(): ExporterSnapshot[] {
    return [...this.#snapshots.values()];
  }

  snapshotOf(key: string): ExporterSnapshot | undefined {
    return this.#snapshots.get(key);
  }
}

/** Probes and scrapes from another thread: the measured event loop must not time itself. */
const prober = `
const { parentPort, workerData } = require("node:worker_threads");
const times = [];
let ends = false;
parentPort.on("message", async (message) => {
  if (message === "end") { ends = true; return; }
  const start = performance.now();
  let series = 0;
  let rest = "";
  const decoder = new TextDecoder();
  for await (const part of (await fetch(workerData + "/metrics")).body) {
    const lines = (rest + decoder.decode(part, { stream: true })).split("\\n");
    rest = lines.pop();
    for (const line of lines) if (line.startsWith("telemetryd_sink_")) series++;
  }
  parentPort.postMessage({ series, scrapeMs: performance.now() - start });
});
(async () => {
  while (!ends) {
    const start = performance.now();
    await (await fetch(workerData + "/readyz")).text();
    times.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  parentPort.postMessage(times);
})();
`;

async function measure(keeps: boolean): Promise<Measured> {
  const store = new PolicyStore();
  const schedule = new IdleSchedule();
  const plans = new PolicyPlans(store);
  const statuses = new PolicyStatuses(plans, (key) => schedule.snapshotOf(key), systemClock);
  const writer = createStatusWriter({
    groupDomain: "platformapis",
    planeOf: () => undefined,
    wanted: () => (keeps ? statuses.statuses() : [...statuses.statuses()]),
    onEvents: () => undefined,
    clock: systemClock,
    log: silentLogger,
  });
  const secretOf = (plane: string, namespace: string, name: string) => store.secret(plane, namespace, name);
  const reconciler = new Reconciler({
    desired: {
      plans: () =>
        keeps ? plans.sinks() : store.policies().flatMap((one) => planPolicy(one, secretOf).sinks),
      subscribe: (listener) => store.subscribe(keeps ? listener : () => reconciler.reconcile()),
    },
    schedule,
    state: new SinkStates(),
    clock: systemClock,
    log: silentLogger,
  });
  const app = buildOpsApp({
    status: () => {
      throw new Error("nobody asks for it");
    },
    readiness: () => ({ ready: true, reasons: [] }),
    degraded: () => {
      if (!keeps) statuses.views();
      return [];
    },
    registries: [],
    pieces: () => sinkExposition(schedule.snapshots(), Date.now()),
    listenHost: "127.0.0.1",
    hosts: [],
    nowMs: () => Date.now(),
    log: silentLogger,
  });
  const ops = new OpsServer(app, { host: "127.0.0.1", port: 0 }, silentLogger);
  const url = await ops.listen();
  for (let index = 0; index < policies; index++) store.putPolicy(checkedPolicy(index, 1));
  const stop = new AbortController();
  const running = [ops, reconciler, writer].map((service) => service.run(stop.signal));
  await delay(2_000);

  const worker = new Worker(prober, { eval: true, workerData: url });
  const before = process.cpuUsage();
  const startMs = performance.now();
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  let made = 0;
  while (performance.now() - startMs < seconds * 1_000) {
    const due = Math.floor(((performance.now() - startMs) / 1_000) * changes);
    if (made < due) {
      store.putPolicy(checkedPolicy(made % policies, 2 + Math.floor(made / policies)));
      made++;
    }
    await delay(made < due ? 0 : 5);
  }
  const { user, system } = process.cpuUsage(before);
  const cpuShare = (user + system) / 1_000 / (performance.now() - startMs);
  const standMs = longestMs(delays);
  const times = await told<number[]>(worker, "end");
  // Without concurrent probes, so that only the scrape is measured.
  const scrape = await told<{ series: number; scrapeMs: number }>(worker, "scrape");
  const scrapeStandMs = longestMs(delays);
  await worker.terminate();
  stop.abort();
  await Promise.allSettled(running);
  times.sort((a, b) => a - b);
  const probeMs = times[Math.floor(times.length * 0.99)] ?? Infinity;
  return { cpuShare, probeMs, made, standMs, scrapeStandMs, ...scrape };
}

/** Since the previous call. */
function longestMs(delays: IntervalHistogram): number {
  const ms = delays.max / 1e6;
  delays.reset();
  return ms;
}

async function told<T>(worker: Worker, message: string): Promise<T> {
  const response = once(worker, "message") as Promise<[T]>;
  worker.postMessage(message);
  return (await response)[0];
}

function printMeasured(what: string, measured: Measured): void {
  print(
    `${what}: ${round(measured.cpuShare)} of a core, /readyz within ${round(measured.probeMs)} ms, ` +
      `the loop held for ${round(measured.standMs)} ms, ${measured.made} of ${changes * seconds} changes made; ` +
      `a scrape of ${measured.series} series in ${round(measured.scrapeMs)} ms holds it for ${round(measured.scrapeStandMs)} ms`,
  );
}

const before = await measure(false);
printMeasured("nothing kept", before);
const now = await measure(true);
printMeasured("as it is", now);
process.exitCode = printVerdicts([
  { what: "CPU", figure: now.cpuShare, unit: "of one core", atMost: 0.5 },
  { what: "/readyz, 99 of 100", figure: now.probeMs, unit: "ms", atMost: 20 },
  { what: "loop held by a scrape", figure: now.scrapeStandMs, unit: "ms", atMost: 50 },
]);
