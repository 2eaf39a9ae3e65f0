import { expect, test } from "vitest";
import { programOf } from "../../../../test/support/gateway/route-program.ts";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { createGatewayWatch } from "./gateway-watch.ts";

const program = programOf([]);

function watchOf(gatewayDomain: string | undefined) {
  const clock = new TestClock(0);
  const state = { running: 0, woken: 0 };
  const tick = createGatewayWatch({
    gatewayDomain,
    clock,
    programs: {
      running: async () => state.running,
      async *all() {
        yield [program];
      },
    },
    store: {
      async addWork(_plane, items) {
        state.woken += items.length;
      },
    },
  });
  const pass = async (ms: number): Promise<number> => {
    for (let passed = 0; passed < ms; passed += 5_000) {
      clock.advance(5_000);
      await tick();
    }
    return state.woken;
  };
  return { state, pass };
}

test("once the last gateway has been gone for 15 s, all Gateways are looked at again, once", async () => {
  const { state, pass } = watchOf("proxy.example");
  state.running = 2;
  expect(await pass(60_000)).toBe(0);
  state.running = 0;
  expect(await pass(10_000)).toBe(0);
  expect(await pass(5_000)).toBe(1);
  expect(await pass(60_000)).toBe(1);
  state.running = 1;
  expect(await pass(5_000)).toBe(1);
  state.running = 0;
  expect(await pass(60_000)).toBe(2);
});

test("a restart is no loss", async () => {
  const { state, pass } = watchOf("proxy.example");
  for (let restart = 0; restart < 5; restart++) {
    state.running = 0;
    await pass(10_000);
    state.running = 1;
    expect(await pass(5_000)).toBe(0);
  }
});

test.each([
  ["the section is gone", undefined, 1],
  ["none has started", "proxy.example", 0],
])("after a start where %s", async (_, domain, running) => {
  const { state, pass } = watchOf(domain);
  state.running = running;
  expect(await pass(60_000)).toBe(1);
});
