import { describe, expect, test } from "vitest";
import type { Verdict } from "../../remote-write/transport/classify.ts";
import { SinkStats } from "./sink-stats.ts";

const unavailable: Verdict = {
  kind: "retry",
  reason: "server_error",
  message: "503",
  detail: "503 of 10.0.0.1",
  responseLost: false,
};
const failed: Verdict = { ...unavailable, message: "reset", detail: undefined };
const delivered: Verdict = { kind: "delivered", status: 204 };
const rejected: Verdict = { kind: "rejected", status: 400, message: "400" };
const aborted: Verdict = { kind: "aborted", responseLost: false };

/** An attempt from one time to another (ms); without an end it is in progress. */
type Attempt = readonly [beganMs: number, endedMs?: number, verdict?: Verdict];

/** Stats after attempts that overlap as their times say. */
function statsOf(attempts: readonly Attempt[]): SinkStats {
  const stats = new SinkStats(0);
  const ends: ReturnType<SinkStats["beginAttempt"]>[] = [];
  const steps = attempts.flatMap(([beganMs, endedMs, verdict = delivered], index) => {
    const begin = () => ends.splice(index, 0, stats.beginAttempt(beganMs));
    const end = () => ends[index]?.(verdict, endedMs ?? 0);
    return [{ atMs: beganMs, run: begin }, ...(endedMs === undefined ? [] : [{ atMs: endedMs, run: end }])];
  });
  for (const { run } of steps.toSorted((a, b) => a.atMs - b.atMs)) run();
  return stats;
}

const silence = { message: "no response for more than 8 s" };

describe("trouble with the receiver", () => {
  test.each<[string, Attempt[], nowMs: number, object | undefined]>([
    ["none without attempts", [], 1_000_000, undefined],
    ["none while all is delivered", [[1_000, 1_100]], 60_000, undefined],
    ["attempts fail for less than 5 s", [[1_000, 1_100, unavailable]], 5_999, undefined],
    [
      "attempts fail for 5 s: the operator's words too",
      [[1_000, 1_100, unavailable]],
      6_000,
      { message: "503", detail: "503 of 10.0.0.1" },
    ],
    [
      "the newest message counts, since the first",
      [
        [1_000, 1_100, unavailable],
        [5_000, 5_100, failed],
      ],
      6_000,
      { message: "reset" },
    ],
    [
      "a delivery ends it",
      [
        [1_000, 1_100, unavailable],
        [7_000, 7_100],
      ],
      20_000,
      undefined,
    ],
    [
      "so does a rejection: the receiver is there",
      [
        [1_000, 1_100, unavailable],
        [7_000, 7_100, rejected],
      ],
      20_000,
      undefined,
    ],
    [
      "an aborted attempt says nothing",
      [
        [1_000, 1_100, unavailable],
        [2_000, 2_100, aborted],
      ],
      6_000,
      { message: "503" },
    ],
    [
      "an attempt that began before another partition's delivery fails only from that on",
      [
        [1_000, 10_000, unavailable],
        [9_000, 9_500],
      ],
      14_499,
      undefined,
    ],
    [
      "and then it does",
      [
        [1_000, 10_000, unavailable],
        [9_000, 9_500],
      ],
      14_500,
      { message: "503" },
    ],
    ["no response for less than 8 s", [[1_000]], 8_999, undefined],
    ["no response for 8 s", [[1_000]], 9_000, silence],
    ["other partitions have responses", [[1_000], [8_000, 8_500]], 16_499, undefined],
    ["nor have they for 8 s", [[1_000], [8_000, 8_500], [10_000]], 16_500, silence],
    ["a response came, and nothing is in progress", [[1_000, 40_000]], 60_000, undefined],
  ])("%s", (_, attempts, nowMs, expected) => {
    const trouble = statsOf(attempts).trouble(nowMs);
    if (expected === undefined) expect(trouble).toBeUndefined();
    else expect(trouble).toMatchObject(expected);
  });

  test("ends with the cycle", () => {
    const stats = statsOf([[1_000, 1_100, unavailable], [2_000]]);
    expect(stats.trouble(20_000)).toMatchObject({ message: "503" });
    stats.endCycle();
    expect(stats.trouble(20_000)).toBeUndefined();
  });
});

test.each<[string, Attempt[], object | undefined]>([
  ["none yet", [[1_000]], undefined],
  ["no response is none", [[1_000, 1_100, failed]], undefined],
  [
    "the newest counts",
    [
      [1_000, 1_100, rejected],
      [2_000, 2_100],
    ],
    { atMs: 2_100, status: 204 },
  ],
  [
    "it stays when none follows",
    [
      [1_000, 1_100, rejected],
      [2_000, 2_100, failed],
    ],
    { atMs: 1_100, status: 400 },
  ],
])("the last response: %s", (_, attempts, expected) => {
  expect(statsOf(attempts).lastResponse).toEqual(expected);
});
