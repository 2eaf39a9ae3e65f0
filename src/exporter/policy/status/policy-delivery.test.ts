import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { conditionReasons } from "./condition-reasons.ts";
import type { Condition } from "./conditions.ts";
import {
  compareStates,
  deliveryReasons,
  type NamedState,
  oldestTime,
  policyDelivering,
  policyDeliveringState,
  stateOfSink,
  worstState,
} from "./policy-delivery.ts";

const at = (minute: number) => `2026-11-20T12:${String(minute).padStart(2, "0")}:00Z`;

const ready = (fields: Partial<Condition> = {}): Condition => ({
  ...{ type: "Ready", status: "True", reason: "SinksAccepted", message: "All sinks are configured." },
  ...{ observedGeneration: 7, lastTransitionTime: at(0) },
  ...fields,
});

const statusOf: Readonly<Record<string, Condition["status"]>> = {
  Invalid: "False",
  ...Object.fromEntries(
    Object.entries({ ...conditionReasons.Accepted, ...conditionReasons.Delivering }).map(
      ([reason, { status }]) => [reason, status],
    ),
  ),
};

/** A sink in the state of a reason. */
const sink = (name: string, reason: string, message = `${reason}.`, since = at(1)): NamedState => ({
  name,
  state: {
    ...{ status: statusOf[reason] ?? "Unknown", reason, message },
    ...{ observedGeneration: 7, lastTransitionTime: since },
  },
});

const delivering = (...sinks: NamedState[]) => policyDelivering(ready(), sinks, undefined);

describe("the order of states", () => {
  test("contains every reason of a sink", () => {
    const { SinkConfigured: _, ...notAccepted } = conditionReasons.Accepted;
    const ofSinks = Object.keys({ ...notAccepted, ...conditionReasons.Delivering });
    expect([...deliveryReasons].sort()).toEqual(["Invalid", ...ofSinks].sort());
  });

  test("is total, and no state is worse than one of a worse status", () => {
    const states = [...deliveryReasons, "OfAnotherVersion"].map((reason) => sink("s", reason).state);
    for (const a of states) {
      for (const b of states) {
        const order = Math.sign(compareStates(a, b));
        expect(order + Math.sign(compareStates(b, a))).toBe(0);
        expect(order === 0).toBe(a === b);
      }
    }
    const sorted = deliveryReasons.map((reason) => sink("s", reason).state);
    expect([...sorted].reverse().sort(compareStates)).toEqual(sorted);
  });

  test("is the one that docs/conditions.md gives", () => {
    const document = readFileSync(new URL("../../../../docs/conditions.md", import.meta.url), "utf8");
    const list = /from worst to best:\s([\s\S]*?)\./.exec(document)?.[1] ?? "";
    expect([...list.matchAll(/`(\w+)`/g)].map(([, reason]) => reason)).toEqual(deliveryReasons);
  });
});

test.each([
  [["UpToDate"], "UpToDate"],
  [["UpToDate", "CatchingUp"], "CatchingUp"],
  [["CatchingUp", "Starting"], "Starting"],
  [["Starting", "Paused"], "Paused"],
  [["Paused", "SourceUnavailable"], "SourceUnavailable"],
  [["SourceUnavailable", "Retrying"], "Retrying"],
  [["Retrying", "Suspended"], "Suspended"],
  [["Suspended", "InvalidTarget"], "InvalidTarget"],
  [["InvalidTarget", "InvalidSource"], "InvalidSource"],
  [["InvalidSource", "InvalidAuthentication"], "InvalidAuthentication"],
  [["Retrying", "UpToDate", "Suspended", "Starting"], "Suspended"],
])("of %j the worst is %s, in any order", (reasons, expected) => {
  const states = reasons.map((reason) => sink("s", reason).state);
  expect(worstState(states)?.reason).toBe(expected);
  expect(worstState(states.reverse())?.reason).toBe(expected);
});

test("a reason of another version is as bad as its status", () => {
  const other = (status: Condition["status"]) => ({ status, reason: "OfAnotherVersion" });
  const states = [other("False"), sink("s", "Starting").state, other("Unknown"), sink("s", "UpToDate").state];
  expect(states.toReversed().sort(compareStates)).toEqual(states);
});

test("of equal states the first is the worst; of none there is none", () => {
  const [first, second] = [sink("a", "Retrying").state, sink("b", "Retrying").state];
  expect(worstState([first, second])).toBe(first);
  expect(worstState([])).toBeUndefined();
});

test.each([
  [{ status: "True", reason: "Invalid" }, "UpToDate"],
  [{ status: "False", reason: "SinksNotAccepted" }, "UpToDate"],
  [{ status: "False", reason: "Invalid" }, "Invalid"],
] as const)("a policy with Ready %j and a sink that is up to date is %s", (before, reason) => {
  const state = { ...before, observedGeneration: 7 };
  expect(policyDeliveringState(state, [sink("a", "UpToDate").state]).reason).toBe(reason);
});

