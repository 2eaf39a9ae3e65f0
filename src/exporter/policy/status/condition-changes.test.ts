import { expect, test } from "vitest";
import { type ConditionState, isTransition, nextConditions } from "./condition-changes.ts";

const atMs = Date.UTC(2026, 10, 20, 12);
const state = (members: Partial<ConditionState> = {}): ConditionState => ({
  type: "Ready",
  status: "True",
  reason: "SinksAccepted",
  message: "All sinks are configured.",
  ...members,
});
const first = nextConditions([], [state()], 1, atMs);

test("a first condition begins now, in whole seconds", () => {
  expect(first).toEqual([{ ...state(), observedGeneration: 1, lastTransitionTime: "2026-11-20T12:00:00Z" }]);
});

const later = "2026-11-20T12:01:00Z";
test.each<[string, ConditionState[], number, string | undefined, boolean]>([
  ["nothing new", [state()], 1, first[0]?.lastTransitionTime, false],
  ["another message", [state({ message: "Fine." })], 1, first[0]?.lastTransitionTime, false],
  ["another reason", [state({ reason: "Other" })], 1, first[0]?.lastTransitionTime, true],
  ["another generation", [state()], 2, first[0]?.lastTransitionTime, true],
  ["another status", [state({ status: "False" })], 1, later, true],
  ["another type", [state({ type: "Accepted" })], 1, later, true],
  ["none any more", [], 1, undefined, true],
])("%s", (_name, states, generation, lastTransitionTime, transition) => {
  const next = nextConditions(first, states, generation, atMs + 60_000);
  expect(next[0]?.lastTransitionTime).toBe(lastTransitionTime);
  expect(next[0]?.message).toBe(states[0]?.message);
  expect(isTransition(first, next)).toBe(transition);
});

test("a status, a reason or a generation of any condition is a transition; a message only of a Secret", () => {
  const [ready, accepted] = [state(), state({ type: "Accepted", reason: "InvalidAuthentication" })];
  const before = nextConditions([], [ready, accepted], 1, atMs);
  const isSeen = (...states: ConditionState[]) =>
    isTransition(before, nextConditions(before, states, 1, atMs));
  expect(isSeen(ready, { ...accepted, message: "Another." })).toBe(true);
  expect(isSeen({ ...ready, message: "Another." }, accepted)).toBe(false);
  expect(isSeen({ ...ready, status: "False" }, accepted)).toBe(true);
  expect(isSeen(accepted, ready)).toBe(false);
});

test("the very objects of before as long as nothing differs", () => {
  const both = nextConditions([], [state(), state({ type: "Delivering" })], 1, atMs);
  expect(nextConditions(both, [state(), state({ type: "Delivering" })], 1, atMs + 1)).toBe(both);
  const next = nextConditions(both, [state(), state({ type: "Delivering", reason: "Other" })], 1, atMs + 1);
  expect(next).not.toBe(both);
  expect(next[0]).toBe(both[0]);
  expect(nextConditions(both, [state()], 1, atMs + 1)).toEqual([both[0]]);
  expect(nextConditions(both, [state({ type: "Delivering" }), state()], 1, atMs)).toEqual([both[1], both[0]]);
});
