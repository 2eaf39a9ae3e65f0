import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RequestEntries } from "../state/request-entries.ts";
import { SentBlock } from "./sent-block.ts";
import { SentSamples } from "./sent-samples.ts";

const baseMs = 1_700_000_000_000;
const yieldTurn = () => Promise.resolve();

/** A request: series, and for each the times after the block's start. */
type Request = ReadonlyArray<readonly [series: number, times: readonly number[]]>;

function entriesOf(request: Request, requestBaseMs: number): RequestEntries {
  const entries = new RequestEntries(requestBaseMs);
  for (const [series, times] of request) {
    const inOrder = [...times].sort((a, b) => a - b);
    entries.addTimes(
      ...hashOf(series),
      inOrder.map((ms) => baseMs + ms),
    );
  }
  return entries;
}

/** Series that differ in one half only, with all bits in use. */
function hashOf(series: number): [high: number, low: number] {
  return series % 2 === 0 ? [series >>> 1, 0xffffffff] : [0xffffffff, series >>> 1];
}

/** As the encoder of series gives it. */
function signedHashOf(series: number): [high: number, low: number] {
  const [high, low] = hashOf(series);
  return [high | 0, low | 0];
}

async function recordsOf(windows: ReadonlyArray<readonly Request[]>): Promise<Buffer[]> {
  const block = new SentBlock(baseMs);
  const records: Buffer[] = [];
  for (const [index, requests] of windows.entries()) {
    const entries = requests.map((request) => entriesOf(request, baseMs - index));
    records.push((await block.add(entries, yieldTurn))!);
  }
  return records;
}

const seriesCount = 12;
const lastMs = 9;
const series = fc.nat(seriesCount - 1);
/** Few, so that series meet in the same sets, and the same samples come again. */
const times = fc.constantFrom<readonly number[]>([0], [1], [2], [1, 2], [1, 1, 2], [3, 4], [2, 4], [9]);
/** Scraped together: most of a request's series have equal times. */
const scraped = fc
  .tuple(fc.uniqueArray(series, { maxLength: seriesCount }), times)
  .map(([list, own]) => list.map((each) => [each, own] as const));
const mixed = fc.array(fc.tuple(series, times), { maxLength: 8 });
const windows = fc
  .array(fc.tuple(fc.array(fc.oneof(scraped, mixed), { maxLength: 4 }), fc.boolean()), { maxLength: 8 })
  // The same window again, as after a crash.
  .map((list) => list.flatMap(([requests, isTwice]) => (isTwice ? [requests, requests] : [requests])));

describe("the records of a block", () => {
  test("restore exactly the samples that were added", async () => {
    await fc.assert(
      fc.asyncProperty(windows, async (list) => {
        const sent = new Map<number, Set<number>>();
        for (const [each, own] of list.flat(2)) {
          sent.set(each, new Set([...(sent.get(each) ?? []), ...own]));
        }
        const restored = await SentSamples.of(baseMs, await recordsOf(list), yieldTurn);
        for (let each = 0; each < seriesCount; each++) {
          const found: number[] = [];
          for (let ms = -1; ms <= lastMs + 1; ms++) {
            if (restored.has(...signedHashOf(each), baseMs + ms)) found.push(ms);
          }
          expect(found).toEqual([...(sent.get(each) ?? [])].sort((a, b) => a - b));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test("up to any of them, as a crash leaves them, restore what was added until then", async () => {
    await fc.assert(
      fc.asyncProperty(windows, fc.nat(16), async (list, count) => {
        const kept = list.slice(0, count);
        const sent = new Set(kept.flat(2).flatMap(([each, own]) => own.map((ms) => `${each} ${ms}`)));
        const restored = await SentSamples.of(baseMs, (await recordsOf(list)).slice(0, count), yieldTurn);
        for (let each = 0; each < seriesCount; each++) {
          for (let ms = 0; ms <= lastMs; ms++) {
            expect(restored.has(...signedHashOf(each), baseMs + ms)).toBe(sent.has(`${each} ${ms}`));
          }
        }
      }),
    );
  });
});

test.each([
  [
    "a series that has the set already does not crowd out one that reaches it",
    [
      [
        [
          [0, [1, 2]],
          [1, [1]],
          [2, [1]],
        ],
      ],
      [
        [
          [0, [2]],
          [1, [2]],
        ],
      ],
    ],
  ],
  [
    "a series that comes twice does not crowd out another",
    [
      [
        [
          [0, [1]],
          [0, [1]],
          [1, [1]],
        ],
      ],
    ],
  ],
] satisfies Array<[string, Request[][]]>)("%s", async (_, list: Request[][]) => {
  const restored = await SentSamples.of(baseMs, await recordsOf(list), yieldTurn);
  for (const [each, own] of list.flat(2)) {
    for (const ms of own) expect(restored.has(...signedHashOf(each), baseMs + ms)).toBe(true);
  }
});

describe("at a steady scrape of 1,000 series of 10 targets, every 15 s", () => {
  async function bytesOf(windowCount: number, seriesOfTarget: number): Promise<number[]> {
    const block = new SentBlock(baseMs);
    const sizes: number[] = [];
    for (let window = 0; window < windowCount; window++) {
      const entries = new RequestEntries(baseMs + window * 15_000);
      for (let target = 0; target < 10; target++) {
        const ms = baseMs + window * 15_000 + target * 777;
        for (let low = 0; low < seriesOfTarget; low++)
          entries.addTimes(target, Math.imul(low * 10 + target, 0x9e3779b1) >>> 0, [ms]);
      }
      sizes.push((await block.add([entries], yieldTurn))!.length);
    }
    return sizes;
  }

  test("a block costs 12 bytes a series, and beside them what its targets cost", async () => {
    const [few, many] = [await bytesOf(20, 100), await bytesOf(20, 1_100)];
    const [fewBytes, manyBytes] = [few, many].map((sizes) => sizes.reduce((sum, size) => sum + size, 0));
    expect(manyBytes! - fewBytes!).toBe(10_000 * 12);
    // The sets of 20 windows.
    expect(fewBytes! - 1_000 * 12).toBeLessThan(10 * 1_300);
  });

  test("only the first window lists series", async () => {
    const sizes = await bytesOf(20, 1_000);
    expect(sizes[0]).toBeGreaterThan(10_000 * 12);
    for (const size of sizes.slice(1)) expect(size).toBeLessThan(10 * 130);
  });
});

test("a record that is cut off is an error; one with many series is taken up in slices", async () => {
  const entries = new RequestEntries(baseMs);
  for (let each = 0; each < 45_000; each++) entries.addTimes(...hashOf(each), [baseMs + 1]);
  const record = (await new SentBlock(baseMs).add([entries], yieldTurn))!;
  let breaths = 0;
  const restored = await SentSamples.of(baseMs, [record], async () => {
    breaths++;
  });
  expect(breaths).toBe(2);
  expect(restored.has(...signedHashOf(44_999), baseMs + 1)).toBe(true);
  await expect(SentSamples.of(baseMs, [record.subarray(0, 4)], yieldTurn)).rejects.toThrow(RangeError);
});
