import { expect, test } from "vitest";
import { sinkPlan } from "../../../../test/support/sink/exporter-deps.ts";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";
import { planChanges } from "./plan-changes.ts";

function plan(name: string, change: Partial<SinkPlan> = {}): SinkPlan {
  return sinkPlan({ name, credentials: { kind: "basicAuth", username: "u", password: "p" }, ...change });
}

test.each([
  { name: "nothing changed", desired: [plan("a"), plan("b")], started: [], changed: [], removed: [] },
  {
    name: "a new sink",
    desired: [plan("a"), plan("b"), plan("c")],
    started: ["c"],
    changed: [],
    removed: [],
  },
  { name: "a sink is gone", desired: [plan("a")], started: [], changed: [], removed: ["b"] },
  {
    name: "an edited endpoint",
    desired: [plan("a"), plan("b", { endpoint: "http://x/" })],
    started: [],
    changed: ["b"],
    removed: [],
  },
  {
    name: "a rotated password",
    desired: [plan("a"), plan("b", { credentials: { kind: "basicAuth", username: "u", password: "q" } })],
    started: [],
    changed: ["b"],
    removed: [],
  },
  {
    name: "a generation alone",
    desired: [plan("a"), plan("b", { generation: 7 })],
    started: [],
    changed: [],
    removed: [],
  },
])("$name", ({ desired, started, changed, removed }) => {
  const running = new Map([plan("a"), plan("b")].map((each) => [sinkKey(each.policy, each.name), each]));
  const changes = planChanges(running, desired);
  expect(changes.started.map(({ name }) => name)).toEqual(started);
  expect(changes.changed.map(({ name }) => name)).toEqual(changed);
  expect(changes.removed.map((key) => key.split("/").at(-1))).toEqual(removed);
});

test("a plan that comes to the same is known by its new object, so that it is compared once", () => {
  const [before, after] = [plan("a"), plan("a", { generation: 7 })];
  const key = sinkKey(before.policy, before.name);
  expect(planChanges(new Map([[key, before]]), [after]).renewed).toEqual([after]);
  expect(planChanges(new Map([[key, after]]), [after]).renewed).toEqual([]);
});
