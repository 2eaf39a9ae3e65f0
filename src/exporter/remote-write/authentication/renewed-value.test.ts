import { expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { type Fetched, RenewedValue } from "./renewed-value.ts";

const never = new AbortController().signal;
const failed: Fetched<string> = {
  kind: "unavailable",
  verdict: { kind: "suspended", status: undefined, message: "no token" },
};

function setUp(lifetimeMs?: number) {
  const clock = new TestClock(0);
  const state = { fetches: 0, fails: false };
  const value = new RenewedValue(async (): Promise<Fetched<string>> => {
    state.fetches++;
    return state.fails ? failed : { kind: "value", value: `v${state.fetches}`, lifetimeMs };
  }, clock);
  const get = async () => {
    const fetched = await value.get(never);
    return fetched?.kind === "value" ? fetched.value : fetched?.kind;
  };
  return { clock, state, value, get };
}

test("one fetch serves all who wait, and those who come later", async () => {
  const { state, get } = setUp();
  expect(await Promise.all([get(), get(), get()])).toEqual(["v1", "v1", "v1"]);
  expect([await get(), state.fetches]).toEqual(["v1", 1]);
});

test("it is renewed before it expires, and the old one serves meanwhile", async () => {
  const { clock, state, get } = setUp(100_000);
  await get();
  clock.advance(79_000);
  expect([await get(), state.fetches]).toEqual(["v1", 1]);
  clock.advance(1_000);
  expect([await get(), state.fetches]).toEqual(["v1", 2]);
  expect(await get()).toBe("v2");
});

test("an expired one is not used, however often the fetch fails", async () => {
  const { clock, state, get } = setUp(100_000);
  await get();
  state.fails = true;
  clock.advance(90_000);
  expect(await get()).toBe("v1");
  clock.advance(10_000);
  expect(await get()).toBe("unavailable");
  // A failure is not repeated at once.
  const before = state.fetches;
  expect(await get()).toBe("unavailable");
  clock.advance(4_999);
  await get();
  expect(state.fetches).toBe(before);
  state.fails = false;
  clock.advance(1);
  expect(await get()).toMatch(/^v/);
});

test("a refused one is replaced once it is half a minute old", async () => {
  const { clock, value, get } = setUp();
  await get();
  expect(value.refused("v1")).toBe(false);
  clock.advance(30_000);
  expect(value.refused("v1")).toBe(true);
  expect(await get()).toBe("v2");
  // Another request has seen the refusal already.
  expect(value.refused("v1")).toBe(true);
  expect(await get()).toBe("v2");
});

test("who stops waiting gets nothing, and the others do", async () => {
  const { value, get } = setUp();
  const stop = new AbortController();
  const waiting = value.get(stop.signal);
  stop.abort();
  expect(await waiting).toBeUndefined();
  expect(await value.get(stop.signal)).toEqual({ kind: "value", value: "v1", lifetimeMs: undefined });
  expect(await get()).toBe("v1");
});
