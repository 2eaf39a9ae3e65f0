import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bytesOf } from "../../series/label-blocks.ts";
import { Series } from "../../series/series.ts";
import { LabelCache } from "./label-cache.ts";
import { LabelMemory } from "./label-memory.ts";

const plenty = 64 * 2 ** 20;

/** Looks up a metric object at an offset in a larger buffer. */
function find(cache: LabelCache, metric: string | Buffer, offset = 0): ReturnType<LabelCache["find"]> {
  const text = Buffer.from(metric);
  const bytes = Buffer.alloc(offset + text.length + 5, 0x7d);
  text.copy(bytes, offset);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return cache.find(bytes, view, offset, offset + text.length);
}

function metric(index: number): string {
  return `{"__name__":"m","index":"${index}"}`;
}

describe("finding", () => {
  test("the same bytes give the same series, wherever they lie", () => {
    const cache = new LabelCache(plenty);
    const series = find(cache, metric(1));
    expect(series).toBeInstanceOf(Series);
    for (let offset = 0; offset < 9; offset++) expect(find(cache, metric(1), offset)).toBe(series);
    expect(cache.size).toBe(1);
  });

  test("many series that differ in little are all kept apart, through every growth of the table", () => {
    const cache = new LabelCache(plenty);
    const first = Array.from({ length: 5_000 }, (_, index) => find(cache, metric(index)));
    const second = Array.from({ length: 5_000 }, (_, index) => find(cache, metric(index)));
    expect(new Set(first).size).toBe(5_000);
    expect(second.every((series, index) => series === first[index])).toBe(true);
    expect((first[4_321] as Series).labels).toEqual([
      { name: "__name__", value: "m" },
      { name: "index", value: "4321" },
    ]);
  });

  test("any labels come back as JSON.parse reads them, sorted, without the empty ones", () => {
    const labels = fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), {
      maxKeys: 8,
    });
    fc.assert(
      fc.property(labels, fc.boolean(), (object, indented) => {
        const text = JSON.stringify(object, undefined, indented ? "\t" : undefined).replaceAll("\n", " ");
        const cache = new LabelCache(plenty);
        const series = find(cache, text) as Series;
        const expected = Object.entries(JSON.parse(text) as Record<string, string>)
          .filter(([, value]) => value !== "")
          .map(([name, value]) => ({ name, value }))
          .sort((a, b) => (a.name < b.name ? -1 : 1));
        expect(series.labels).toEqual(expected);
        expect(series.isUtf8).toBe(true);
        // After the next series is parsed, labels are read from the key again, even if it has moved.
        find(cache, metric(1));
        expect(series.labels).toEqual(expected);
        cache.nextGeneration();
        expect(find(cache, text, 3)).toBe(series);
        expect(series.labels).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  test("labels that series have in common are the same objects", () => {
    const cache = new LabelCache(plenty);
    const [one, two] = [find(cache, metric(1)) as Series, find(cache, metric(2)) as Series];
    expect(one.labels[0]).toBe(two.labels[0]);
    expect(one.labels[1]).not.toBe(two.labels[1]);
  });

  test.each([
    ["a byte that is no UTF-8", Buffer.from('{"a":"\xff"}', "latin1")],
    ["half of a surrogate pair", Buffer.from('{"a":"\\ud800"}')],
  ])("%s marks the series", (_, bytes) => {
    const series = find(new LabelCache(plenty), bytes) as Series;
    expect(series.isUtf8).toBe(false);
    expect(series.labels[0]?.name).toBe("a");
  });
});

describe("the block of a series", () => {
  /** A block like an encoder's; of any length, also longer than the key. */
  function blockFor(index: number): Buffer {
    return Buffer.alloc((index * 37) % 400, `block ${index};`);
  }

  test("goes with it from generation to generation, and so do its labels", () => {
    const cache = new LabelCache(plenty);
    const count = 3_000;
    const all = Array.from({ length: count }, (_, index) => find(cache, metric(index)) as Series);
    for (const [index, series] of all.entries()) {
      // Some have no block, like invalid ones.
      if (index % 5 > 0) expect(series.keepEncoded(blockFor(index), index, -index)).toBe(series);
    }
    for (let generation = 0; generation < 3; generation++) {
      for (let index = count - 1; index >= 0; index -= 1 + (index % 2)) {
        const series = find(cache, metric(index)) as Series;
        expect(series).toBe(all[index]);
        expect(series.isEncoded).toBe(index % 5 > 0);
        if (!series.isEncoded) continue;
        expect(bytesOf(series).equals(blockFor(index))).toBe(true);
        expect([series.hashHigh, series.hashLow]).toEqual([index, -index]);
        expect(series.label("index")).toBe(String(index));
      }
      cache.nextGeneration();
    }
    // Evicted series keep their blocks while they are referenced.
    expect(bytesOf(all[1] as Series).equals(blockFor(1))).toBe(true);
  });

  test("of a series that found no place in the cache is kept too", () => {
    const series = find(new LabelCache(100), metric(1)) as Series;
    series.keepEncoded(blockFor(7), 1, 2);
    expect(bytesOf(series).equals(blockFor(7))).toBe(true);
  });
});

describe("what is not a series", () => {
  const limits = { maxLabels: 3, maxValueBytes: 10 };
  test.each([
    ['{"a":"1","b":"2","c":"3","d":"4"}', "too_many_labels"],
    ['{"a":"12345678901"}', "label_value_too_long"],
    ['{"12345678901":"a"}', "label_value_too_long"],
    ['{"a":"1","b":"2","a":"3"}', "duplicate_label"],
  ])("%s is invalid: %s", (text, reason) => {
    const cache = new LabelCache(plenty, limits);
    expect(find(cache, text)).toMatchObject({ kind: "invalid", reason });
    expect(cache.size).toBe(0);
  });

  test.each([
    "",
    "{",
    "[]",
    '"a"',
    '{"a"}',
    '{"a":1}',
    '{"a":"b",}',
    '{,"a":"b"}',
    '{"a":"b"}}',
    '{"a":"b"',
    '{"a":"\\q"}',
    '{"a":"b"\n}',
    '{"a":{"b":"c"}}',
    '{"a":"b" "c":"d"}',
  ])("%j is no metric", (text) => {
    expect(find(new LabelCache(plenty), text)).toBeUndefined();
  });

  test("the limits themselves are allowed", () => {
    expect(find(new LabelCache(plenty, limits), '{"a":"1234567890","b":"2","c":"3"}')).toBeInstanceOf(Series);
  });
});

describe("eviction", () => {
  test("what is seen in every generation stays, what was not seen for two goes", () => {
    const cache = new LabelCache(plenty);
    const kept = find(cache, metric(1));
    const dropped = find(cache, metric(2));
    cache.nextGeneration();
    expect(find(cache, metric(1))).toBe(kept);
    expect(cache.size).toBe(2);
    cache.nextGeneration();
    expect(cache.size).toBe(1);
    expect(find(cache, metric(1))).toBe(kept);
    expect(find(cache, metric(2))).not.toBe(dropped);
    expect(cache.evicted).toBe(1);
  });

  test("a full cache keeps what it has, gives the rest all the same, and takes them in once it has turned", () => {
    const maxBytes = 400_000;
    const cache = new LabelCache(maxBytes);
    const first = Array.from({ length: 20_000 }, (_, index) => find(cache, metric(index)) as Series);
    expect(cache.bytes).toBeLessThanOrEqual(maxBytes);
    const kept = cache.size;
    expect(kept).toBeGreaterThan(300);
    for (let index = 0; index < kept; index++) expect(find(cache, metric(index))).toBe(first[index]);
    const beyond = find(cache, metric(19_999)) as Series;
    expect(beyond).not.toBe(first[19_999]);
    expect(beyond.labels).toEqual(first[19_999]?.labels);
    expect(cache.evicted).toBe(0);

    cache.nextGeneration();
    cache.nextGeneration();
    expect(cache.evicted).toBeGreaterThanOrEqual(kept);
    const after = find(cache, metric(19_999));
    expect(find(cache, metric(19_999))).toBe(after);
  });

  test("series that move to the younger generation stay counted, and leave nothing behind", () => {
    const cache = new LabelCache(plenty);
    for (let index = 0; index < 1_000; index++) find(cache, metric(index));
    const { bytes } = cache;
    for (let generation = 0; generation < 3; generation++) {
      cache.nextGeneration();
      for (let index = 0; index < 1_000; index++) find(cache, metric(index));
      expect(cache.size).toBe(1_000);
      expect(cache.bytes).toBeCloseTo(bytes, 3);
    }
  });

  test("caches that share their memory stay within it together, and free what they held", () => {
    const memory = new LabelMemory(400_000);
    const [one, other] = [new LabelCache(memory), new LabelCache(memory)];
    for (let index = 0; index < 300; index++) find(one, metric(index));
    for (let index = 0; index < 20_000; index++) find(other, metric(index));
    expect(memory.series).toBe(one.size + other.size);
    expect(memory.bytes).toBeCloseTo(one.bytes + other.bytes, 3);
    expect(memory.bytes).toBeLessThanOrEqual(memory.maxBytes);
    expect(find(one, metric(1))).not.toBe(find(other, metric(1)));
    other.clear();
    expect(memory.series).toBe(300);
    one.clear();
    expect(memory.series).toBe(0);
    expect(memory.bytes).toBeCloseTo(0, 3);
  });

  test("a series larger than the bound is found all the same", () => {
    const cache = new LabelCache(1_000);
    const large = `{"a":"${"x".repeat(60_000)}"}`;
    expect(find(cache, large)).toBeInstanceOf(Series);
    expect(find(cache, metric(1))).toBeInstanceOf(Series);
    expect(find(cache, large)).toBeInstanceOf(Series);
  });
});
