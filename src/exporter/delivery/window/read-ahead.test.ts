import { beforeEach, expect, test } from "vitest";
import { windowExportDeps } from "../../../../test/support/sink/window-export-deps.ts";
import { samplesAt, seriesOf } from "../../../../test/support/store/series.ts";
import { type Clock, systemClock } from "../../../base/core/clock.ts";
import { Deferred } from "../../../base/core/deferred.ts";
import type { ReadConsumer, ReadOutcome } from "../../metrics-store/ports/sample-reader.ts";
import type { Outcome } from "../../remote-write/send/outcome.ts";
import { Interruption } from "../dispatch/interruption.ts";
import type { WindowCost } from "../plan/next-window.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import { SinkStates } from "../state/sink-states.ts";
import { ReadAhead } from "./read-ahead.ts";
import type { WindowResult } from "./window-export.ts";

const readMs = 1;
const never = new AbortController().signal;

/** A read of the store, controlled by the test. */
class FakeRead {
  readonly fromMs: number;
  readonly signal: AbortSignal;
  readonly outcome = new Deferred<ReadOutcome>();
  readonly #consumer: ReadConsumer;
  #samples = 0;

  constructor(fromMs: number, consumer: ReadConsumer, signal: AbortSignal) {
    this.fromMs = fromMs;
    this.#consumer = consumer;
    this.signal = signal;
    signal.addEventListener("abort", () => this.outcome.resolve({ kind: "detached" }));
  }

  /** Passes on the next sample, which is a batch of its own. */
  pass(): void {
    this.#consumer.onSeries(seriesOf("up"), samplesAt(this.fromMs + ++this.#samples));
  }

  end(): void {
    const samples = this.#samples;
    this.outcome.resolve({
      kind: "complete",
      series: 1,
      samples,
      bytes: 0,
      durationMs: readMs,
      invalidLines: 0,
    });
  }
}

interface FakeRequest {
  readonly minMs: number;
  readonly outcome: Deferred<Outcome>;
}

