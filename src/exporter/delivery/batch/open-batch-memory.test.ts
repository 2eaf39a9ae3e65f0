import { setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import { sinkStore } from "../../../../test/support/sink/sink-store.ts";
import { systemClock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import type { ReadConsumer, ReadOutcome, SampleReader } from "../../metrics-store/ports/sample-reader.ts";
import { type Protocol, seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import { WriteRequestBuilder } from "../../remote-write/encoding/write-request.ts";
import { WriteRequestV2Builder } from "../../remote-write/encoding/write-request-v2.ts";
import { EndpointState } from "../../remote-write/endpoint/endpoint-state.ts";
import type { Sender } from "../../remote-write/send/outcome.ts";
import { SampleBuffer, Series } from "../../series/series.ts";
import { Interruption } from "../dispatch/interruption.ts";
import { Exporter, type ExporterDeps } from "../exporter.ts";
import { SinkStates } from "../state/sink-states.ts";
import { MemoryBudget } from "./memory-budget.ts";

const sinkCount = 40;
const partitionCount = 4;
const seriesCount = 3_000;
const samplesEach = 20;
const seriesOfChunk = 50;
const never = new AbortController().signal;
// Forty sinks listen to it.
setMaxListeners(0, never);

/**
 * One read shared by all sinks, and a second source that is never read, so that batches of the first stay
 * open.
 */
class SharedReader implements SampleReader {
  reads = 0;
  readonly #consumers: ReadConsumer[] = [];
  readonly #onChunk: () => void;
  #reading: Promise<void> | undefined;

  constructor(onChunk: () => void) {
    this.#onChunk = onChunk;
  }

  storeNowMs(): number {
    return 1_000_000;
  }

  async read(_: unknown, consumer: ReadConsumer): Promise<ReadOutcome> {
    this.reads++;
    this.#consumers.push(consumer);
    this.#reading ??= this.#readAll();
    await this.#reading;
    const samples = seriesCount * samplesEach;
    return { kind: "complete", series: seriesCount, samples, bytes: 0, durationMs: 1, invalidLines: 0 };
  }

  async #readAll(): Promise<void> {
    // All of them request it before it begins.
    await new Promise(setImmediate);
    const buffer = new SampleBuffer();
    buffer.reserve(samplesEach);
    for (let index = 0; index < samplesEach; index++) {
      buffer.timestampsMs[index] = 500_000 + index * 1_000;
      buffer.values[index] = Math.sin(index);
    }
    buffer.length = samplesEach;
    for (let number = 0; number < seriesCount; number++) {
      const series = new Series([
        { name: "__name__", value: "draft_memory" },
        { name: "number", value: String(number) },
      ]);
      for (const consumer of this.#consumers) consumer.onSeries(series, buffer);
      if (number % seriesOfChunk < seriesOfChunk - 1) continue;
      this.#onChunk();
      await new Promise(setImmediate);
    }
  }
}

/** @returns the budget's maximum use at the end of a chunk, and the number of samples sent for each sink */
async function run(limitBytes: number, protocol: Protocol) {
  const budget = new MemoryBudget(limitBytes);
  let mostBytes = 0;
  let made = 0;
  let mostMade = 0;
  const reader = new SharedReader(() => {
    mostBytes = Math.max(mostBytes, budget.usedBytes);
    mostMade = Math.max(mostMade, made);
  });
  const sent = new Array<number>(sinkCount).fill(0);
  const exporters = sent.map((_, index) => {
    const sender: Sender = {
      close: async () => undefined,
      send: async ({ sampleCount }) => {
        sent[index] = (sent[index] ?? 0) + sampleCount;
        return { kind: "delivered", status: 204 };
      },
    };
    const deps: ExporterDeps = {
      storeOf: () => sinkStore(reader),
      rejected: { add: async () => undefined },
      state: new SinkStates(),
      budget,
      settings: {
        intervalMs: 15_000,
        delayMs: 0,
        expressionDelayMs: 0,
        windowGridMs: 1,
        maxWindowMs: 1_000_000,
        maxBackfillMs: Infinity,
        startFromMs: 1_000_000,
        partitionCount,
        onExhausted: "replay",
      },
      clock: systemClock,
      random: () => 0,
      log: silentLogger,
      tenantOf: () => undefined,
      destinationOf: () => ({
        kind: "destination",
        sender,
        state: new EndpointState(protocol),
        encoder: () => seriesEncoderFor({ externalLabels: {}, dropLabels: [], protocol }),
        newBuilder: (onCapacity) => {
          // The memory actually held, regardless of the budget.
          const listen = (bytes: number) => {
            made += bytes;
            onCapacity?.(bytes);
          };
          return protocol === "1.0"
            ? new WriteRequestBuilder(listen)
            : new WriteRequestV2Builder(undefined, listen);
        },
      }),
    };
    const plan = {
      policy: { plane: "directory", namespace: "default", name: `export-${index}`, uid: "-" },
      generation: 1,
      name: "sink",
      sources: [{ name: "source", metricsql: "up" }],
      endpoint: "http://127.0.0.1/write",
      batch: { timeoutMs: 60_000, maxSize: 100_000, maxBytes: 2 ** 23 },
      retry: { maxAttempts: 1, backoffMs: 1 },
      paused: false,
    };
    return new Exporter(plan, deps);
  });
  await Promise.all(exporters.map((exporter) => exporter.cycle(new Interruption(), never)));
  for (const exporter of exporters) await exporter.close();
  return { budget, mostBytes, mostMade, sent, reads: reader.reads };
}

test.each<[Protocol]>([["1.0"], ["2.0"]])(
  "%s: requests in the making are bounded: smaller ones are sent, each sample once, with one reading",
  async (protocol) => {
    const roomy = await run(2 ** 30, protocol);
    // Without a limit each sink makes a single request.
    expect(roomy.mostMade).toBeGreaterThan(sinkCount * 2 ** 20 * 0.8);
    const limitBytes = 16 * 2 ** 20;
    const tight = await run(limitBytes, protocol);
    expect(tight.mostBytes).toBeLessThan(limitBytes);
    expect(tight.mostMade).toBeLessThan(limitBytes);
    for (const { sent, reads, budget } of [roomy, tight]) {
      expect(reads).toBe(sinkCount);
      expect(sent).toEqual(sent.map(() => seriesCount * samplesEach));
      expect(budget.usedBytes).toBe(0);
    }
  },
);
