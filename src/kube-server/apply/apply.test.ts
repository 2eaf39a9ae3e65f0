import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, KubeObject } from "../api/object.ts";
import { wholeObjectSchema } from "../api/object-meta.ts";
import { type ApplyOutcome, applyConfiguration, trackUpdate } from "./apply.ts";
import { pathsOf } from "./field-set.ts";
import { type Manager, readManagers, writeManagers } from "./managers.ts";

const schema = wholeObjectSchema({
  properties: {
    data: { type: "object", additionalProperties: { type: "string" } },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: { type: "object", properties: { name: { type: "string" }, size: { type: "integer" } } },
    },
  },
});

const [t1, t2, t3] = ["2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z", "2026-01-01T00:00:03Z"];
const writer = (manager: string, operation: "Apply" | "Update" = "Apply") =>
  ({ manager, operation, apiVersion: "v1", subresource: "" }) as const;
const object = (fields: JsonObject): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a" },
  ...fields,
});

interface State {
  readonly object: KubeObject;
  readonly managers: readonly Manager[];
}

const nothing: State = { object: object({}), managers: [] };

function attempt(state: State, manager: string, fields: JsonObject, force = false, now = t2): ApplyOutcome {
  return applyConfiguration(
    state.object,
    object(fields),
    state.managers,
    writer(manager),
    force,
    schema,
    now,
  );
}

function apply(state: State, manager: string, fields: JsonObject, force = false, now = t2): State {
  const outcome = attempt(state, manager, fields, force, now);
  if (!outcome.ok) throw new Error(`conflict: ${outcome.conflicts.map(({ field }) => field).join()}`);
  return outcome;
}

function update(state: State, manager: string, fields: JsonObject): State {
  const next = object(fields);
  return {
    object: next,
    managers: trackUpdate(state.managers, state.object, next, writer(manager, "Update"), schema, t3),
  };
}

const owned = ({ managers }: State, name: string): string[] =>
  managers.filter(({ manager }) => manager === name).flatMap(({ fields }) => pathsOf(fields));

describe("apply", () => {
  test("what is not there is added and owned", () => {
    const state = apply(nothing, "one", { data: { k: "v" } });
    expect(state.object["data"]).toEqual({ k: "v" });
    expect(owned(state, "one")).toEqual([".data.k"]);
  });

  test("what is not applied any more is removed", () => {
    const first = apply(nothing, "one", { data: { k: "v", l: "w" }, items: [{ name: "x", size: 1 }] });
    const second = apply(first, "one", { data: { k: "v" } });
    expect(second.object["data"]).toEqual({ k: "v" });
    expect(second.object["items"]).toBeUndefined();
    expect(owned(second, "one")).toEqual([".data.k"]);
  });

  test("what another manager owns too stays", () => {
    const first = apply(nothing, "one", { data: { k: "v", l: "w" } });
    const both = apply(first, "two", { data: { l: "w" } });
    const without = apply(both, "one", { data: { k: "v" } });
    expect(without.object["data"]).toEqual({ k: "v", l: "w" });
    expect(owned(without, "two")).toEqual([".data.l"]);
  });

  test("the same value is shared, another value is a conflict, force takes it", () => {
    const first = apply(nothing, "one", { data: { k: "v" } });
    expect(apply(first, "two", { data: { k: "v" } }).object["data"]).toEqual({ k: "v" });
    const refused = attempt(first, "two", { data: { k: "other" } });
    expect(refused).toMatchObject({
      ok: false,
      conflicts: [{ field: ".data.k", manager: { manager: "one" } }],
    });
    const forced = apply(first, "two", { data: { k: "other" } }, true);
    expect(forced.object["data"]).toEqual({ k: "other" });
    expect([owned(forced, "one"), owned(forced, "two")]).toEqual([[], [".data.k"]]);
  });

  test("managers have items of their own in one list", () => {
    const first = apply(nothing, "one", { items: [{ name: "x", size: 1 }] });
    const both = apply(first, "two", { items: [{ name: "y", size: 2 }] });
    expect(both.object["items"]).toEqual([
      { name: "x", size: 1 },
      { name: "y", size: 2 },
    ]);
    const left = apply(both, "one", {});
    expect(left.object["items"]).toEqual([{ name: "y", size: 2 }]);
  });

  test("applying the same again changes nothing, not even the time", () => {
    const first = apply(nothing, "one", { data: { k: "v" } }, false, t1);
    expect(apply(first, "one", { data: { k: "v" } }, false, t3)).toEqual({ ok: true, ...first });
  });

  test("an object that nobody tracked conflicts with a manager of that name", () => {
    const untracked: State = { object: object({ data: { k: "v" } }), managers: [] };
    expect(attempt(untracked, "one", { data: { k: "new" } })).toMatchObject({
      ok: false,
      conflicts: [{ manager: { manager: "before-first-apply" } }],
    });
  });
});

