import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { remoteRead } from "../../../../test/support/receiver/protocol.ts";
import {
  anyHistograms,
  anyLayout,
  encodeHistogram,
  encodeHistogramChunk,
  hints,
  messagesOf,
  plainHistogram,
  plainLayout,
} from "../../../../test/support/store/histograms.ts";
import {
  encodeChunkedResponse,
  encodeSamplesResponse,
  type ResponseChunk,
  type ResponseSeries,
} from "../../../../test/support/store/remote-read-response.ts";
import { type BitSample, encodeXor2Chunk, encodeXorChunk } from "../../../../test/support/store/xor-chunk.ts";
import type { SampleBuffer, Series } from "../../series/series.ts";
import type { SampleReceiver } from "../ports/scoped-reader.ts";
import type { Window } from "../ports/window.ts";
import { LabelCache } from "../samples/label-cache.ts";
import { MalformedMessage } from "./message-cursor.ts";
import { ReadResponseDecoder, type ReadResponseOptions } from "./read-response.ts";

const always: Window = { fromMs: Number.MIN_SAFE_INTEGER, toMs: Number.MAX_SAFE_INTEGER };

interface Passed {
  readonly labels: Record<string, string>;
  readonly samples?: BitSample[];
  readonly histograms?: Buffer[];
}

type OnSeries = (series: Series, samples: SampleBuffer) => undefined;

function decoderOf(
  window: Window = always,
  queries = 1,
  toRead: Pick<ReadResponseOptions, "setAside" | "only"> = {},
  receiver: (passOn: OnSeries) => SampleReceiver["onSeries"] = (passOn) => passOn,
) {
  const passed: Passed[] = [];
  const marks: boolean[] = [];
  const passOn = (series: Series, samples: SampleBuffer): undefined => {
    marks.push(samples.followsOtherKind);
    const labels = Object.fromEntries(series.labels.map(({ name, value }) => [name, value]));
    if (samples.histograms !== undefined) {
      passed.push({ labels, histograms: messagesOf(samples) });
      return;
    }
    passed.push({
      labels,
      samples: Array.from({ length: samples.length }, (_, index) => ({
        timestampMs: samples.timestampsMs[index]!,
        bits: samples.valueBytes.readBigUInt64LE(index * 8),
      })),
    });
  };
  const cache = new LabelCache(2 ** 24, { maxLabels: 20, maxValueBytes: 100 });
  const decoder = new ReadResponseDecoder({ cache, window, queries, ...toRead }, receiver(passOn));
  return { passed, marks, decoder };
}

function chunkOf(samples: readonly BitSample[], type: ResponseChunk["type"] = "XOR"): ResponseChunk {
  return {
    type,
    minTimeMs: samples[0]?.timestampMs ?? 0,
    maxTimeMs: samples.at(-1)?.timestampMs ?? 0,
    data: encodeXorChunk(samples),
  };
}

function every(stepMs: number, from: number, to: number): BitSample[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    timestampMs: (from + index) * stepMs,
    bits: BigInt(from + index),
  }));
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function decodeChunks(decoder: ReadResponseDecoder, query: number, series: readonly ResponseSeries[]): void {
  const message = encodeChunkedResponse(query, series);
  // Within larger bytes, like a frame.
  const bytes = Buffer.concat([Buffer.from("before"), message, Buffer.from("after")]);
  void decoder.chunked(bytes, viewOf(bytes), 6, 6 + message.length);
}

const labels = fc.dictionary(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }),
  { minKeys: 1, maxKeys: 5 },
);
const samples = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 10 ** 9 }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })), {
    minLength: 1,
    maxLength: 8,
  })
  .map((steps) => {
    let timestampMs = 0;
    return steps.map(([delta, bits]): BitSample => {
      timestampMs += delta;
      return { timestampMs, bits };
    });
  });
const anySeries = fc.array(fc.record({ labels, samples }), { maxLength: 5 });

/** Lets the receiver wait after some of the series, and checks that none is passed meanwhile. */
function waiting(decide: Iterator<boolean>, onSeries: OnSeries) {
  let isWaiting = false;
  return (series: Series, samples: SampleBuffer): Promise<void> | undefined => {
    expect(isWaiting).toBe(false);
    onSeries(series, samples);
    if (decide.next().value !== true) return undefined;
    isWaiting = true;
    return new Promise((resolve) => {
      setImmediate(() => {
        isWaiting = false;
        resolve();
      });
    });
  };
}

