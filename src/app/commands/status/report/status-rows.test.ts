import { expect, test } from "vitest";
import { condition } from "../../../../../test/support/daemon/daemon-status.ts";
import type { DaemonStatus, PolicyView, SinkView } from "../../../../exporter/policy/status/status-view.ts";
import { type StatusOrder, statusOrders, statusRows } from "./status-rows.ts";

const sink = (name: string, lagMs: number | undefined, status: "True" | "False", reason: string) =>
  ({
    name,
    conditions: [condition("Delivering", status, reason, "", 0)],
    ...(lagMs === undefined ? {} : { lagMs }),
  }) as unknown as SinkView;
const policy = (name: string, status: "True" | "False", ...sinks: SinkView[]) =>
  ({
    plane: "directory",
    namespace: "ns",
    name,
    conditions: [condition("Ready", status, "", "", 0)],
    sinks,
  }) as unknown as PolicyView;

const status = {
  policies: [
    policy("b", "True", sink("paused", 9_000, "False", "Paused"), sink("late", 5_000, "True", "CatchingUp")),
    policy("a", "True", sink("z", 100, "True", "UpToDate"), sink("y", undefined, "False", "Suspended")),
    policy("c", "False"),
    policy("a", "True", sink("x", 0, "False", "Retrying")),
  ],
} as unknown as DaemonStatus;

const names = (order: StatusOrder) =>
  statusRows(status, order).map(({ policy, sink }) => `${policy.name}/${sink?.name ?? "-"}`);

test.each<[StatusOrder, string[]]>([
  ["name", ["a/x", "a/y", "a/z", "b/late", "b/paused", "c/-"]],
  ["lag", ["b/paused", "b/late", "a/z", "a/x", "a/y", "c/-"]],
  ["error", ["c/-", "a/x", "a/y", "a/z", "b/late", "b/paused"]],
  ["state", ["a/y", "c/-", "a/x", "b/late", "a/z", "b/paused"]],
])("in order of %s", (order, expected) => {
  expect(names(order)).toEqual(expected);
});

test("every order keeps every row", () => {
  for (const order of statusOrders) expect(names(order).sort()).toEqual(names("name").sort());
});