describe("update", () => {
  test("takes what it changes from those who applied it, and removes what it removes", () => {
    const first = apply(nothing, "one", { data: { k: "v", l: "w" } });
    const edited = update(first, "editor", { data: { k: "changed" } });
    expect(owned(edited, "one")).toEqual([]);
    expect(owned(edited, "editor")).toEqual([".data.k"]);
    expect(attempt(edited, "one", { data: { k: "v" } })).toMatchObject({ ok: false });
  });

  test("a change of nothing leaves the managers as they are", () => {
    const first = apply(nothing, "one", { data: { k: "v" } });
    expect(update(first, "editor", { data: { k: "v" } }).managers).toEqual(first.managers);
  });
});

test("managedFields are written and read back, and what is none is refused", () => {
  const state = update(apply(nothing, "one", { data: { k: "v" } }), "editor", { data: { k: "v", l: "w" } });
  const entries = writeManagers(state.managers);
  expect(entries.map((entry) => [entry["manager"], entry["operation"]])).toEqual([
    ["one", "Apply"],
    ["editor", "Update"],
  ]);
  expect(readManagers(JSON.parse(JSON.stringify(entries)))).toHaveLength(2);
  expect(readManagers([{}])).toEqual([]);
  expect(readManagers(undefined)).toEqual([]);
  for (const bad of ["x", [1], [{ manager: "a", operation: "Steal" }]])
    expect(readManagers(bad)).toBeUndefined();
  const entry = { manager: "a", operation: "Apply", fieldsType: "FieldsV1" };
  expect(readManagers([{ ...entry, fieldsV1: { "f:a": {} } }])).toHaveLength(1);
  for (const fieldsV1 of [{ "x:a": {} }, { "k:nope": {} }, { "f:a": 1 }]) {
    expect(readManagers([{ ...entry, fieldsV1 }])).toBeUndefined();
  }
});

/**
 * For any two appliers, each one's last configuration is in the object unless the other overrode it by force.
 */
test("the last apply is always fully there", () => {
  const name = fc.constantFrom("a", "b");
  const fields = fc.record(
    {
      data: fc.dictionary(name, name),
      items: fc.uniqueArray(fc.record({ name, size: fc.nat(1) }), { selector: (each) => each.name }),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<JsonObject>;
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom("one", "two"), fields), { maxLength: 6 }), (steps) => {
      let state: State = nothing;
      for (const [manager, wanted] of steps) {
        state = apply(state, manager, wanted, true);
        expect(state.object["data"] ?? {}).toMatchObject((wanted["data"] ?? {}) as JsonObject);
        for (const item of (wanted["items"] as JsonObject[] | undefined) ?? []) {
          expect(state.object["items"]).toContainEqual(item);
        }
      }
      for (const manager of ["one", "two"]) state = apply(state, manager, {}, true);
      expect(Object.values((state.object["data"] ?? {}) as JsonObject)).toEqual([]);
      expect(state.object["items"] ?? []).toEqual([]);
    }),
  );
});