describe("what the reference encodes is decoded, bit for bit", () => {
  test("however long the receiver takes", async () => {
    await fc.assert(
      fc.asyncProperty(anySeries, fc.infiniteStream(fc.boolean()), async (list, decide) => {
        const { decoder, passed } = decoderOf(always, 1, {}, (onSeries) => waiting(decide, onSeries));
        const bytes = encodeChunkedResponse(
          0,
          list.map((one) => ({ labels: one.labels, chunks: [chunkOf(one.samples)] })),
        );
        const reused = Buffer.from(bytes);
        const decoded = decoder.chunked(reused, viewOf(reused), 0, reused.length);
        reused.fill(0xee);
        await decoded;
        expect(passed).toEqual(list);
        await decoder.sampled(encodeSamplesResponse([list]));
        expect(passed).toEqual([...list, ...list]);
      }),
    );
  });

  test("as chunks", () => {
    fc.assert(
      fc.property(anySeries, (list) => {
        const { decoder, passed } = decoderOf();
        decodeChunks(
          decoder,
          0,
          list.map((one) => ({ labels: one.labels, chunks: [chunkOf(one.samples)] })),
        );
        expect(passed).toEqual(list);
        expect(decoder.series).toBe(list.length);
      }),
    );
  });

  test("as samples", () => {
    fc.assert(
      fc.property(anySeries, (list) => {
        const { decoder, passed } = decoderOf();
        decoder.sampled(encodeSamplesResponse([list]));
        expect(passed).toEqual(list);
      }),
    );
  });
});

describe("chunks", () => {
  test("are whole; what is outside of the window is dropped to the millisecond", () => {
    const chunks = [chunkOf(every(1, 0, 99)), chunkOf(every(1, 100, 199))];
    for (const [fromMs, toMs] of [
      [49, 149],
      [99, 100],
      [0, 199],
      [198, 300],
    ] as const) {
      const { decoder, passed } = decoderOf({ fromMs, toMs });
      decodeChunks(decoder, 0, [{ labels: { a: "b" }, chunks }]);
      expect(passed).toEqual([{ labels: { a: "b" }, samples: every(1, fromMs + 1, Math.min(toMs, 199)) }]);
    }
  });

  test("with nothing in the window are no series", () => {
    const { decoder, passed } = decoderOf({ fromMs: 99, toMs: 200 });
    decodeChunks(decoder, 0, [{ labels: { a: "b" }, chunks: [chunkOf(every(1, 0, 99))] }]);
    expect(passed).toEqual([]);
    expect(decoder.series).toBe(0);
  });

  test("that are not in order are put in order", () => {
    const { decoder, passed } = decoderOf();
    decodeChunks(decoder, 0, [
      { labels: { a: "b" }, chunks: [chunkOf(every(1, 5, 9)), chunkOf(every(1, 0, 4))] },
    ]);
    expect(passed[0]?.samples).toEqual(every(1, 0, 9));
  });

  test("of XOR2 are decoded", () => {
    const { decoder, passed } = decoderOf();
    const points = every(15_000, 0, 9);
    decodeChunks(decoder, 0, [
      { labels: { a: "b" }, chunks: [{ ...chunkOf(points, "XOR2"), data: encodeXor2Chunk(points) }] },
    ]);
    expect(passed).toEqual([{ labels: { a: "b" }, samples: points }]);
  });

  test("that cannot be decoded are counted; the other ones of the series and other series are passed on", () => {
    const { decoder, passed } = decoderOf();
    const cut = { ...chunkOf(every(1, 0, 9)), data: encodeXorChunk(every(1, 0, 9)).subarray(0, -2) };
    decodeChunks(decoder, 0, [
      { labels: { a: "cut" }, chunks: [cut, chunkOf(every(1, 10, 19))] },
      { labels: { a: "whole" }, chunks: [chunkOf(every(1, 0, 9))] },
    ]);
    expect(passed).toEqual([
      { labels: { a: "cut" }, samples: every(1, 10, 19) },
      { labels: { a: "whole" }, samples: every(1, 0, 9) },
    ]);
    expect([...decoder.invalid]).toEqual([["malformed_chunk", 1]]);
  });
});