const groupAt = (fromMs: number): PlannedWindow => ({
  fromMs,
  toMs: fromMs + 10,
  sources: ["a"],
  open: undefined,
});
const delivered: Outcome = { kind: "delivered", status: 204 };
/** Runs everything that is not blocked. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

let nowMs: number;
let reads: FakeRead[];
let requests: FakeRequest[];
let costs: WindowCost[];
let after: (group: PlannedWindow) => Promise<PlannedWindow | undefined>;
let readAhead: ReadAhead;

const clock: Clock = { ...systemClock, monotonicMs: () => nowMs };
const run = (group: PlannedWindow): Promise<WindowResult> =>
  readAhead.run(group, { isProbe: false, failed: new Set() });
const readFrom = () => reads.map(({ fromMs }) => fromMs);
const sentFrom = () => requests.map(({ minMs }) => minMs);

async function respond(outcome = delivered): Promise<void> {
  requests.at(-1)?.outcome.resolve(outcome);
  await turn();
}

beforeEach(async () => {
  nowMs = 0;
  reads = [];
  requests = [];
  costs = [];
  after = async ({ toMs }) => groupAt(toMs);
  const state = new SinkStates();
  await state.setCheckpoint("sink", "a", 0);
  const deps = windowExportDeps({
    state,
    clock,
    maxSize: 1,
    read: ({ window }, consumer, signal) => {
      const read = new FakeRead(window.fromMs, consumer, signal);
      reads.push(read);
      return read.outcome.promise;
    },
    send: ({ minMs }) => {
      const outcome = new Deferred<Outcome>();
      requests.push({ minMs, outcome });
      return outcome.promise;
    },
  });
  const planner = {
    after: (group: PlannedWindow) => after(group),
    adapt: (cost: WindowCost) => void costs.push(cost),
  };
  readAhead = new ReadAhead(planner, deps, { interruption: new Interruption(), signal: never });
});

test("the next window is read when the last requests of one are on their way, and goes when that is closed", async () => {
  const first = run(groupAt(0));
  await turn();
  for (let sample = 0; sample < 4; sample++) reads[0]?.pass();
  reads[0]?.end();
  await turn();
  nowMs += 2 * readMs;
  expect(costs.map(({ samples }) => samples)).toEqual([4]);
  await respond();
  expect([readFrom(), sentFrom()]).toEqual([[0], [1, 2]]);
  await respond();
  expect([readFrom(), sentFrom()]).toEqual([
    [0, 10],
    [1, 2, 3],
  ]);
  reads[1]?.pass();
  reads[1]?.end();
  await respond();
  await respond();
  expect((await first).kind).toBe("closed");
  const ahead = await readAhead.ahead();
  expect(ahead).toEqual(groupAt(10));
  expect(sentFrom()).toEqual([1, 2, 3, 4]);
  const second = run(ahead!);
  await turn();
  expect(sentFrom()).toEqual([1, 2, 3, 4, 11]);
  await respond();
  expect((await second).kind).toBe("closed");
});

test("while the receiver keeps up, the next window is read with the first samples of one, but never two of them", async () => {
  const first = run(groupAt(0));
  await turn();
  reads[0]?.pass();
  reads[0]?.end();
  await turn();
  // The second one gets its first samples before its turn.
  reads[1]?.pass();
  await turn();
  expect(readFrom()).toEqual([0, 10]);
  await respond();
  await first;
  const second = run((await readAhead.ahead())!);
  await turn();
  expect([readFrom(), sentFrom()]).toEqual([
    [0, 10, 20],
    [1, 11],
  ]);
  reads[1]?.end();
  await respond();
  await second;
  // And a third that has none yet.
  const third = run((await readAhead.ahead())!);
  await turn();
  expect(readFrom()).toEqual([0, 10, 20]);
  reads[2]?.pass();
  await turn();
  expect(readFrom()).toEqual([0, 10, 20, 30]);
  for (let sample = 0; sample < 3; sample++) reads[2]?.pass();
  reads[2]?.end();
  await turn();
  nowMs += 2 * readMs;
  for (let request = 0; request < 4; request++) await respond();
  await third;
  // It has not kept up: no further read-ahead.
  const fourth = run((await readAhead.ahead())!);
  reads[3]?.pass();
  await turn();
  expect(readFrom()).toEqual([0, 10, 20, 30]);
  reads[3]?.end();
  await respond();
  await fourth;
  await readAhead.giveUp();
});

test("what is read ahead is dropped without being sent", async () => {
  const first = run(groupAt(0));
  await turn();
  reads[0]?.pass();
  reads[0]?.end();
  await turn();
  reads[1]?.pass();
  await respond({ kind: "suspended", status: 401, message: "401", responseLost: false });
  expect((await first).kind).toBe("failed");
  expect(reads[1]?.signal.aborted).toBe(true);
  expect(sentFrom()).toEqual([1]);
  await readAhead.giveUp();
  expect(await readAhead.ahead()).toBeUndefined();
  await readAhead.giveUp();
  const again = run(groupAt(0));
  await turn();
  expect(readFrom()).toEqual([0, 10, 0]);
  reads[2]?.end();
  await again;
  await readAhead.giveUp();
});

test.each([
  { name: "the store has nothing new", next: async () => undefined },
  { name: "the state store fails", next: () => Promise.reject(new Error("no lease")) },
])("no window is read ahead where $name", async ({ next }) => {
  after = next;
  const first = run(groupAt(0));
  await turn();
  reads[0]?.end();
  expect((await first).kind).toBe("closed");
  expect(await readAhead.ahead()).toBeUndefined();
  expect(readFrom()).toEqual([0]);
});

test("a window that breaks while it is read ahead is reported when it is its turn", async () => {
  const first = run(groupAt(0));
  await turn();
  reads[0]?.end();
  expect((await first).kind).toBe("closed");
  const ahead = await readAhead.ahead();
  reads[1]?.outcome.resolve(Promise.reject(new Error("broken")) as never);
  await turn();
  await expect(run(ahead!)).rejects.toThrow("broken");
  expect(await readAhead.ahead()).toBeUndefined();
});
