import { expect, test } from "vitest";
import { engineTime, type ObservedContainer, observe } from "./observation.ts";

const nowMs = 1_000_000;
const container = (status: string, changes: Partial<ObservedContainer> = {}): ObservedContainer => ({
  name: "main",
  status,
  exitCode: 0,
  outOfMemory: false,
  startedMs: nowMs - 60_000,
  restarts: 0,
  ...changes,
});
const running = container("running");
const young = { startedMs: nowMs - 4_000 };
const unready = { unready: { why: "its readiness probe failed: x", wasReady: false }, hasReadiness: true };

test.each<[what: string, containers: ObservedContainer[], expected: object]>([
  ["nothing yet", [], { status: "Staging" }],
  ["one of two", [running], { status: "Staging" }],
  ["created", [running, container("created")], { status: "Staging" }],
  ["running", [running, running], { status: "Running" }],
  ["paused", [running, container("paused")], { status: "Suspended", detail: "paused in the engine" }],
  [
    "ended",
    [running, container("exited", { exitCode: 3 })],
    {
      ...{ status: "Repairing", detail: "container main exited with status 3" },
      failure: {
        reason: "ContainerEnded",
        message: "container main exited with status 3; it is started again, with growing pauses",
      },
    },
  ],
  [
    "ended again and again",
    [running, container("restarting", { exitCode: 1, restarts: 2 })],
    {
      ...{ status: "Repairing", detail: "container main exited with status 1 and was restarted 2 times" },
      failure: {
        reason: "BackOff",
        message: "container main exited with status 1; it is started again, with growing pauses",
      },
    },
  ],
  [
    "out of memory",
    [running, container("exited", { exitCode: 137, outOfMemory: true })],
    {
      ...{ status: "Repairing", detail: "container main was killed: out of memory" },
      failure: {
        reason: "OOMKilled",
        message: "container main was killed: out of memory; it is started again, with growing pauses",
      },
    },
  ],
  [
    "just started",
    [running, container("running", young)],
    {
      status: "Staging",
      detail: "container main counts as available when it has run for 10 s",
      againMs: 6_000,
    },
  ],
  [
    "just started and ready",
    [running, container("running", { ...young, hasReadiness: true })],
    { status: "Running" },
  ],
  [
    "not ready yet",
    [running, container("running", unready)],
    { status: "Staging", detail: "container main is not ready: its readiness probe failed: x" },
  ],
  [
    "not ready any longer",
    [running, container("running", { unready: { why: "x", wasReady: true } })],
    { status: "Repairing", detail: "container main is not ready: x" },
  ],
  [
    "restarted by a probe",
    [running, container("running", { ...young, restartedFor: "its liveness probe failed: x" })],
    {
      ...{ status: "Repairing", againMs: 6_000 },
      detail: "container main was restarted since its liveness probe failed: x",
    },
  ],
  [
    "just restarted",
    [running, container("running", { restarts: 1, startedMs: nowMs - 4_000 })],
    { status: "Repairing", detail: "container main was restarted once", againMs: 6_000 },
  ],
  ["restarted long ago", [running, container("running", { restarts: 1 })], { status: "Running" }],
  [
    "restarted in the future, by a clock that was set",
    [running, container("running", { restarts: 1, startedMs: nowMs + 1e9 })],
    { status: "Repairing", detail: "container main was restarted once", againMs: 10_000 },
  ],
  ["on its way out", [running, container("stopping")], { status: "Stopping", againMs: 1_000 }],
])("%s", (_, containers, expected) => {
  expect(observe(containers, 2, nowMs)).toEqual(expected);
});

test.each([
  ["2026-11-23T12:00:55.058957982Z", Date.parse("2026-11-23T12:00:55.058Z")],
  ["0001-01-01T00:00:00Z", undefined],
  ["", undefined],
])("the time %s", (text, ms) => {
  expect(engineTime(text)).toBe(ms);
});
