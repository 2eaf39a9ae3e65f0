import { sleep } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import type { RunningServer } from "../../test/support/servers.ts";
import { processUsage } from "./process-usage.ts";
import { ReceivingStore } from "./receiving-store.ts";
import type { Sender } from "./senders.ts";

export interface LiveRunOptions {
  readonly source: RunningServer;
  readonly series: number;
  readonly intervalSeconds: number;
  /** Measured time, in whole intervals, so that each run covers the same number of cycles. */
  readonly seconds: number;
  /** Minimum time that a sender runs before it is measured. */
  readonly warmSeconds: number;
}

/** A sender's output and resource usage while it was measured. */
export interface LiveRun {
  readonly name: string;
  /** As counted by the receiver. */
  readonly samples: number;
  readonly requests: number;
  readonly wireBytes: number;
  readonly cpuMs: number;
  /** Since the process started. */
  readonly peakBytes: number;
  /** The source's processor time over the same period. */
  readonly storeCpuMs: number;
  readonly meanLagMs: number;
  readonly worstLagMs: number;
}

/**
 * Lets a sender send the source's samples to a new store. Warms up until every series has been delivered
 * twice, so that neither the sender's start nor the receiver's new series count, and for at least
 * `warmSeconds`; then measures.
 */
export async function runLive(sender: Sender, options: LiveRunOptions): Promise<LiveRun> {
  const releasers = new Releasers();
  try {
    return await measure(sender, options, releasers);
  } finally {
    await releasers.releaseAll();
  }
}

async function measure(sender: Sender, options: LiveRunOptions, releasers: Releasers): Promise<LiveRun> {
  const { source, series, intervalSeconds, seconds } = options;
  const { signal } = new AbortController();
  const receiver = await ReceivingStore.start();
  releasers.push(() => receiver[Symbol.asyncDispose]());
  const running = await sender.start({ source, endpoint: receiver.endpoint, intervalSeconds });
  releasers.push(() => running[Symbol.asyncDispose]());

  const warmFromMs = performance.now();
  const warmDeadlineMs = warmFromMs + 10 * intervalSeconds * 1_000;
  while ((await receiver.received()).samples < 2 * series) {
    if (performance.now() > warmDeadlineMs) {
      throw new Error(`${sender.name} does not deliver; the end of its log: ${running.log().slice(-2_000)}`);
    }
    await sleep(500, signal);
  }
  await sleep(Math.max(0, warmFromMs + options.warmSeconds * 1_000 - performance.now()), signal);

  const probes = [0, Math.floor(series / 3), Math.floor((2 * series) / 3), series - 1];
  const lags: number[] = [];
  const before = {
    ...(await receiver.received()),
    own: processUsage(running.pid).cpuMs,
    store: processUsage(source.pid).cpuMs,
  };
  const startMs = performance.now();
  while (performance.now() < startMs + seconds * 1_000) {
    const lagMs = await receiver.lagMs(probes);
    if (lagMs !== undefined) lags.push(lagMs);
    await sleep(Math.min(1_000, Math.max(0, startMs + seconds * 1_000 - performance.now())), signal);
  }
  const own = processUsage(running.pid);
  const store = processUsage(source.pid);
  const after = await receiver.received();
  return {
    name: sender.name,
    samples: after.samples - before.samples,
    requests: after.requests - before.requests,
    wireBytes: after.bytes - before.bytes,
    cpuMs: own.cpuMs - before.own,
    peakBytes: own.peakBytes,
    storeCpuMs: store.cpuMs - before.store,
    meanLagMs: lags.reduce((total, lagMs) => total + lagMs, 0) / lags.length,
    worstLagMs: Math.max(...lags),
  };
}

/** @param idleStoreMs processor time of the source over the same period without readers */
export function liveTable(runs: readonly LiveRun[], idleStoreMs: number, reference: string): object {
  const base = runs.find(({ name }) => name === reference);
  return Object.fromEntries(
    runs.map((run) => [
      run.name,
      {
        samples: run.samples,
        "CPU us a sample": round2((run.cpuMs * 1_000) / run.samples),
        [`of ${reference}'s`]: base === undefined ? "" : round2(cpuRatio(run, base)),
        "peak MB": Math.round(run.peakBytes / 1e6),
        "wire bytes a sample": round2(run.wireBytes / run.samples),
        requests: run.requests,
        "lag s": round2(run.meanLagMs / 1_000),
        "worst lag s": round2(run.worstLagMs / 1_000),
        "store CPU us a sample": round2((Math.max(0, run.storeCpuMs - idleStoreMs) * 1_000) / run.samples),
      },
    ]),
  );
}

/** Processor time per delivered sample, beside another sender's. */
export function cpuRatio(run: LiveRun, base: LiveRun): number {
  return run.cpuMs / run.samples / (base.cpuMs / base.samples);
}

function round2(value: number): number {
  return Math.round(value * 100) / 100;
}
