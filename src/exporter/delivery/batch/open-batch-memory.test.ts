import { setMaxListeners } from "node:events";
import { expect, test } from "vitest";
import { builderOf, plainShape } from "../../../../test/support/receiver/encoded.ts";
import { destinationWith, exporterDeps, sinkPlan } from "../../../../test/support/sink/exporter-deps.ts";
import { sinkStore } from "../../../../test/support/sink/sink-store.ts";
import { bufferOf, seriesOf } from "../../../../test/support/store/series.ts";
import type { ReadConsumer, ReadOutcome, SampleReader } from "../../metrics-store/ports/sample-reader.ts";
import { type Protocol, seriesEncoderFor } from "../../remote-write/encoding/labels.ts";
import { EndpointState } from "../../remote-write/endpoint/endpoint-state.ts";
import type { Sender } from "../../remote-write/send/outcome.ts";
import { Interruption } from "../dispatch/interruption.ts";
import { Exporter } from "../exporter.ts";
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
    const buffer = bufferOf(
      Array.from({ length: samplesEach }, (_, index) => [500_000 + index * 1_000, Math.sin(index)]),
    );
    for (let number = 0; number < seriesCount; number++) {
      const series = seriesOf({ __name__: "draft_memory", number: String(number) });
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
    const send: Sender["send"] = async ({ sampleCount }) => {
      sent[index] = (sent[index] ?? 0) + sampleCount;
      return { kind: "delivered", status: 204 };
    };
    const deps = exporterDeps({
      store: sinkStore(reader),
      budget,
      settings: { intervalMs: 15_000, maxWindowMs: 1_000_000, startFromMs: 1_000_000, partitionCount },
      destinationOf: () =>
        destinationWith(send, {
          state: new EndpointState(protocol),
          encoder: () => seriesEncoderFor({ ...plainShape, protocol }),
          // The memory actually held, regardless of the budget.
          newBuilder: (onCapacity) =>
            builderOf(protocol, (bytes) => {
              made += bytes;
              onCapacity?.(bytes);
            }),
        }),
    });
    const plan = sinkPlan({
      policy: { plane: "directory", namespace: "default", name: `export-${index}`, uid: "-" },
      batch: { timeoutMs: 60_000, maxSize: 100_000, maxBytes: 2 ** 23 },
    });
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