describe("chunks of an encoding that is not known", () => {
  const unknown = (from: number, to: number): ResponseChunk => ({ ...chunkOf(every(1, from, to)), type: 7 });

  test("set their series aside, from there on; what is passed on of both reads is everything, once", () => {
    const setAside = new Map<string, number>();
    const first = decoderOf(always, 1, { setAside });
    decodeChunks(first.decoder, 0, [{ labels: { a: "known" }, chunks: [chunkOf(every(1, 0, 9))] }]);
    decodeChunks(first.decoder, 0, [{ labels: { a: "mixed" }, chunks: [chunkOf(every(1, 0, 9))] }]);
    decodeChunks(first.decoder, 0, [
      { labels: { a: "mixed" }, chunks: [chunkOf(every(1, 10, 14)), unknown(15, 19)] },
    ]);
    decodeChunks(first.decoder, 0, [{ labels: { a: "mixed" }, chunks: [chunkOf(every(1, 20, 29))] }]);
    decodeChunks(first.decoder, 0, [{ labels: { a: "other" }, chunks: [unknown(0, 9)] }]);
    expect(first.decoder.invalid.size).toBe(0);

    const second = decoderOf(always, 1, { only: setAside });
    const whole = [
      { labels: { a: "known" }, samples: every(1, 0, 9) },
      { labels: { a: "mixed" }, samples: every(1, 0, 29) },
      { labels: { a: "other" }, samples: every(1, 0, 9) },
    ];
    second.decoder.sampled(encodeSamplesResponse([whole]));
    expect([...first.passed, ...second.passed]).toEqual([
      { labels: { a: "known" }, samples: every(1, 0, 9) },
      { labels: { a: "mixed" }, samples: every(1, 0, 9) },
      { labels: { a: "mixed" }, samples: every(1, 10, 29) },
      { labels: { a: "other" }, samples: every(1, 0, 9) },
    ]);
  });

  test("are counted where they come again; other chunks of the series are passed on", () => {
    const { decoder, passed } = decoderOf();
    decodeChunks(decoder, 0, [{ labels: { a: "b" }, chunks: [unknown(0, 9), chunkOf(every(1, 10, 19))] }]);
    expect(passed).toEqual([{ labels: { a: "b" }, samples: every(1, 10, 19) }]);
    expect([...decoder.invalid]).toEqual([["unknown_encoding", 1]]);
  });

  test("a series that two queries select is read again once", () => {
    const setAside = new Map<string, number>();
    const first = decoderOf(always, 2, { setAside });
    for (const query of [0, 1]) {
      decodeChunks(first.decoder, query, [{ labels: { a: "b" }, chunks: [unknown(0, 9)] }]);
    }
    const second = decoderOf(always, 2, { only: setAside });
    const series = { labels: { a: "b" }, samples: every(1, 0, 9) };
    second.decoder.sampled(encodeSamplesResponse([[series], [series]]));
    expect([...first.passed, ...second.passed]).toEqual([series]);
  });
});

describe("a series that several queries select", () => {
  const one = { labels: { a: "1" }, samples: every(1, 0, 1) };
  const two = { labels: { a: "2" }, samples: every(1, 0, 1) };
  const asChunks = ({ labels: of, samples: points }: typeof one) => ({
    labels: of,
    chunks: [chunkOf(points)],
  });

  test("is passed on once, and in all the frames of its query", () => {
    const { decoder, passed } = decoderOf(always, 2);
    decodeChunks(decoder, 0, [asChunks(one)]);
    decodeChunks(decoder, 0, [asChunks({ ...one, samples: every(1, 2, 3) })]);
    decodeChunks(decoder, 1, [asChunks(one), asChunks(two)]);
    expect(passed).toEqual([one, { ...one, samples: every(1, 2, 3) }, two]);
  });

  test("of samples", () => {
    const { decoder, passed } = decoderOf(always, 2);
    decoder.sampled(encodeSamplesResponse([[one], [one, two]]));
    expect(passed).toEqual([one, two]);
  });
});

