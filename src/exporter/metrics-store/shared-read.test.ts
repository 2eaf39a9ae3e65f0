import { expect, test } from "vitest";
import { spendTurn } from "../../base/core/turn-work.ts";
import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { SampleBuffer, Series } from "../series/series.ts";
import type { ReadConsumer, ReadHandle } from "./ports/sample-reader.ts";
import { SharedRead } from "./shared-read.ts";

const forever = new AbortController().signal;
const series = new Series([]);
const samples = new SampleBuffer();
const complete = {
  kind: "complete",
  series: 1,
  samples: 1,
  bytes: 1,
  durationMs: 1,
  invalidLines: 0,
} as const;

class Counting implements ReadConsumer {
  seen = 0;
  handle: ReadHandle | undefined;

  onAttached(handle: ReadHandle): void {
    this.handle = handle;
  }

  onSeries(): void {
    this.seen++;
  }
}

test("all consumers get every series and the one outcome", async () => {
  const shared = new SharedRead(yieldToEventLoop);
  const consumers = [new Counting(), new Counting()];
  const outcomes = consumers.map((consumer) => shared.attach(consumer, forever));
  void shared.onSeries(series, samples);
  void shared.onSeries(series, samples);
  shared.end(complete);
  expect(await Promise.all(outcomes)).toEqual([complete, complete]);
  expect(consumers.map(({ seen }) => seen)).toEqual([2, 2]);
  expect(shared.signal.aborted).toBe(false);
});

test("the read is abandoned when the last has left, not before; each leaves in its own way", async () => {
  const shared = new SharedRead(yieldToEventLoop);
  const [first, second, third] = [new Counting(), new Counting(), new Counting()];
  const abort = new AbortController();
  const outcomes = [
    shared.attach(first, forever),
    shared.attach(second, abort.signal),
    shared.attach(third, forever),
  ];
  first.handle?.detach();
  first.handle?.detach();
  void shared.onSeries(series, samples);
  abort.abort(new Error("stopped"));
  void shared.onSeries(series, samples);
  expect(shared.signal.aborted).toBe(false);
  third.onSeries = () => third.handle?.detach();
  void shared.onSeries(series, samples);
  expect(shared.signal.aborted).toBe(true);
  expect(await outcomes[0]).toEqual({ kind: "detached" });
  await expect(outcomes[1]).rejects.toThrow("stopped");
  expect(await outcomes[2]).toEqual({ kind: "detached" });
  expect([first.seen, second.seen, third.seen]).toEqual([0, 1, 2]);
});

test("one that throws gets its error, the others go on", async () => {
  const shared = new SharedRead(yieldToEventLoop);
  const throwing: ReadConsumer = {
    onSeries() {
      throw new Error("full");
    },
  };
  const counting = new Counting();
  const failed = shared.attach(throwing, forever);
  const outcome = shared.attach(counting, forever);
  void shared.onSeries(series, samples);
  void shared.onSeries(series, samples);
  shared.end(complete);
  await expect(failed).rejects.toThrow("full");
  expect(await outcome).toEqual(complete);
  expect(counting.seen).toBe(2);
});

test("a fault of the program reaches all", async () => {
  const shared = new SharedRead(yieldToEventLoop);
  const outcomes = [shared.attach(new Counting(), forever), shared.attach(new Counting(), forever)];
  shared.fail(new Error("fault"));
  for (const outcome of outcomes) await expect(outcome).rejects.toThrow("fault");
});

test("consumers that take long are served in several turns of the event loop, each once", async () => {
  const shared = new SharedRead(yieldToEventLoop);
  const consumers = Array.from({ length: 20 }, () => new Counting());
  for (const consumer of consumers) {
    consumer.onSeries = () => {
      consumer.seen++;
      spendTurn(2);
    };
    void shared.attach(consumer, forever);
  }
  const served = () => consumers.reduce((sum, { seen }) => sum + seen, 0);
  const servedAtTurn: number[] = [];
  let isOver = false;
  const watch = () => {
    servedAtTurn.push(served());
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  await shared.onSeries(series, samples);
  isOver = true;
  expect(consumers.map(({ seen }) => seen)).toEqual(Array(20).fill(1));
  const inTurn = servedAtTurn.map((count, index) => count - (servedAtTurn[index - 1] ?? 0));
  expect(Math.max(...inTurn)).toBeLessThanOrEqual(3);
});

test("a read does not wait since another has used its time of the same turn", async () => {
  const [costly, cheap] = [new SharedRead(yieldToEventLoop), new SharedRead(yieldToEventLoop)];
  void costly.attach({ onSeries: () => spendTurn(10) }, forever);
  void cheap.attach(new Counting(), forever);
  const waiting = costly.onSeries(series, samples);
  expect([waiting, cheap.onSeries(series, samples)]).toEqual([expect.any(Promise), undefined]);
  await waiting;
});
