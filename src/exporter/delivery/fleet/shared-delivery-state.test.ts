import { expect, test } from "vitest";
import { type DeliveryState, delivering } from "../dispatch/delivery-state.ts";
import { ownDeliveryState, parseDeliveryState, shareDeliveryState } from "./shared-delivery-state.ts";

const suspended: DeliveryState = { kind: "suspended", times: 3, message: "401", untilMs: 5_000 };

test("a delivery state crosses to a process with another clock", () => {
  const shared = shareDeliveryState(suspended, 2_000);
  expect(shared).toEqual({ kind: "suspended", times: 3, message: "401", pauseMs: 3_000 });
  expect(ownDeliveryState(shared, 70_000)).toEqual({ ...suspended, untilMs: 73_000 });
});

test("a pause that is over stays over", () => {
  expect(shareDeliveryState(suspended, 9_000)?.pauseMs).toBe(0);
});

test("a sink that delivers has nothing to report", () => {
  expect(shareDeliveryState(delivering, 0)).toBeUndefined();
  expect(ownDeliveryState(undefined, 0)).toEqual(delivering);
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
  expect(parseDeliveryState(text, 7)).toEqual(expected);
});
