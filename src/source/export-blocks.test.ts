import { beforeEach, expect, test } from "vitest";
import type { SampleBuffer, Series } from "../core/series.ts";
import type { Selector } from "../metricsql/ast.ts";
import { parse } from "../metricsql/parser.ts";
import { type ExportClient, ExportReader } from "./export-reader.ts";
import type { SampleReceiver, ScopedRead } from "./flavor-reader.ts";
import { LabelCache } from "./label-cache.ts";
import { failure } from "./read-failure.ts";
import { defaultStoreTimeouts } from "./store-settings.ts";

const forever = new AbortController().signal;

/** One line of an answer: a piece of a series. */
const line = (name: string, ...samples: readonly (readonly [ms: number, value: number])[]) =>
  `${JSON.stringify({
    metric: { __name__: name },
    values: samples.map(([, value]) => value),
    timestamps: samples.map(([ms]) => ms),
  })}\n`;

const inSeries = [
  line("a", [1_000, 1], [2_000, 2], [3_000, 3], [4_000, 4]),
  line("b", [1_500, 5], [2_500, 6]),
];
/** The same in blocks: out of order, and one of them not sorted. */
const inBlocks = [
  line("a", [3_000, 3], [2_000, 2]),
  line("b", [1_500, 5], [2_500, 6]),
  line("a", [1_000, 1], [4_000, 4]),
];

const longRead: ScopedRead = {
  kind: "raw",
  selector: parse("{x=''}") as Selector,
  window: { fromMs: 0, toMs: 300_000 },
};
const shortRead: ScopedRead = { ...longRead, window: { fromMs: 0, toMs: 60_000 } };

/** What was asked for: in blocks or in series. */
let asked: string[];
let answers: { blocks: readonly string[]; series: readonly string[]; breaksOff: boolean };
let givesAll: boolean;
let passed: Map<string, string>;
let wanted: number;

const client: ExportClient = {
  timeouts: defaultStoreTimeouts,
  givesAllSamples: async () => givesAll,
  request: async ({ form }, onChunk) => {
    const isBlocks = form?.get("reduce_mem_usage") === "1";
    asked.push(isBlocks ? "blocks" : "series");
    for (const each of isBlocks ? answers.blocks : answers.series) {
      if (!onChunk(Buffer.from(each), {})) return { kind: "answered", headers: {}, whole: false };
    }
    if (answers.breaksOff) return failure("connection_lost", "broken off");
    return { kind: "answered", headers: {}, whole: true };
  },
};

const receiver: SampleReceiver = {
  onSeries(series: Series, { length, timestampsMs, values }: SampleBuffer) {
    const name = series.label("__name__") ?? "";
    expect(passed.has(name)).toBe(false);
    const samples = Array.from({ length }, (_, index) => `${timestampsMs[index]}=${values[index]}`);
    passed.set(name, samples.join(" "));
  },
  onBytes: () => undefined,
  onRefused: () => undefined,
  wantsMore: () => passed.size < wanted,
};

beforeEach(() => {
  asked = [];
  answers = { blocks: inBlocks, series: inSeries, breaksOff: false };
  givesAll = true;
  passed = new Map();
  wanted = Number.POSITIVE_INFINITY;
});

const everything = { a: "1000=1 2000=2 3000=3 4000=4", b: "1500=5 2500=6" };
const complete = { kind: "complete", series: 2, samples: 6 };

test.each([
  { name: "a long window is read in blocks", expected: ["blocks"] },
  { name: "a short one in series", read: shortRead, expected: ["series"] },
  { name: "a store that drops samples is read in series", drops: true, expected: ["series"] },
  { name: "more samples than may be held are read again", maxHeld: 3, expected: ["blocks", "series"] },
  { name: "so they are where the cache keeps no more", cacheBytes: 0, expected: ["blocks", "series"] },
])("$name", async ({ read = longRead, drops = false, maxHeld, cacheBytes = 2 ** 20, expected }) => {
  givesAll = !drops;
  const reader = new ExportReader(client, new LabelCache(cacheBytes), maxHeld);
  expect(await reader.read(read, receiver, forever)).toEqual(complete);
  expect(Object.fromEntries(passed)).toEqual(everything);
  expect(asked).toEqual(expected);
});

test("a full cache is not tried again before it has turned", async () => {
  const cache = new LabelCache(0);
  const reader = new ExportReader(client, cache);
  await reader.read(longRead, receiver, forever);
  passed.clear();
  await reader.read(longRead, receiver, forever);
  expect(asked).toEqual(["blocks", "series", "series"]);
  cache.turn();
  passed.clear();
  await reader.read(longRead, receiver, forever);
  expect(asked.slice(3)).toEqual(["blocks", "series"]);
});

test("one window after another, in the memory of the one before", async () => {
  const reader = new ExportReader(client, new LabelCache(2 ** 20));
  for (let read = 0; read < 3; read++) {
    passed.clear();
    expect(await reader.read(longRead, receiver, forever)).toEqual(complete);
    expect(Object.fromEntries(passed)).toEqual(everything);
  }
});

test("of an answer that breaks off nothing is passed on", async () => {
  answers.breaksOff = true;
  const reader = new ExportReader(client, new LabelCache(2 ** 20));
  expect(await reader.read(longRead, receiver, forever)).toMatchObject({ reason: "connection_lost" });
  expect(passed.size).toBe(0);
});

test("a receiver that wants no more gets no more", async () => {
  wanted = 1;
  const reader = new ExportReader(client, new LabelCache(2 ** 20));
  expect(await reader.read(longRead, receiver, forever)).toEqual({ kind: "stopped" });
  expect(passed.size).toBe(1);
});
