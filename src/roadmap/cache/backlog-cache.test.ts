import { expect, test } from "vitest";
import { createBacklogCache } from "./backlog-cache.ts";
import type { Entry } from "./shared-cache.ts";

const hourMs = 3_600_000;

function entry(updatedAt: number): Entry {
  const meta = {
    format: 1 as const,
    updatedAt,
    readAt: updatedAt,
    board: "test",
    boardVersion: "v",
    statuses: [],
    contentId: "x",
  };
  return { revision: 1, backlog: { meta, items: [] }, itemsJson: "[]" };
}

function setUp() {
  const time = { nowMs: 1_800_000_000_000, monotonicMs: 0 };
  const asked: number[] = [];
  const cache = createBacklogCache({
    clock: {
      nowMs: () => time.nowMs,
      monotonicMs: () => time.monotonicMs,
      sleep: async () => undefined,
    },
    refreshIntervalMs: hourMs,
    onStale: () => asked.push(time.monotonicMs),
    onTake: () => undefined,
  });
  return { cache, time, asked };
}

test("knows nothing until Redis responded or a file was read", () => {
  const { cache } = setUp();
  expect(cache.status()).toBeUndefined();
  cache.reached();
  expect(cache.status()).toEqual({ updatedAt: null, isRefreshing: false });
  cache.take(entry(7));
  expect(cache.status()).toEqual({ updatedAt: 7, isRefreshing: false });
});

test("is refreshing while a refresh runs here, however often its end is announced", () => {
  const { cache } = setUp();
  cache.reached();
  const first = cache.refreshingHere();
  const second = cache.refreshingHere();
  first();
  first();
  expect(cache.status()?.isRefreshing).toBe(true);
  second();
  expect(cache.status()?.isRefreshing).toBe(false);
});

test("another replica's refresh ends by word or by time: a crash cannot leave it", () => {
  const { cache, time } = setUp();
  cache.reached();
  cache.refreshingElsewhere(8_000);
  expect(cache.status()?.isRefreshing).toBe(true);
  cache.refreshingElsewhere(0);
  expect(cache.status()?.isRefreshing).toBe(false);
  cache.refreshingElsewhere(8_000);
  time.nowMs -= hourMs;
  time.monotonicMs += 8_000;
  expect(cache.status()?.isRefreshing).toBe(false);
});

test("the status is the same object until it changes", () => {
  const { cache } = setUp();
  cache.take(entry(7));
  const before = cache.status();
  expect(cache.status()).toBe(before);
  cache.take(entry(8));
  expect(cache.status()).not.toBe(before);
});

test("requests ask for a refresh of a stale cache, and not at every request", () => {
  const { cache, time, asked } = setUp();
  cache.noticeRequest();
  cache.noticeRequest();
  expect(asked).toEqual([0]);
  time.monotonicMs = 2_000;
  cache.noticeRequest();
  expect(asked).toEqual([0, 2_000]);
  cache.take(entry(time.nowMs));
  time.monotonicMs = 4_000;
  cache.noticeRequest();
  expect(asked).toEqual([0, 2_000]);
  time.nowMs += 2 * hourMs;
  time.monotonicMs = 6_000;
  cache.noticeRequest();
  expect(asked).toEqual([0, 2_000, 6_000]);
});