test.each([
  ["no sinks", {}, [], 7],
  ["all sinks have observed it", {}, [7, 7], 7],
  ["a sink has not: the worst or not", {}, [7, 5, 6], 5],
  ["another replica's sink is ahead", {}, [8, 7], 7],
  ["an invalid policy runs nothing that could observe it", { status: "False", reason: "Invalid" }, [5], 7],
] as const)("observed generation: %s", (_, fields, generations, expected) => {
  const states = generations.map((observedGeneration) => ({
    ...sink("a", "UpToDate").state,
    observedGeneration,
  }));
  expect(policyDeliveringState(ready(fields), states).observedGeneration).toBe(expected);
});

test("a sink that is not accepted delivers nothing, whatever it reported before", () => {
  const [refused, upToDate] = [sink("s", "InvalidTarget").state, sink("s", "UpToDate").state];
  const accepted = sink("s", "SinkConfigured").state;
  expect(stateOfSink(refused, upToDate)).toBe(refused);
  expect(stateOfSink(accepted, upToDate)).toBe(upToDate);
  expect(stateOfSink(accepted, undefined)).toBeUndefined();
  expect(stateOfSink(undefined, upToDate)).toBe(upToDate);
});

describe("the condition of a policy", () => {
  test("has the status and reason of the worst sink, and the policy's generation", () => {
    expect(delivering(sink("a", "UpToDate"), sink("b", "Retrying", "HTTP 503", at(5)))).toEqual({
      ...{ type: "Delivering", status: "False", reason: "Retrying", message: "b: HTTP 503" },
      ...{ observedGeneration: 7, lastTransitionTime: at(5) },
    });
  });

  test.each<[string, NamedState[], string]>([
    ["one sink", [sink("a", "UpToDate", "Done.")], "a: Done."],
    ["the same message", [sink("a", "Retrying", "503"), sink("b", "Retrying", "503")], "a, b: 503"],
    ["different ones", [sink("a", "Retrying", "503"), sink("b", "Retrying", "500")], "a: 503; b: 500"],
    [
      "some of them well",
      [sink("a", "UpToDate"), sink("b", "Retrying", "500"), sink("c", "Suspended", "404")],
      "c: 404",
    ],
    [
      "more than three",
      ["a", "b", "c", "d", "e"].map((name) => sink(name, "Paused", "P")),
      "a, b, c: P; and 2 more",
    ],
    ["three", ["a", "b", "c"].map((name) => sink(name, "Paused", "P")), "a, b, c: P"],
    [
      "another status with the same reason",
      [
        sink("a", "Retrying"),
        { ...sink("b", "Other"), state: { ...sink("b", "Retrying").state, status: "True" } },
      ],
      "a: Retrying.",
    ],
  ])("names its worst sinks: %s", (_name, sinks, message) => {
    expect(delivering(...sinks).message).toBe(message);
  });

  test("has a bounded message with every name", () => {
    const names = ["a", "b", "c"].map((letter) => letter.repeat(63));
    const { message } = delivering(...names.map((name, i) => sink(name, "Retrying", `${i}`.repeat(5_000))));
    expect(message.length).toBeLessThanOrEqual(1_024);
    for (const name of names) expect(message).toContain(`${name}: `);
  });

  test("is Invalid when the policy is, with its faults", () => {
    const faulty = ready({
      status: "False",
      reason: "Invalid",
      message: "spec.sinks: must have at least 1 item",
    });
    const invalid = {
      status: "False",
      reason: "Invalid",
      message: faulty.message,
      lastTransitionTime: at(0),
    };
    expect(policyDelivering(faulty, [], undefined)).toMatchObject(invalid);
    const refused = sink("a", "InvalidTarget", "The policy is invalid.", at(0));
    expect(policyDelivering(faulty, [refused], undefined)).toMatchObject(invalid);
  });

  const failing = [
    sink("a", "Retrying", "503", at(8)),
    sink("b", "Suspended", "404", at(9)),
    sink("c", "UpToDate", "Done.", at(20)),
  ];
  test.each([
    ["the same status", "False", at(3)],
    ["another status", "True", at(9)],
    ["no status", undefined, at(9)],
  ])("keeps its transition time as long as its status: before, %s", (_name, status, expected) => {
    const previous = { status, lastTransitionTime: at(3) };
    expect(policyDelivering(ready(), failing, previous).lastTransitionTime).toBe(expected);
  });
});

test.each([
  [[], undefined],
  [["2026-11-20T12:00:00.000Z"], "2026-11-20T12:00:00.000Z"],
  [["2026-11-20T12:00:00.500Z", "2026-11-20T12:00:00Z"], "2026-11-20T12:00:00Z"],
  [["2026-11-20T12:00:00Z", "2026-11-20T12:00:00.500Z"], "2026-11-20T12:00:00Z"],
  [["2026-11-20T12:00:00Z", "2026-11-20T12:00:00.000Z"], "2026-11-20T12:00:00Z"],
])("the oldest of %j", (times, expected) => {
  expect(oldestTime(times)).toBe(expected);
});
