import { sleep } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { type CountingReceiver, startCountingReceiver } from "./counting-receiver.ts";
import { startBenchDaemon } from "./daemon.ts";
import { type Backlog, loadSelector, samplesOf } from "./load.ts";
import { processUsage } from "./process-usage.ts";

export interface CatchUpOptions {
  readonly source: { readonly url: string; readonly pid: number };
  readonly backlog: Backlog;
  readonly maxSize: number;
  /** Number of receivers that get everything; default 1. */
  readonly sinks?: number;
  readonly selector?: string;
  /** YAML flow text below `delivery`. */
  readonly delivery?: string;
}

export interface CatchUp {
  /** Delivered to all sinks in total. */
  readonly samples: number;
  /** From the first request to the last. */
  readonly wallMs: number;
  /**
   * telemetryd's, from its first delivery to its last: the cost of a long catch-up, without the program's
   * start.
   */
  readonly cpuMs: number;
  /** The same, start included. */
  readonly wholeCpuMs: number;
  readonly storeCpuMs: number;
  readonly peakBytes: number;
  readonly requests: number;
  readonly wireBytes: number;
}

/** Starts telemetryd on a store with a backlog and lets it deliver all of it to receivers that only count. */
export async function runCatchUp(options: CatchUpOptions): Promise<CatchUp> {
  const releasers = new Releasers();
  try {
    return await catchUp(options, releasers);
  } finally {
    await releasers.releaseAll();
  }
}

async function catchUp(options: CatchUpOptions, releasers: Releasers): Promise<CatchUp> {
  const { source, backlog, maxSize, sinks = 1, selector = loadSelector } = options;
  const { signal } = new AbortController();
  const receivers: CountingReceiver[] = [];
  for (let made = 0; made < sinks; made++) {
    const receiver = await startCountingReceiver();
    releasers.push(() => receiver[Symbol.asyncDispose]());
    receivers.push(receiver);
  }
  const storeBeforeMs = processUsage(source.pid).cpuMs;
  // With a margin for a slow start of the program, so that the export starts before the backlog does.
  const startFromS = Math.ceil((Date.now() - backlog.fromMs) / 1_000) + 300;
  const daemon = await startBenchDaemon({
    sourceUrl: source.url,
    policies: [{ name: "load", selector, endpoints: receivers.map(({ endpoint }) => endpoint), maxSize }],
    metrics: "interval: 1s, delay: 1s",
    delivery: `startFrom: ${startFromS}s${options.delivery ? `, ${options.delivery}` : ""}`,
  });
  releasers.push(() => daemon[Symbol.asyncDispose]());
  const startMs = await Promise.race(receivers.map(({ first }) => first));
  const startCpuMs = processUsage(daemon.pid).cpuMs;
  const wanted = samplesOf(backlog) * sinks;
  let samples = 0;
  for (const deadlineMs = performance.now() + 600_000; samples < wanted; ) {
    await sleep(250, signal);
    samples = await daemon.delivered();
    if (performance.now() > deadlineMs) {
      throw new Error(
        `${samples} of ${wanted} samples were delivered in time; ${daemon.log().slice(-2_000)}`,
      );
    }
  }
  const { cpuMs, peakBytes } = processUsage(daemon.pid);
  return {
    samples,
    wallMs: Math.max(...receivers.map(({ lastAtMs }) => lastAtMs)) - startMs,
    cpuMs: cpuMs - startCpuMs,
    wholeCpuMs: cpuMs,
    storeCpuMs: processUsage(source.pid).cpuMs - storeBeforeMs,
    peakBytes,
    requests: receivers.reduce((sum, { requests }) => sum + requests, 0),
    wireBytes: receivers.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

/**
 * The cost of the store alone, from its first byte to its last: the same spans by the same requests, with the
 * responses only counted.
 */
export async function readRaw(
  source: { readonly url: string; readonly pid: number },
  backlog: Backlog,
  windowMs: number,
): Promise<{ wallMs: number; bytes: number; storeCpuMs: number }> {
  const storeBeforeMs = processUsage(source.pid).cpuMs;
  let startMs = 0;
  let bytes = 0;
  for (let fromMs = backlog.fromMs; fromMs < backlog.toMs; fromMs += windowMs) {
    const toMs = Math.min(fromMs + windowMs, backlog.toMs);
    const body = new URLSearchParams({
      "match[]": loadSelector,
      start: String((fromMs + 1) / 1_000),
      end: String(toMs / 1_000),
    });
    const response = await fetch(`${source.url}/api/v1/export`, {
      method: "POST",
      body,
      headers: { "accept-encoding": "identity" },
    });
    if (response.body === null || !response.ok) throw new Error(`export: ${response.status}`);
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      if (bytes === 0) startMs = performance.now();
      bytes += chunk.length;
    }
  }
  return {
    wallMs: performance.now() - startMs,
    bytes,
    storeCpuMs: processUsage(source.pid).cpuMs - storeBeforeMs,
  };
}