describe("native histograms", () => {
  const message = (timestampMs: number, hint: number) =>
    encodeHistogram(plainLayout, plainHistogram(timestampMs), hint);
  const chunk = (times: readonly number[], type: ResponseChunk["type"] = "HISTOGRAM"): ResponseChunk => ({
    ...{ type, minTimeMs: times[0] ?? 0, maxTimeMs: times.at(-1) ?? 0 },
    data: encodeHistogramChunk(plainLayout, times.map(plainHistogram), {
      hasStarts: type === "HISTOGRAM_ST",
    }),
  });
  const { unknown, no } = hints;

  test.each(["HISTOGRAM", "HISTOGRAM_ST"] as const)("of chunks of type %s, in the window", (type) => {
    const { decoder, passed } = decoderOf({ fromMs: 1, toMs: 3 });
    decodeChunks(decoder, 0, [{ labels: { a: "b" }, chunks: [chunk([1, 2, 3, 4], type)] }]);
    expect(passed).toEqual([{ labels: { a: "b" }, histograms: [message(2, no), message(3, no)] }]);
    expect(decoder).toMatchObject({ series: 1, samples: 2 });
  });

  test("of samples, in the window, without fields that are not known", () => {
    const { decoder, passed } = decoderOf({ fromMs: 1, toMs: 3 });
    const unknownField = Buffer.from([0x98, 0x06, 0x01]);
    const histograms = [1, 2, 4].map((ms) => Buffer.concat([message(ms, no), unknownField]));
    decoder.sampled(encodeSamplesResponse([[{ labels: { a: "b" }, samples: [], histograms }]]));
    expect(passed).toEqual([{ labels: { a: "b" }, histograms: [message(2, no)] }]);
  });

  test("of chunks that overlap are put in order, and compare with no preceding one", () => {
    const { decoder, passed } = decoderOf();
    decodeChunks(decoder, 0, [{ labels: { a: "b" }, chunks: [chunk([1, 3]), chunk([2, 4])] }]);
    const hintOf = (histogram: Buffer) => remoteRead.Histogram.decode(histogram).resetHint;
    expect(passed[0]?.histograms?.map(timeOf)).toEqual([1, 2, 3, 4]);
    expect(passed[0]?.histograms?.map(hintOf)).toEqual([unknown, unknown, unknown, unknown]);
  });

  test("and numbers of one series are passed on in runs, in time order", () => {
    const { decoder, passed } = decoderOf();
    const numbers = [chunkOf(every(1, 1, 2)), chunkOf(every(1, 5, 7))];
    decodeChunks(decoder, 0, [{ labels: { a: "b" }, chunks: [...numbers, chunk([3, 4, 6, 8])] }]);
    const shown = passed.map(({ samples, histograms }) =>
      histograms === undefined
        ? samples?.map(({ timestampMs }) => timestampMs)
        : ["histograms", ...histograms.map(timeOf)],
    );
    // Of the two at 6, the histogram.
    expect(shown).toEqual([[1, 2], ["histograms", 3, 4], [5], ["histograms", 6], [7], ["histograms", 8]]);
  });

  test("of integers and of floats are passed on in runs, each marked as another kind than the one before", () => {
    const floats = [3, 4].map((ms) => ({ ...plainHistogram(ms), kind: "float" as const }));
    const data = encodeHistogramChunk(plainLayout, floats);
    const ofFloats: ResponseChunk = { type: "FLOAT_HISTOGRAM", minTimeMs: 3, maxTimeMs: 4, data };
    const { decoder, passed, marks } = decoderOf();
    decodeChunks(decoder, 0, [{ labels: { a: "b" }, chunks: [chunk([1, 2]), ofFloats] }]);
    decodeChunks(decoder, 0, [{ labels: { a: "b" }, chunks: [chunk([5])] }]);
    decodeChunks(decoder, 0, [{ labels: { a: "c" }, chunks: [chunkOf(every(1, 0, 1))] }]);
    decodeChunks(decoder, 0, [{ labels: { a: "c" }, chunks: [chunkOf(every(1, 2, 3))] }]);
    expect(passed.slice(0, 3).map(({ histograms }) => histograms?.map(timeOf))).toEqual([
      [1, 2],
      [3, 4],
      [5],
    ]);
    expect(marks).toEqual([false, true, true, false, false]);
  });

  test("of a chunk that cannot be decoded are counted; others are passed on", () => {
    const { decoder, passed } = decoderOf();
    const cut = { ...chunk([1, 2]), data: chunk([1, 2]).data.subarray(0, -1) };
    decodeChunks(decoder, 0, [{ labels: { a: "b" }, chunks: [cut, chunk([3])] }]);
    expect(passed).toEqual([{ labels: { a: "b" }, histograms: [message(3, unknown)] }]);
    expect([...decoder.invalid]).toEqual([["malformed_chunk", 1]]);
  });

  test("of samples whose fields are not in order are malformed", async () => {
    const { decoder } = decoderOf();
    const histogram = Buffer.concat([Buffer.from([0x78, 0x01]), message(1, no)]);
    const body = encodeSamplesResponse([[{ labels: { a: "b" }, samples: [], histograms: [histogram] }]]);
    await expect(decoder.sampled(body)).rejects.toThrow(MalformedMessage);
  });

  test("any of samples are passed on byte for byte", () => {
    const any = anyLayout.chain((layout) =>
      fc
        .constantFrom("integer" as const, "float" as const)
        .chain((kind) =>
          anyHistograms(layout, kind).map((list) => list.map((one) => encodeHistogram(layout, one, unknown))),
        ),
    );
    fc.assert(
      fc.property(any, (histograms) => {
        const { decoder, passed } = decoderOf();
        decoder.sampled(encodeSamplesResponse([[{ labels: { a: "b" }, samples: [], histograms }]]));
        expect(passed).toEqual([{ labels: { a: "b" }, histograms }]);
      }),
    );
  });

  function timeOf(histogram: Buffer): number {
    return Number(remoteRead.Histogram.decode(histogram).timestamp);
  }
});

