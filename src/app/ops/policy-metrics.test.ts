import { expect, test } from "vitest";
import type { Condition } from "../../exporter/policy/status/conditions.ts";
import { policyExposition } from "./policy-metrics.ts";

const times = { observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" };

function policy(name: string, reason: string, sinks: readonly [string, Condition["status"]][]) {
  const condition = (type: Condition["type"], status: Condition["status"], why: string): Condition => ({
    ...{ type, status, reason: why, message: "" },
    ...times,
  });
  return {
    ref: { plane: "web", namespace: "shop", name, uid: "-" },
    status: {
      conditions: [condition("Ready", reason === "SinksAccepted" ? "True" : "False", reason)],
      sinks: sinks.map(([sink, status]) => ({
        name: sink,
        conditions: [condition("Accepted", status, "R")],
      })),
    },
  };
}

const linesOf = (pieces: readonly string[]): string[] =>
  pieces
    .join("")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"));

test("every declared sink has a series, and every state of policies", () => {
  const policies = [
    policy("a", "SinksAccepted", [["one", "True"]]),
    policy("b", "SinksNotAccepted", [
      ["one", "True"],
      ["two", "False"],
    ]),
    policy("c", "Invalid", [['x"\ny', "False"]]),
    policy("d", "Invalid", []),
  ];
  expect(linesOf([...policyExposition(policies)])).toEqual([
    'telemetryd_sink_accepted{plane="web",namespace="shop",policy="a",sink="one"} 1',
    'telemetryd_sink_accepted{plane="web",namespace="shop",policy="b",sink="one"} 1',
    'telemetryd_sink_accepted{plane="web",namespace="shop",policy="b",sink="two"} 0',
    'telemetryd_sink_accepted{plane="web",namespace="shop",policy="c",sink="x\\"\\ny"} 0',
    'telemetryd_policy_ready{plane="web",namespace="shop",policy="a"} 1',
    'telemetryd_policy_ready{plane="web",namespace="shop",policy="b"} 0',
    'telemetryd_policy_ready{plane="web",namespace="shop",policy="c"} 0',
    'telemetryd_policy_ready{plane="web",namespace="shop",policy="d"} 0',
    'telemetryd_policies{state="ready"} 1',
    'telemetryd_policies{state="sinks_not_accepted"} 1',
    'telemetryd_policies{state="invalid"} 2',
  ]);
});

test("sinks of the same or of an endless name make one short series", () => {
  const sinks = ["one", "one", "x".repeat(1_000_000), `${"x".repeat(70)}y`].map(
    (name) => [name, "False"] as const,
  );
  const lines = linesOf([
    ...policyExposition([
      policy(
        "a",
        "Invalid",
        sinks.map(([n, s]) => [n, s]),
      ),
    ]),
  ]);
  const series = lines.filter((line) => line.startsWith("telemetryd_sink_accepted"));
  expect(series).toHaveLength(2);
  expect(Math.max(...series.map(({ length }) => length))).toBeLessThan(200);
});

test("pieces are bounded, whatever the number of policies and sinks", () => {
  const many = (count: number, sinks: readonly [string, "True"][]) =>
    Array.from({ length: count }, (_, index) => policy(`p${index}`, "SinksAccepted", sinks));
  const withSinks = [...policyExposition(many(1_000, [["one", "True"]]))];
  expect(Math.max(...withSinks.map((piece) => piece.split("\n").length))).toBeLessThan(300);
  expect([...policyExposition(many(1_000, []))].length).toBeGreaterThan(3);
});
