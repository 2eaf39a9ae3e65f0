import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyOf, encodedOf, requestOf } from "../../../../test/support/receiver/encoded.ts";
import { remoteWrite1 } from "../../../../test/support/receiver/protocol.ts";
import { bufferOf, seriesOf } from "../../../../test/support/store/series.ts";
import { type Label, SampleBuffer, Series } from "../../series/series.ts";
import { staleNanHigh, staleNanLow } from "../../series/stale-marker.ts";
import { WriteRequestBuilder } from "./write-request.ts";

interface TestSeries {
  readonly labels: Label[];
  readonly samples: { timestamp: number; value: number }[];
}

function build(list: readonly TestSeries[], builder = new WriteRequestBuilder()) {
  const parts = list.map(
    (one) =>
      [
        new Series(one.labels),
        bufferOf(one.samples.map((sample) => [sample.timestamp, sample.value])),
      ] as const,
  );
  return requestOf(parts, "1.0", builder);
}

const usualTimestamp = fc.integer({ min: 2 ** 35 - 10, max: 2 ** 42 + 10 });
const timestamp = fc.oneof({ weight: 5, arbitrary: usualTimestamp }, fc.maxSafeInteger(), fc.constant(0));
const value = fc.oneof(fc.double({ noNaN: true }), fc.constantFrom(0, -0, 1, Infinity, -Infinity, 5e-324));
const samples = fc
  .array(fc.record({ timestamp, value }), { minLength: 1, maxLength: 40 })
  .map((list) => list.sort((a, b) => a.timestamp - b.timestamp));
const name = fc.stringMatching(/^[a-z_]{1,150}$/);
const labels = fc
  .uniqueArray(fc.record({ name, value: fc.string({ unit: "grapheme", minLength: 1, maxLength: 200 }) }), {
    selector: (one) => one.name,
    maxLength: 8,
  })
  .map((list) => [...list.filter((one) => one.name !== "__name__"), { name: "__name__", value: "up" }])
  .map((list) => list.sort((a, b) => (a.name < b.name ? -1 : 1)));
const requests = fc.array(fc.record({ labels, samples }), { maxLength: 12 });

test("the body is, byte for byte, what the generated encoder writes", () => {
  const builder = new WriteRequestBuilder();
  fc.assert(
    fc.property(requests, (timeseries) => {
      const request = build(timeseries, builder);
      const body = bodyOf(request);
      expect(body.equals(remoteWrite1.WriteRequest.encode({ timeseries }).finish())).toBe(true);
      const times = timeseries.flatMap((one) => one.samples.map((sample) => sample.timestamp));
      expect(request).toMatchObject({
        protocol: "1.0",
        seriesCount: timeseries.length,
        sampleCount: times.length,
        minMs: times.reduce((a, b) => Math.min(a, b), Infinity),
        maxMs: times.reduce((a, b) => Math.max(a, b), -Infinity),
      });
    }),
  );
});

test("every bit pattern of a value arrives, NaNs included", () => {
  const bits = fc.oneof(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.constant(0x7ff0000000000002n));
  fc.assert(
    fc.property(fc.array(bits, { minLength: 1 }), (patterns) => {
      const buffer = new SampleBuffer();
      buffer.reserve(patterns.length);
      for (const [index, pattern] of patterns.entries()) {
        buffer.timestampsMs[index] = 1_700_000_000_000 + index;
        buffer.setBits(index, Number(pattern >> 32n), Number(pattern & 0xffffffffn));
      }
      const builder = new WriteRequestBuilder();
      builder.append(encodedOf(seriesOf("up")), buffer, 0, patterns.length);
      const body = bodyOf(builder.finish());
      expect(valueBits(body)).toEqual(patterns);
    }),
  );
});

/** Reads the values of a body with one series as bits, which decoding to numbers may not preserve. */
function valueBits(body: Buffer): bigint[] {
  const found: bigint[] = [];
  const timestampBytes = 7;
  for (let at = body.indexOf(0x12, body.indexOf("up")); at < body.length; ) {
    const length = body[at + 1] ?? 0;
    found.push(length === timestampBytes ? 0n : body.readBigUInt64LE(at + 3));
    at += 2 + length;
  }
  return found;
}

test("a stale marker keeps its meaning", () => {
  const buffer = new SampleBuffer();
  buffer.timestampsMs[0] = 1_700_000_000_000;
  buffer.setStale(0);
  const builder = new WriteRequestBuilder();
  builder.append(encodedOf(seriesOf("up")), buffer, 0, 1);
  const body = bodyOf(builder.finish());
  expect(valueBits(body)).toEqual([(BigInt(staleNanHigh) << 32n) | BigInt(staleNanLow)]);
});

test("a part of the samples is appended, and nothing for an empty part", () => {
  const builder = new WriteRequestBuilder();
  const buffer = bufferOf([1, 2, 3, 4].map((n) => [1_700_000_000_000 + n, n]));
  const encoded = encodedOf(seriesOf("up"));
  builder.append(encoded, buffer, 1, 3);
  builder.append(encoded, buffer, 3, 3);
  expect([builder.seriesCount, builder.sampleCount]).toEqual([1, 2]);
  expect([builder.minMs, builder.maxMs]).toEqual([1_700_000_000_002, 1_700_000_000_003]);
  const body = bodyOf(builder.finish());
  const sent = remoteWrite1.WriteRequest.decode(body).timeseries[0]?.samples?.map((sample) => sample.value);
  expect(sent).toEqual([2, 3]);
  expect([builder.seriesCount, builder.sampleCount, builder.byteLength]).toEqual([0, 0, 0]);
});
