import { describe, expect, test } from "vitest";
import type { Verdict } from "../../remote-write/transport/classify-response.ts";
import { SinkStats } from "./sink-stats.ts";

const failed = { kind: "retry", reason: "server_error", responseLost: false } as const;
const verdicts: Readonly<Record<string, Verdict>> = {
  unavailable: { ...failed, message: "503", detail: "503 of 10.0.0.1" },
  reset: { ...failed, message: "reset" },
  delivered: { kind: "delivered", status: 204 },
  rejected: { kind: "rejected", status: 400, message: "400" },
  aborted: { kind: "aborted", responseLost: false },
};

/** Stats after attempts, which may overlap: `FROM TO VERDICT` (ms), or `FROM` of one in progress. */
function statsOf(...attempts: readonly string[]): SinkStats {
  const stats = new SinkStats(0);
  const ends: ReturnType<SinkStats["beginAttempt"]>[] = [];
  const steps = attempts.flatMap((attempt, index) => {
    const [began, ended, name = ""] = attempt.split(" ");
    const [beganMs, endedMs] = [Number(began), Number(ended)];
    const begin = () => ends.splice(index, 0, stats.beginAttempt(beganMs));
    const end = () => ends[index]?.(verdicts[name]!, endedMs);
    return [{ atMs: beganMs, run: begin }, ...(ended === undefined ? [] : [{ atMs: endedMs, run: end }])];
  });
  for (const { run } of steps.toSorted((a, b) => a.atMs - b.atMs)) run();
  return stats;
}

const silence = { message: "no response for more than 8 s" };

describe("trouble with the receiver", () => {
  test.each<[string, string[], nowMs: number, object | undefined]>([
    ["none without attempts", [], 1_000_000, undefined],
    ["none while all is delivered", ["1000 1100 delivered"], 60_000, undefined],
    ["attempts fail for less than 5 s", ["1000 1100 unavailable"], 5_999, undefined],
    [
      "attempts fail for 5 s: the operator's words too",
      ["1000 1100 unavailable"],
      6_000,
      { message: "503", detail: "503 of 10.0.0.1" },
    ],
    [
      "the newest message counts, since the first",
      ["1000 1100 unavailable", "5000 5100 reset"],
      6_000,
      { message: "reset" },
    ],
    ["a delivery ends it", ["1000 1100 unavailable", "7000 7100 delivered"], 20_000, undefined],
    [
      "so does a rejection: the receiver is there",
      ["1000 1100 unavailable", "7000 7100 rejected"],
      20_000,
      undefined,
    ],
    [
      "an aborted attempt says nothing",
      ["1000 1100 unavailable", "2000 2100 aborted"],
      6_000,
      { message: "503" },
    ],
    [
      "an attempt that began before another partition's delivery fails only from that on",
      ["1000 10000 unavailable", "9000 9500 delivered"],
      14_499,
      undefined,
    ],
    ["and then it does", ["1000 10000 unavailable", "9000 9500 delivered"], 14_500, { message: "503" }],
    ["no response for less than 8 s", ["1000"], 8_999, undefined],
    ["no response for 8 s", ["1000"], 9_000, silence],
    ["other partitions have responses", ["1000", "8000 8500 delivered"], 16_499, undefined],
    ["nor have they for 8 s", ["1000", "8000 8500 delivered", "10000"], 16_500, silence],
    ["a response came, and nothing is in progress", ["1000 40000 delivered"], 60_000, undefined],
  ])("%s", (_, attempts, nowMs, expected) => {
    const trouble = statsOf(...attempts).trouble(nowMs);
    if (expected === undefined) expect(trouble).toBeUndefined();
    else expect(trouble).toMatchObject(expected);
  });

  test("ends with the cycle", () => {
    const stats = statsOf("1000 1100 unavailable", "2000");
    expect(stats.trouble(20_000)).toMatchObject({ message: "503" });
    stats.endCycle();
    expect(stats.trouble(20_000)).toBeUndefined();
  });
});

test.each<[string, string[], object | undefined]>([
  ["none yet", ["1000"], undefined],
  ["no response is none", ["1000 1100 reset"], undefined],
  ["the newest counts", ["1000 1100 rejected", "2000 2100 delivered"], { atMs: 2_100, status: 204 }],
  ["it stays when none follows", ["1000 1100 rejected", "2000 2100 reset"], { atMs: 1_100, status: 400 }],
])("the last response: %s", (_, attempts, expected) => {
  expect(statsOf(...attempts).lastResponse).toEqual(expected);
});
