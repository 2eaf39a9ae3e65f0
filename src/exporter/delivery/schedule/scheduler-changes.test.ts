import { expect, test } from "vitest";
import { schedulersToSet, type WantedScheduler } from "./scheduler-changes.ts";

const nowMs = 1_000_000;

function wanted(...sinks: string[]): Map<string, WantedScheduler> {
  const times = { periodMs: 10_000, offsetMs: 0 };
  return new Map(sinks.map((sink) => [sink, { job: { sink, uid: "-", generation: 0 }, times }]));
}

test.each<[string, string[], string[], Record<string, number>, string[]]>([
  ["nothing is there yet", ["a", "b"], [], {}, ["a", "b"]],
  ["all is there", ["a", "b"], [], { a: nowMs + 5_000, b: nowMs + 1 }, []],
  ["one was changed", ["a", "b"], ["a"], { a: nowMs + 5_000, b: nowMs + 1 }, ["a"]],
  ["a job waits for a worker", ["a"], [], { a: nowMs - 50_000 }, []],
  ["a job was lost", ["a"], [], { a: nowMs - 80_000 }, ["a"]],
  ["another replica's sink", ["a"], [], { a: nowMs, z: nowMs - 80_000 }, []],
])("%s", (_, sinks, changed, found, expected) => {
  const toSet = schedulersToSet(wanted(...sinks), new Set(changed), new Map(Object.entries(found)), nowMs);
  expect(toSet.map(({ job }) => job.sink)).toEqual(expected);
});
