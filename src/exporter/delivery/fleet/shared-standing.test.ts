import { expect, test } from "vitest";
import { delivering, type Standing } from "../send/standing.ts";
import { ownStanding, parseStanding, shareStanding } from "./shared-standing.ts";

const suspended: Standing = { kind: "suspended", times: 3, message: "401", untilMs: 5_000 };

test("a standing crosses to a process with another clock", () => {
  const shared = shareStanding(suspended, 2_000);
  expect(shared).toEqual({ kind: "suspended", times: 3, message: "401", pauseMs: 3_000 });
  expect(ownStanding(shared, 70_000)).toEqual({ ...suspended, untilMs: 73_000 });
});

test("a pause that is over stays over", () => {
  expect(shareStanding(suspended, 9_000)?.pauseMs).toBe(0);
});

test("a sink that delivers has nothing to tell", () => {
  expect(shareStanding(delivering, 0)).toBeUndefined();
  expect(ownStanding(undefined, 0)).toEqual(delivering);
});

test.each([
  ["none", undefined, undefined],
  ["no JSON", "{", undefined],
  ["another kind", '{"kind":"odd","times":1,"message":""}', undefined],
  ["no count", '{"kind":"retrying","times":0,"message":""}', undefined],
  [
    "one of ours",
    '{"kind":"retrying","times":2,"message":"503"}',
    { kind: "retrying", times: 2, message: "503", pauseMs: 7 },
  ],
])("stored text: %s", (_, text, expected) => {
  expect(parseStanding(text, 7)).toEqual(expected);
});
