import { expect, test } from "vitest";
import { StateTimes } from "./state-times.ts";

const upToDate = { status: "True", reason: "UpToDate", isForbidden: false };
const catchingUp = { ...upToDate, reason: "CatchingUp" };
const retrying = { status: "False", reason: "Retrying", isForbidden: false };
const suspended = { ...retrying, reason: "Suspended" };
const forbidden = { ...suspended, isForbidden: true };

test("a state that something brought about counts from then, its status from the first of its states", () => {
  const times = new StateTimes(upToDate, 1);
  expect(times.since(upToDate)).toEqual({ reasonMs: 1, statusMs: 1, targetMs: 0 });
  times.note(retrying, 10);
  times.note(retrying, 20);
  times.note(suspended, 30);
  expect(times.since(suspended)).toEqual({ reasonMs: 30, statusMs: 10, targetMs: 0 });
  times.note(catchingUp, 40);
  times.note(upToDate, 50);
  expect(times.since(upToDate)).toEqual({ reasonMs: 50, statusMs: 40, targetMs: 0 });
});

test("a state that time brought about counts from what happened last, whether or not anybody looks", () => {
  const times = new StateTimes(upToDate, 1);
  times.note(upToDate, 10);
  for (let looks = 0; looks < 3; looks++) expect(times.since(retrying).reasonMs).toBe(10);
  times.settle(retrying, 30);
  times.note(retrying, 30);
  expect(times.since(retrying)).toEqual({ reasonMs: 10, statusMs: 10, targetMs: 0 });
});

test("an endpoint that is forbidden and allowed again", () => {
  const times = new StateTimes(suspended, 1);
  times.note(forbidden, 10);
  expect(times.since(forbidden)).toEqual({ reasonMs: 1, statusMs: 1, targetMs: 10 });
  times.note(upToDate, 20);
  expect(times.since(upToDate)).toEqual({ reasonMs: 20, statusMs: 20, targetMs: 20 });
});
