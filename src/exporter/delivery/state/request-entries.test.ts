import fc from "fast-check";
import { expect, test } from "vitest";
import { samplesAt } from "../../../../test/support/store/series.ts";
import { RequestEntries } from "./request-entries.ts";

function list(entries: RequestEntries): number[][] {
  const listed: number[][] = [];
  entries.each((high, low, untilMs, set) => {
    const times = [...entries.timesOf(set)];
    expect(untilMs).toBe(times.at(-1));
    listed.push([high, low, ...times]);
  });
  return listed;
}

const hash = fc.integer({ min: 0, max: 0xffffffff });

test("what encode writes, decode reads", () => {
  const baseMs = fc.integer({ min: -(2 ** 42), max: 2 ** 42 });
  // Few different times, so that series share sets of them.
  const times = fc
    .array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 4 })
    .map((list) => list.sort((a, b) => a - b));
  fc.assert(
    fc.property(
      baseMs,
      fc.array(fc.tuple(hash, hash, times), { maxLength: 200 }),
      fc.nat(7),
      (base, series, misalignment) => {
        const entries = new RequestEntries(base);
        const expected = series.map(([high, low, own]) => [high, low, ...own.map((ms) => base + ms)]);
        for (const [high, low, ...own] of expected) entries.addTimes(high ?? 0, low ?? 0, own);
        const encoded = Buffer.concat([Buffer.alloc(misalignment), entries.encode()]).subarray(misalignment);
        expect(encoded.length).toBe(entries.byteLength);
        const decoded = RequestEntries.decode(encoded);
        expect(list(decoded)).toEqual(expected);
        decoded.addTimes(1, 2, [base + 3]);
        expect(list(decoded).at(-1)).toEqual([1, 2, base + 3]);
      },
    ),
  );
});

test("a series costs 12 bytes where its times are another's too", () => {
  const entries = new RequestEntries(0);
  for (let low = 0; low < 500; low++) entries.addTimes(7, low, [1, 2, 3]);
  expect(entries.encode().length).toBe(16 + 4 * 4 + 500 * 12);
  expect(entries.setCount).toBe(1);
});

test("entries of earlier versions have their last time", () => {
  const bytes = Buffer.alloc(12 + 2 * 12);
  bytes.writeUInt32LE(2, 0);
  bytes.writeDoubleLE(1_000, 4);
  bytes.set(new Uint8Array(new Uint32Array([1, 2, 30, 3, 4, 50]).buffer), 12);
  expect(list(RequestEntries.decode(bytes))).toEqual([
    [1, 2, 1_030],
    [3, 4, 1_050],
  ]);
});

test("cut bytes are an error, not a wrong list", () => {
  const entries = new RequestEntries(0);
  entries.addTimes(1, 2, [3]);
  for (let length = 0; length < entries.byteLength; length++) {
    expect(() => RequestEntries.decode(entries.encode().subarray(0, length))).toThrow(RangeError);
  }
});

test("a part has the picked entries, with the times that are given", () => {
  const entries = new RequestEntries(0);
  entries.addTimes(1, 1, [50, 70, 900]);
  entries.addTimes(2, 2, [500]);
  entries.addTimes(3, 3, [800]);
  const picked = entries.pick([
    { index: 0, timesMs: [50, 70] },
    { index: 2, timesMs: [800] },
  ]);
  expect(list(picked)).toEqual([
    [1, 1, 50, 70],
    [3, 3, 800],
  ]);
});

test("a part of a series' samples is added by its times", () => {
  const entries = new RequestEntries(0);
  entries.add(1, 2, samplesAt(10, 20, 30, 40), 1, 3);
  expect(list(entries)).toEqual([[1, 2, 20, 30]]);
});
