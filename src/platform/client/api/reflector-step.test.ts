import fc from "fast-check";
import { expect, test } from "vitest";
import { listFromStart, type ReflectorInput, type ReflectorState, reflectorStep } from "./reflector-step.ts";

const object = (name: string) => ({ metadata: { name } });
const listing = (names: string[], continueToken = "", failures = 0): ReflectorState => ({
  phase: "listing",
  collected: names.map(object),
  continueToken,
  failures,
});
const watching = (resourceVersion: string, failures = 0): ReflectorState => ({
  phase: "watching",
  resourceVersion,
  failures,
});
const page = (names: string[], continueToken = "", resourceVersion = "9"): ReflectorInput => ({
  kind: "page",
  items: names.map(object),
  continueToken,
  resourceVersion,
});
const event = (type: string, name: string, resourceVersion: string): ReflectorInput => ({
  kind: "event",
  type,
  object: object(name),
  resourceVersion,
});

test.each<[string, ReflectorState, ReflectorInput, ReflectorState, unknown]>([
  ["a list in one part", listFromStart, page(["a"]), watching("9"), { kind: "swap", items: [object("a")] }],
  ["the first part of more", listFromStart, page(["a"], "t"), listing(["a"], "t"), undefined],
  [
    "the last part",
    listing(["a"], "t"),
    page(["b"]),
    watching("9"),
    { kind: "swap", items: [object("a"), object("b")] },
  ],
  [
    "a list that breaks off keeps its parts",
    listing(["a"], "t"),
    { kind: "failed" },
    listing(["a"], "t", 1),
    undefined,
  ],
  ["a part after a failure", listing(["a"], "t", 3), page(["b"], "u"), listing(["a", "b"], "u"), undefined],
  [
    "a token that is too old starts over",
    listing(["a"], "t"),
    { kind: "expired" },
    listing([], "", 1),
    undefined,
  ],
  ["added", watching("9"), event("ADDED", "a", "10"), watching("10"), { kind: "put", object: object("a") }],
  [
    "changed",
    watching("9"),
    event("MODIFIED", "a", "10"),
    watching("10"),
    { kind: "put", object: object("a") },
  ],
  [
    "deleted",
    watching("9"),
    event("DELETED", "a", "10"),
    watching("10"),
    { kind: "delete", object: object("a") },
  ],
  [
    "a bookmark only moves the version",
    watching("9"),
    event("BOOKMARK", "", "12"),
    watching("12"),
    undefined,
  ],
  ["an event of an unknown type too", watching("9"), event("NEW", "a", "12"), watching("12"), undefined],
  [
    "an event ends a row of failures",
    watching("9", 4),
    event("BOOKMARK", "", "12"),
    watching("12"),
    undefined,
  ],
  [
    "a broken watch goes on from where it was",
    watching("9"),
    { kind: "failed" },
    watching("9", 1),
    undefined,
  ],
  ["one that ends in order too", watching("9"), { kind: "closed" }, watching("9"), undefined],
  [
    "a version that is too old means a new list",
    watching("9", 2),
    { kind: "expired" },
    listing([], "", 2),
    undefined,
  ],
  ["a page nobody waits for", watching("9"), page(["a"]), watching("9"), undefined],
  ["an event nobody waits for", listing(["a"]), event("ADDED", "b", "3"), listing(["a"]), undefined],
])("%s", (_name, state, input, next, effect) => {
  expect(reflectorStep(state, input)).toEqual({ state: next, ...(effect === undefined ? {} : { effect }) });
});

test("no failure and no broken list ever takes an object away", () => {
  const input = fc.oneof(
    fc.constant<ReflectorInput>({ kind: "failed" }),
    fc.constant<ReflectorInput>({ kind: "expired" }),
    fc.constant<ReflectorInput>({ kind: "closed" }),
    fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }).map((names) => page(names, "more")),
  );
  fc.assert(
    fc.property(fc.array(input), fc.constantFrom(listFromStart, watching("5")), (inputs, first) => {
      let state = first;
      for (const each of inputs) {
        const step = reflectorStep(state, each);
        expect(step.effect).toBeUndefined();
        state = step.state;
      }
    }),
  );
});
