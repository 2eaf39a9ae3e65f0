import { describe, expect, test } from "vitest";
import { makeItem } from "../../../test/support/contracts/board.ts";
import type { BacklogItem, BacklogMeta } from "../board/backlog.ts";
import { type Board, type BoardHead, failed } from "../board/board.ts";
import { isStale, type RefreshSettings, refresh, retryDelayMs } from "./refresh.ts";

const never = new AbortController().signal;
const nowMs = 1_800_000_000_000;
const hourMs = 3_600_000;
const settings: RefreshSettings = {
  statuses: ["In progress", "Planned"],
  maxReadAgeMs: 6 * hourMs,
  nowMs: () => nowMs,
};

function board(head: Partial<BoardHead>, items: readonly BacklogItem[] | "fails"): Board & { reads: number } {
  const self = {
    id: "test",
    reads: 0,
    head: async () => ({ ok: true as const, value: { version: "v1", ...head } }),
    items: async () => {
      self.reads++;
      return items === "fails"
        ? failed("unavailable", "gone")
        : { ok: true as const, value: { items, leftOut: 0 } };
    },
  };
  return self;
}

const cached: BacklogMeta = {
  format: 1,
  updatedAt: nowMs - hourMs,
  readAt: nowMs - hourMs,
  board: "test",
  boardVersion: "v1",
  statuses: ["In progress", "Planned"],
  contentId: "x",
};

describe("refresh", () => {
  test("an unchanged board only renews freshness", async () => {
    const source = board({}, [makeItem(1)]);
    const outcome = await refresh(source, cached, settings, never);
    expect(outcome).toMatchObject({ kind: "unchanged", meta: { ...cached, updatedAt: nowMs } });
    expect(source.reads).toBe(0);
  });

  test.each([
    ["a replica's clock that is ahead", nowMs + 40_000, nowMs + 40_000],
    ["a wrong clock", nowMs + hourMs, nowMs],
    ["an earlier time", nowMs - 1, nowMs],
  ])("updatedAt after %s", async (_name, updatedAt, expected) => {
    for (const boardVersion of ["v1", "v0"]) {
      const before = { ...cached, updatedAt, boardVersion };
      const outcome = await refresh(board({}, [makeItem(1)]), before, settings, never);
      expect(outcome).toMatchObject({ meta: { updatedAt: expected } });
    }
  });

  test("an unchanged board is read all the same when a change was announced", async () => {
    const source = board({ node: "PVT_1" }, [makeItem(1)]);
    const outcome = await refresh(source, cached, { ...settings, mustRead: true }, never);
    expect(outcome).toMatchObject({ kind: "replaced", meta: { readAt: nowMs, boardNode: "PVT_1" } });
  });

  test.each<[string, BacklogMeta | undefined]>([
    ["nothing cached", undefined],
    ["another version", { ...cached, boardVersion: "v0" }],
    ["another board", { ...cached, board: "other" }],
    ["other statuses", { ...cached, statuses: ["Planned", "In progress"] }],
    ["items read too long ago", { ...cached, readAt: nowMs - 6 * hourMs }],
    ["items read in the future of a wrong clock", { ...cached, readAt: nowMs + hourMs }],
  ])("%s: everything is read", async (_name, before) => {
    const source = board({}, [makeItem(2), makeItem(1, "Done")]);
    const outcome = await refresh(source, before, settings, never);
    expect(outcome).toMatchObject({
      kind: "replaced",
      meta: { updatedAt: nowMs, readAt: nowMs, boardVersion: "v1" },
      backlog: { items: [makeItem(2)] },
    });
  });

  test("a failure is handed on, whichever question failed", async () => {
    expect(await refresh(board({}, "fails"), undefined, settings, never)).toEqual({
      kind: "failed",
      failure: { kind: "unavailable", message: "gone" },
    });
  });

  test("a status that the board lacks is warned about; all of them is a failure", async () => {
    const some = await refresh(board({ statuses: ["Planned"] }, []), undefined, settings, never);
    expect(some).toMatchObject({ kind: "replaced", warnings: [expect.stringContaining('"In progress"')] });
    const none = await refresh(board({ statuses: ["Todo"] }, []), undefined, settings, never);
    expect(none).toMatchObject({ kind: "failed", failure: { kind: "misconfigured" } });
  });
});

test.each([
  [1, undefined, 2_000],
  [2, undefined, 4_000],
  [5, undefined, 32_000],
  [100, undefined, 300_000],
  [1, 90_000, 90_000],
  [100, 1_000, 300_000],
])("attempt %i with a wish of %s ms waits %i ms", (attempt, retryAfterMs, expected) => {
  const failure = { kind: "rate-limited" as const, message: "", ...(retryAfterMs ? { retryAfterMs } : {}) };
  expect(retryDelayMs(attempt, failure, 0)).toBe(expected);
});

test.each([
  ["never filled", null, true],
  ["just now", nowMs, false],
  ["a moment after the interval: the schedule is at it", nowMs - hourMs - 2_000, false],
  ["well after the interval", nowMs - hourMs * 1.2, true],
  ["a little ahead: clocks differ", nowMs + 30_000, false],
  ["far ahead: a clock was wrong", nowMs + hourMs, true],
])("%s is stale: %s", (_name, updatedAt, expected) => {
  expect(isStale(updatedAt, nowMs, hourMs)).toBe(expected);
});
