import { expect, test } from "vitest";
import { windowExportDeps } from "../../../../test/support/sink/window-export-deps.ts";
import { samplesAt, seriesOf } from "../../../../test/support/store/series.ts";
import { type Clock, systemClock } from "../../../base/core/clock.ts";
import type { SampleReader } from "../../metrics-store/ports/sample-reader.ts";
import type { EncodedRequest } from "../../remote-write/encoding/request.ts";
import { readBody } from "../../remote-write/encoding/request-body.ts";
import { WriteRequestBuilder } from "../../remote-write/encoding/write-request.ts";
import type { Sender } from "../../remote-write/send/outcome.ts";
import { Interruption } from "../dispatch/interruption.ts";
import { exemplarLookBackMs, SentExemplars } from "../exemplars/sent-exemplars.ts";
import { SinkStates } from "../state/sink-states.ts";
import { WindowExport, type WindowResult } from "./window-export.ts";

const complete = {
  kind: "complete",
  series: 0,
  samples: 0,
  bytes: 0,
  durationMs: 1,
  invalidLines: 0,
} as const;

interface Parts {
  readonly state: SinkStates;
  readonly read: SampleReader["read"];
  readonly send?: Sender["send"];
  readonly newBuilder?: () => WriteRequestBuilder;
  readonly clock?: Clock;
  readonly maxSize?: number;
  readonly interruption?: Interruption;
}

/** A window whose predecessor is not closed yet. */
function windowOf({ state, read, clock = systemClock, ...parts }: Parts): WindowExport {
  const send = parts.send ?? (() => Promise.reject(new Error("nothing to send")));
  return new WindowExport(
    { fromMs: 10, toMs: 20, sources: ["a"], open: undefined },
    windowExportDeps({ maxSize: 10, ...parts, state, read, send, clock }),
    {
      isProbe: false,
      interruption: parts.interruption ?? new Interruption(),
      signal: new AbortController().signal,
    },
  );
}

function runOf(parts: Parts): Promise<WindowResult> {
  const window = windowOf(parts);
  window.progress.maySend();
  return window.run();
}

/** A state store with a checkpoint at the window's start. */
async function newState(): Promise<SinkStates> {
  const state = new SinkStates();
  await state.setCheckpoint("sink", "a", 10);
  return state;
}

test.each([
  { isClosed: true, kind: "closed", checkpointMs: 20 },
  { isClosed: false, kind: "unfinished", checkpointMs: 10 },
])(
  "a window without samples that is read ahead closes after its predecessor: $isClosed",
  async (expected) => {
    const state = await newState();
    const window = windowOf({ state, read: async () => complete });
    const result = window.run();
    await new Promise((resolve) => setImmediate(resolve));
    expect((await state.load("sink")).checkpoints.get("a")).toBe(10);
    if (expected.isClosed) window.progress.maySend();
    else window.progress.abandon();
    expect((await result).kind).toBe(expected.kind);
    expect((await state.load("sink")).checkpoints.get("a")).toBe(expected.checkpointMs);
  },
);

/** The system's clock, with a count of sleepers. */
class WatchedClock implements Clock {
  sleeping = 0;
  nowMs = systemClock.nowMs;
  monotonicMs = systemClock.monotonicMs;

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.sleeping++;
    try {
      await systemClock.sleep(ms, signal);
    } finally {
      this.sleeping--;
    }
  }
}

const series = seriesOf("up");
const delivered = { kind: "delivered", status: 204 } as const;

/** Fails as soon as it has to finish a body. */
class BrokenBuilder extends WriteRequestBuilder {
  override finish(): never {
    throw new Error("the encoder is broken");
  }
}

test.each<[string, Pick<Parts, "read" | "newBuilder">, string]>([
  [
    "the reader",
    {
      read: async (_, consumer) => {
        consumer.onSeries(series, samplesAt(11));
        throw new Error("the reader is broken");
      },
    },
    "the reader is broken",
  ],
  [
    "the encoder, at the end of the reading",
    {
      read: async (_, consumer) => {
        consumer.onSeries(series, samplesAt(11));
        return complete;
      },
      newBuilder: () => new BrokenBuilder(),
    },
    "the encoder is broken",
  ],
  [
    "the encoder, when the first sample has waited long enough",
    {
      read: async (_, consumer, signal) => {
        consumer.onSeries(series, samplesAt(11));
        await systemClock.sleep(10_000, signal);
        return complete;
      },
      newBuilder: () => new BrokenBuilder(),
    },
    "the encoder is broken",
  ],
])("a fault of %s ends the window and all that belongs to it", async (_, parts, message) => {
  const state = await newState();
  const clock = new WatchedClock();
  const sent: unknown[] = [];
  const send = async (request: unknown) => {
    sent.push(request);
    return delivered;
  };
  await expect(runOf({ state, clock, send, ...parts })).rejects.toThrow(message);
  expect(clock.sleeping).toBe(0);
  await systemClock.sleep(150, new AbortController().signal);
  expect(sent).toEqual([]);
  expect((await state.load("sink")).checkpoints.get("a")).toBe(10);
});

