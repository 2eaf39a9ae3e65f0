import { expect, test } from "vitest";
import { sinkPlan } from "../../../../test/support/sink/exporter-deps.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import { SinkStates } from "../state/sink-states.ts";
import { Reconciler } from "./reconciler.ts";

/** A daemon with a simulated clock, in which each reconciliation takes `lookMs`. */
function newDaemon(lookMs: number) {
  const world = {
    nowMs: 0,
    looks: 0,
    started: [] as string[],
    calls: [] as string[],
    listener: () => {},
    plans: [] as SinkPlan[],
  };
  const sleepers: { atMs: number; wake: () => void }[] = [];
  const clock: Clock = {
    nowMs: () => world.nowMs,
    monotonicMs: () => world.nowMs,
    sleep: (ms) => new Promise((wake) => sleepers.push({ atMs: world.nowMs + ms, wake })),
  };
  const reconciler = new Reconciler({
    desired: {
      plans: () => {
        world.looks++;
        world.nowMs += lookMs;
        return world.plans;
      },
      subscribe: (listener) => {
        world.listener = listener;
        return () => undefined;
      },
    },
    schedule: {
      start: ({ name }) => world.started.push(name),
      change: ({ name }) => world.calls.push(`change ${name}`),
      renew: ({ name, generation }) => world.calls.push(`renew ${name} to ${generation}`),
      remove: async () => undefined,
      snapshots: () => [],
      snapshotOf: () => undefined,
    },
    state: new SinkStates(),
    clock,
    log: silentLogger,
  });
  const passTo = async (ms: number): Promise<void> => {
    world.nowMs = ms;
    for (const sleeper of sleepers.splice(0)) {
      if (sleeper.atMs <= ms) sleeper.wake();
      else sleepers.push(sleeper);
    }
    await new Promise((resolve) => setImmediate(resolve));
  };
  void reconciler.run(new AbortController().signal);
  return { world, passTo };
}

test("where a look takes no time, each change is made at once", () => {
  const { world } = newDaemon(0);
  for (const name of ["a", "b", "c"]) {
    world.plans = [...world.plans, sinkPlan({ name })];
    world.listener();
    expect(world.started.at(-1)).toBe(name);
  }
});

test("where it takes long, the changes of a while are made together, and none is forgotten", async () => {
  const { world, passTo } = newDaemon(50);
  expect(world.looks).toBe(1);
  for (let change = 0; change < 100; change++) {
    world.plans = [...world.plans, sinkPlan({ name: String(change) })];
    world.listener();
    await passTo(60 + change);
  }
  expect(world.looks).toBe(1);
  await passTo(1_050);
  expect(world.looks).toBe(2);
  expect(world.started).toHaveLength(100);
  await passTo(10_000);
  world.plans = [...world.plans, sinkPlan({ name: "last" })];
  world.listener();
  expect(world.started.at(-1)).toBe("last");
});

test("a plan of which only the generation is new is handed over without an interruption", () => {
  const { world } = newDaemon(0);
  world.plans = [sinkPlan({ name: "edited" }), sinkPlan({ name: "unchanged" })];
  world.listener();
  world.plans = [
    sinkPlan({ name: "edited", paused: true, generation: 2 }),
    sinkPlan({ name: "unchanged", generation: 2 }),
  ];
  world.listener();
  world.listener();
  expect(world.calls).toEqual(["renew unchanged to 2", "change edited"]);
});
