import { expect, test } from "vitest";
import { EndpointState } from "./endpoint-state.ts";

test("a learned size limits requests, and doubles after each minute in which nothing was learned", () => {
  const state = new EndpointState("1.0");
  expect(state.maxRequest(0)).toEqual({ bytes: Infinity, samples: Infinity });
  state.learnSize({ bytes: 1_000, samples: 10 }, 0);
  expect(state.maxRequest(59_999)).toEqual({ bytes: 1_000, samples: 10 });
  expect(state.maxRequest(60_000)).toEqual({ bytes: 2_000, samples: 20 });
  state.learnSize({ bytes: 500, samples: 5 }, 60_000);
  expect(state.maxRequest(180_000)).toEqual({ bytes: 2_000, samples: 20 });
  expect(state.maxRequest(60_000 + 21 * 60_000).samples).toBe(Infinity);
});

test("what was learned survives, where the protocol is not configured", () => {
  const before = new EndpointState("auto");
  expect(before.learned(0)).toEqual({});
  before.tryVersion2();
  before.prove();
  before.learnSize({ bytes: 1_000, samples: 10 }, 0);
  expect(before.learned(0)).toEqual({ protocol: "2.0", size: { bytes: 1_000, samples: 10 } });
  const after = new EndpointState("auto");
  after.restore(before.learned(0), 0);
  expect([after.protocol, after.proven, after.maxRequest(0).samples]).toEqual(["2.0", false, 10]);
  const configured = new EndpointState("1.0");
  configured.restore(before.learned(0), 0);
  expect(configured.protocol).toBe("1.0");
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
  state.keepVersion1();
  expect(state.takesMetadata(0)).toBe(true);
});

test("one that leaves its turn lets nobody pass, and keeps nobody back", async () => {
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
