import { expect, test } from "vitest";
import { EndpointState } from "./endpoint-state.ts";

test("an acceptance counts for ten minutes", () => {
  const state = new EndpointState("1.0");
  expect(state.acceptedRecently(0)).toBe(false);
  state.accepted(1_000);
  expect(state.acceptedRecently(601_000)).toBe(true);
  expect(state.acceptedRecently(601_001)).toBe(false);
});

test("after a 413 requests are half as large, halved again where that is not enough, for an hour", () => {
  const state = new EndpointState("1.0");
  expect(state.maxRequestBytes(0)).toBe(Infinity);
  state.tooLarge(1_000, 0);
  expect(state.maxRequestBytes(1)).toBe(500);
  state.tooLarge(400, 1);
  expect(state.maxRequestBytes(2)).toBe(200);
  state.tooLarge(900, 2);
  expect(state.maxRequestBytes(3)).toBe(200);
  state.tooLarge(1, 3);
  expect(state.maxRequestBytes(3_600_003)).toBe(1);
  expect(state.maxRequestBytes(3_600_004)).toBe(Infinity);
  state.tooLarge(1_000, 3_600_005);
  expect(state.maxRequestBytes(3_600_005)).toBe(500);
});

test("metadata is for 1.0, while no refusal of it is remembered", () => {
  const state = new EndpointState("auto");
  expect(state.takesMetadata(0)).toBe(true);
  state.refuseMetadata(0);
  expect(state.takesMetadata(0)).toBe(false);
  state.forgetMetadataRefusal();
  expect(state.takesMetadata(0)).toBe(true);
  state.tryVersion2();
  expect(state.takesMetadata(0)).toBe(false);
  state.settleAtVersion1();
  expect(state.takesMetadata(0)).toBe(true);
});

test("one that gives up its turn lets nobody pass, and keeps nobody back", async () => {
  const state = new EndpointState("2.0");
  const order: string[] = [];
  let release: () => void = () => {};
  const never = new AbortController().signal;
  const first = state.alone(async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    order.push("first");
  }, never);
  const controller = new AbortController();
  const second = state.alone(() => Promise.resolve(order.push("second")), controller.signal);
  const third = state.alone(() => Promise.resolve(order.push("third")), never);
  controller.abort();
  expect(await second).toBeUndefined();
  expect(order).toEqual([]);
  release();
  await Promise.all([first, third]);
  expect(order).toEqual(["first", "third"]);
});