test.each([
  { why: "edit", sent: [], checkpointMs: 10 },
  { why: "stop", sent: [11], checkpointMs: 20 },
] as const)("after an interruption by $why, $sent is sent of the open batches", async (expected) => {
  const state = await newState();
  const interruption = new Interruption();
  const sent: number[] = [];
  const run = await runOf({
    state,
    interruption,
    read: async (_, consumer) => {
      consumer.onSeries(series, samplesAt(11));
      interruption.begin(expected.why);
      // The first one counts.
      interruption.begin(expected.why === "edit" ? "stop" : "edit");
      return complete;
    },
    send: async ({ minMs }) => {
      sent.push(minMs);
      return delivered;
    },
  });
  expect(run.kind).toBe("interrupted");
  expect(sent).toEqual(expected.sent);
  expect((await state.load("sink")).checkpoints.get("a")).toBe(expected.checkpointMs);
});

test("nothing is sent past a request whose sending failed of itself: the next run would skip its samples", async () => {
  const state = await newState();
  const sent: number[] = [];
  const run = runOf({
    state,
    maxSize: 1,
    read: async (_, consumer) => {
      consumer.onSeries(series, samplesAt(11, 12, 13));
      return complete;
    },
    send: async ({ minMs }) => {
      sent.push(minMs);
      if (minMs === 12) throw new Error("the sender is broken");
      return delivered;
    },
  });
  await expect(run).rejects.toThrow("the sender is broken");
  expect(sent).toEqual([11, 12]);
});

const exemplar = { labels: [{ name: "trace_id", value: "a" }], value: 1, timestampMs: 5 };

/** A source with a sample and an exemplar of one series; records the requests for exemplars. */
function readWithExemplars(asked: Array<number | undefined>): SampleReader["read"] {
  return async (request, consumer) => {
    asked.push(request.exemplarsFromMs);
    consumer.onExemplars?.(series, [exemplar]);
    consumer.onSeries(series, samplesAt(15));
    return { ...complete, samples: 1 };
  };
}

test.each([
  { outcome: { kind: "delivered", status: 204 }, kind: "closed", remembered: 1, counted: 1 },
  {
    outcome: { kind: "exhausted", reason: "connect", message: "down", responseLost: false },
    kind: "failed",
    remembered: 0,
    counted: 0,
  },
] as const)("exemplars go with samples, and count as sent once their window is $kind", async (expected) => {
  const sent: EncodedRequest[] = [];
  const asked: Array<number | undefined> = [];
  const deps = windowExportDeps({
    state: await newState(),
    read: readWithExemplars(asked),
    send: async (request) => {
      sent.push(request);
      return expected.outcome;
    },
    clock: systemClock,
    maxSize: 10,
  });
  const counted: number[] = [];
  deps.dispatcher.recorder.exemplars = (count) => counted.push(count);
  const exemplars = new SentExemplars();
  const run = new WindowExport(
    { fromMs: 10, toMs: 20, sources: ["a"], open: undefined },
    { ...deps, exemplars },
    { isProbe: false, interruption: new Interruption(), signal: new AbortController().signal },
  );
  run.progress.maySend();
  expect((await run.run()).kind).toBe(expected.kind);
  expect(asked).toEqual([10 - exemplarLookBackMs]);
  expect(sent.flatMap(readBody)).toMatchObject([{ exemplars: [exemplar] }]);
  expect(exemplars.size).toBe(expected.remembered);
  expect(counted).toEqual(expected.counted === 0 ? [] : [expected.counted]);
});

test("without the setting, no exemplars are asked for", async () => {
  const asked: Array<number | undefined> = [];
  const sent: EncodedRequest[] = [];
  const send: Sender["send"] = async (request) => {
    sent.push(request);
    return { kind: "delivered", status: 204 };
  };
  const result = await runOf({ state: await newState(), read: readWithExemplars(asked), send });
  expect(result.kind).toBe("closed");
  expect(asked).toEqual([undefined]);
  expect(sent.flatMap(readBody)).toMatchObject([{ exemplars: [] }]);
});
