import { afterAll, expect, test } from "vitest";
import { flushVictoriaMetrics, type WrittenSeries, writeToVictoriaMetrics } from "../support/samples.ts";
import { type RunningServer, startVictoriaMetrics } from "../support/servers.ts";
import type { ReadSeries } from "../support/store-reads.ts";
import { closeReaders, readAll, readerOf } from "../support/store-reads.ts";

const forever = new AbortController().signal;
const baseMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;
const minutes = 10;

afterAll(closeReaders);

/** Every `step`-th second from `first` on, of 30 series. */
function part(first: number, step: number): WrittenSeries[] {
  return Array.from({ length: 30 }, (_, index) => ({
    labels: [
      { name: "__name__", value: "pieces" },
      { name: "index", value: String(index) },
    ],
    samples: Array.from({ length: Math.ceil((minutes * 60 - first) / step) }, (_, at) => ({
      timestampMs: baseMs + (first + at * step) * 1_000,
      value: (first + at * step) * 100 + index,
    })),
  }));
}

/** Written in turns whose times lie between each other's, each to its own part of the storage. */
async function writePieces({ url }: RunningServer): Promise<void> {
  for (const first of [3, 0, 2, 1]) {
    await writeToVictoriaMetrics(url, part(first, 4), forever);
    await flushVictoriaMetrics(url, forever);
  }
}

async function pieces({ url }: RunningServer, fromMs: number, toMs: number): Promise<ReadSeries[]> {
  const { outcome, series } = await readAll(readerOf(url), { selector: "pieces", window: { fromMs, toMs } });
  expect(outcome).toMatchObject({
    kind: "complete",
    series: series.length,
    samples: series.reduce((sum, { times }) => sum + times.length, 0),
  });
  return series;
}

test("a long window is read whole and in order, however its samples lie in the storage", async () => {
  await using store = await startVictoriaMetrics();
  await writePieces(store);
  const series = await pieces(store, baseMs - 1, baseMs + minutes * 60_000);
  expect(series).toHaveLength(30);
  const seconds = Array.from({ length: minutes * 60 }, (_, second) => second);
  for (const { labels, times, values } of series) {
    expect(times).toEqual(seconds.map((second) => baseMs + second * 1_000));
    expect(values).toEqual(seconds.map((second) => second * 100 + Number(labels["index"])));
  }
});

test("a store that deduplicates gives in a long window what it gives in short ones", async () => {
  await using store = await startVictoriaMetrics({ flags: ["-dedup.minScrapeInterval=10s"] });
  await writePieces(store);
  const long = await pieces(store, baseMs - 1, baseMs + minutes * 60_000);
  const times = new Set<number>();
  for (let minute = 0; minute < minutes; minute++) {
    const fromMs = baseMs - 1 + minute * 60_000;
    for (const each of await pieces(store, fromMs, fromMs + 60_000))
      for (const ms of each.times) times.add(ms);
  }
  expect(times.size).toBeLessThan(minutes * 60);
  for (const each of long) expect([...times]).toEqual(expect.arrayContaining(each.times));
});
