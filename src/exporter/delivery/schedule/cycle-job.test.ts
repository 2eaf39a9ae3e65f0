import { describe, expect, test } from "vitest";
import type { SinkPlan } from "../../policy/spec/types.ts";
import { cycleJobOf, jobEnd, judgeJob, parseCycleJob } from "./cycle-job.ts";

const job = { sink: "shop/default/export/u1/vm", uid: "u1", generation: 3 };

describe("judgeJob", () => {
  test.each([
    ["the same generation", 3, 0, "run"],
    ["this replica has a newer policy", 4, 0, "run"],
    ["this replica has an older policy", 2, 0, "step-aside"],
    ["and so has every other one", 2, 61_000, "run"],
    ["this replica does not know the sink yet", undefined, 5_000, "step-aside"],
    ["nobody knows the sink", undefined, 61_000, "drop"],
  ] as const)("%s", (_, generation, ageMs, expected) => {
    const own = generation === undefined ? undefined : { ...job, generation };
    expect(judgeJob(job, own, ageMs)).toBe(expected);
  });
});

describe("jobEnd", () => {
  const fresh = { isTakenOver: false, periodMs: 15_000 };
  const stalled = { isTakenOver: true, periodMs: 15_000 };
  test.each([
    ["everything is delivered", { kind: "ran", end: "up-to-date", pauseMs: 0 }, fresh, undefined],
    ["a source failed", { kind: "ran", end: "source-failed", pauseMs: 0 }, fresh, undefined],
    ["there is a backlog", { kind: "ran", end: "interrupted", pauseMs: 0 }, fresh, 0],
    ["paused by annotation", { kind: "ran", end: "waiting", pauseMs: 0 }, fresh, undefined],
    ["a short pause", { kind: "ran", end: "waiting", pauseMs: 5_000 }, fresh, 5_050],
    ["a long pause", { kind: "ran", end: "waiting", pauseMs: 60_000 }, fresh, undefined],
    ["in the pause, near its end", { kind: "paused", restMs: 900 }, fresh, 950],
    ["in the pause", { kind: "paused", restMs: 60_000 }, fresh, undefined],
    ["another replica runs it", { kind: "held", restMs: 9_000 }, fresh, undefined],
    ["the replica that ran it has died", { kind: "held", restMs: 9_000 }, stalled, 9_050],
  ] as const)("%s", (_, outcome, of, afterMs) => {
    expect(jobEnd(outcome, of)).toEqual(
      afterMs === undefined ? { kind: "done" } : { kind: "again", afterMs },
    );
  });
});

test("a directory's generations are not compared between replicas", () => {
  const plan = {
    policy: { plane: "directory", namespace: "default", name: "export", uid: "-" },
    generation: 7,
  };
  expect(cycleJobOf({ ...plan, name: "vm" } as SinkPlan)).toEqual({
    sink: "directory/default/export/-/vm",
    uid: "-",
    generation: 0,
  });
});

test("what is no job of ours is not taken for one", () => {
  expect(parseCycleJob({ ...job, more: 1 })).toEqual(job);
  expect(parseCycleJob({ sink: 1 })).toBeUndefined();
  expect(parseCycleJob(undefined)).toBeUndefined();
});
