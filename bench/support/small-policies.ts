import { sleep } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { startVictoriaMetrics } from "../../test/support/servers.ts";
import { metricLabels } from "../export-body.ts";
import { startCountingReceiver } from "./counting-receiver.ts";
import { startBenchDaemon } from "./daemon.ts";
import { writeLive } from "./load.ts";
import { processUsage } from "./process-usage.ts";

export interface SmallPoliciesOptions {
  readonly policies: number;
  readonly seriesEach: number;
  readonly intervalSeconds: number;
  /** Number of measured intervals. */
  readonly intervals: number;
}

export interface SmallPoliciesRun {
  readonly requests: number;
  /** telemetryd's, as a share of one core. */
  readonly cpuShare: number;
  readonly cpuMsPerCycle: number;
  readonly peakBytes: number;
  /** Requests in the busiest second relative to the mean; 1 is perfectly even. */
  readonly unevenness: number;
  readonly storeCpuShare: number;
}

/** Many policies of a few series each, on live data: the cost of a nearly empty cycle. */
export async function runSmallPolicies(options: SmallPoliciesOptions): Promise<SmallPoliciesRun> {
  const releasers = new Releasers();
  try {
    return await measure(options, releasers);
  } finally {
    await releasers.releaseAll();
  }
}

async function measure(options: SmallPoliciesOptions, releasers: Releasers): Promise<SmallPoliciesRun> {
  const { policies, seriesEach, intervalSeconds, intervals } = options;
  const { signal } = new AbortController();
  const source = await startVictoriaMetrics();
  releasers.push(() => source[Symbol.asyncDispose]());
  const receiver = await startCountingReceiver(true);
  releasers.push(() => receiver[Symbol.asyncDispose]());
  const over = new AbortController();
  const metric = (index: number) =>
    JSON.stringify({ ...metricLabels(index), team: teamOf(Math.floor(index / seriesEach)) });
  const writing = writeLive(source.url, policies * seriesEach, intervalSeconds * 1_000, over.signal, metric);
  releasers.push(() => {
    over.abort();
    return writing;
  });
  const daemon = await startBenchDaemon({
    sourceUrl: source.url,
    policies: Array.from({ length: policies }, (_, index) => ({
      name: `policy-${index}`,
      selector: `{team="${teamOf(index)}"}`,
      endpoints: [receiver.endpoint],
    })),
    metrics: `interval: ${intervalSeconds}s, delay: ${intervalSeconds}s`,
  });
  releasers.push(() => daemon[Symbol.asyncDispose]());
  // One full round, so that every policy has its connection, labels and state.
  for (const deadlineMs = performance.now() + 10 * intervalSeconds * 1_000; receiver.requests < policies; ) {
    if (performance.now() > deadlineMs)
      throw new Error(`${receiver.requests} of ${policies} policies delivered`);
    await sleep(500, signal);
  }
  const measuredMs = intervals * intervalSeconds * 1_000;
  const before = {
    requests: receiver.requests,
    own: processUsage(daemon.pid).cpuMs,
    store: processUsage(source.pid).cpuMs,
  };
  const startMs = performance.now();
  await sleep(measuredMs, signal);
  const elapsedMs = performance.now() - startMs;
  const own = processUsage(daemon.pid);
  const requests = receiver.requests - before.requests;
  return {
    requests,
    cpuShare: (own.cpuMs - before.own) / elapsedMs,
    cpuMsPerCycle: (own.cpuMs - before.own) / requests,
    peakBytes: own.peakBytes,
    unevenness: unevenness(receiver.arrivedAtMs.slice(before.requests), startMs, measuredMs),
    storeCpuShare: (processUsage(source.pid).cpuMs - before.store) / elapsedMs,
  };
}

function teamOf(policy: number): string {
  return `team-${policy}`;
}

function unevenness(arrivedAtMs: readonly number[], startMs: number, lengthMs: number): number {
  const seconds = new Array<number>(Math.floor(lengthMs / 1_000)).fill(0);
  for (const atMs of arrivedAtMs) {
    const second = Math.floor((atMs - startMs) / 1_000);
    if (second >= 0 && second < seconds.length) seconds[second] = (seconds[second] ?? 0) + 1;
  }
  const mean = seconds.reduce((sum, count) => sum + count, 0) / seconds.length;
  return Math.max(...seconds) / mean;
}