test("labels beyond the limits are invalid, empty ones are none, order is ours", () => {
  const { decoder, passed } = decoderOf();
  const chunks = [chunkOf(every(1, 0, 0))];
  const many = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`l${index}`, "x"]));
  decodeChunks(decoder, 0, [
    { labels: many, chunks },
    { labels: { a: "x".repeat(101) }, chunks },
    { labels: { z: "1", empty: "", a: "2" }, chunks },
  ]);
  expect([...decoder.invalid]).toEqual([
    ["too_many_labels", 1],
    ["label_value_too_long", 1],
  ]);
  expect(passed.map((series) => JSON.stringify(series.labels))).toEqual(['{"a":"2","z":"1"}']);
});

test.each([
  ["plain", Buffer.from("@@@@"), true],
  ["beyond ASCII", Buffer.from("\u{1F600}"), true],
  ["U+FFFD itself", Buffer.from("\uFFFD@"), true],
  ["bytes that are no UTF-8", Buffer.from([0x40, 0xff, 0xfe, 0x40]), false],
])("labels whose value is %s", (_, value, isUtf8) => {
  for (const written of [{ a: "@@@@" }, { "@@@@": "a" }]) {
    const message = encodeChunkedResponse(0, [{ labels: written, chunks: [chunkOf(every(1, 0, 0))] }]);
    value.copy(message, message.indexOf("@@@@"));
    const seen: boolean[] = [];
    const decoder = new ReadResponseDecoder(
      { cache: new LabelCache(2 ** 24), window: always, queries: 1 },
      (series) => {
        seen.push(series.isUtf8);
        return undefined;
      },
    );
    void decoder.chunked(message, viewOf(message), 0, message.length);
    expect(seen).toEqual([isUtf8]);
  }
});

test("anything is decoded or invalid, and nothing else is thrown", async () => {
  const whole = encodeChunkedResponse(0, [{ labels: { a: "b" }, chunks: [chunkOf(every(15_000, 0, 20))] }]);
  const damaged = fc
    .array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const bytes = Buffer.from(whole);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes;
    });
  const anyBytes = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
  await fc.assert(
    fc.asyncProperty(fc.oneof(damaged, anyBytes), async (bytes) => {
      for (const decode of [
        (decoder: ReadResponseDecoder) => decoder.chunked(bytes, viewOf(bytes), 0, bytes.length),
        (decoder: ReadResponseDecoder) => decoder.sampled(bytes),
      ]) {
        try {
          await decode(decoderOf().decoder);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedMessage);
        }
      }
    }),
    { numRuns: 300 },
  );
});
