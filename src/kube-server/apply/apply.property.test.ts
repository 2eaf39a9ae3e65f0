import fc from "fast-check";
import { expect, test } from "vitest";
import {
  applied,
  conflictsOf,
  fieldsOfThing,
  itemField,
  itemOf,
  type Model,
  nothing,
  type Thing,
  type ThingItem,
  updated,
} from "../../../test/support/plane/apply-model.ts";
import type { KubeObject } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import { type ApplyOutcome, applyConfiguration, trackUpdate } from "./apply.ts";
import { pathsOf } from "./field-set.ts";
import type { Manager, Writer } from "./managers.ts";

/**
 * Random applies and updates by several managers have the same effect on an object as on a plain model of
 * server-side apply.
 */

const text: Schema = { type: "string" };
const texts: Schema = { type: "array", items: text };
const schema: Schema = {
  type: "object",
  properties: {
    text,
    count: { type: "integer" },
    map: { type: "object", additionalProperties: text },
    set: { ...texts, "x-kubernetes-list-type": "set" },
    list: texts,
    atom: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
    items: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        properties: {
          name: text,
          size: { type: "integer" },
          tags: { ...texts, "x-kubernetes-list-type": "set" },
        },
      },
    },
  },
};

/** Small sets, so that managers collide. */
const word = fc.constantFrom("a", "b", "c");
const value = fc.constantFrom("x", "y");
const number = fc.nat(1);
const words = fc.uniqueArray(word, { minLength: 1 });
const map = fc.dictionary(word, value, { minKeys: 1 });
const item = fc.record({ name: word, size: number, tags: words }, { requiredKeys: ["name"] });
const items = fc.uniqueArray(item, { minLength: 1, selector: ({ name }) => name });
const list = fc.array(word, { maxLength: 2 });
const fields = { text: value, count: number, map, set: words, list, atom: fc.dictionary(word, value), items };
const thing = fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Thing>;

type Step =
  | { readonly do: "apply"; readonly manager: string; readonly force: boolean; readonly thing: Thing }
  | {
      readonly do: "update";
      readonly manager: string;
      /** Fields of the object to replace with those of `thing`, or to remove if it lacks them. */
      readonly replaced: readonly (keyof Thing)[];
      readonly thing: Thing;
    };

const names = Object.keys(fields) as (keyof Thing)[];
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("apply" as const),
      manager: fc.constantFrom("one", "two", "three", "four"),
      force: fc.boolean(),
      thing,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("update" as const),
      // One name also applies: the two operations make two managers.
      manager: fc.constantFrom("one", "editor"),
      replaced: fc.subarray(names, { minLength: 1, maxLength: 3 }),
      thing,
    }),
  },
);
const steps = fc.array(step, { minLength: 1, maxLength: 12 });

interface State {
  readonly object: KubeObject;
  readonly managers: readonly Manager[];
}

// As every object, it has what no manager owns: an apply of nothing leaves that.
const created: State = { object: { metadata: { name: "thing" } } as KubeObject, managers: [] };

const asThing = (object: KubeObject): Thing => object as unknown as Thing;
const writerOf = (manager: string, operation: Writer["operation"]): Writer => {
  return { manager, operation, apiVersion: "v1", subresource: "" };
};
const nameOf = ({ manager, operation }: Writer) => `${operation} ${manager}`;

function apply({ object, managers }: State, manager: string, wanted: Thing, force: boolean): ApplyOutcome {
  const configuration = structuredClone(wanted) as unknown as KubeObject;
  return applyConfiguration(
    object,
    configuration,
    managers,
    writerOf(manager, "Apply"),
    force,
    schema,
    now(),
  );
}

let time = 0;
const now = () => String(++time);

/** An update that creates maps and lists owns them; the model knows only their members. */
const isContainer = (path: string) => /^\.(map|set|items)$|\.tags$/.test(path);

function ownedIn({ managers }: State): Map<string, string[]> {
  const all = managers.map((each) => {
    const paths = pathsOf(each.fields);
    // An apply never owns containers that have members, as they do here.
    const plain = each.operation === "Apply" ? paths : paths.filter((path) => !isContainer(path));
    return [nameOf(each), plain.sort()] as const;
  });
  return new Map(all.filter(([, paths]) => paths.length > 0));
}

const sorted = <T>(map: ReadonlyMap<string, T>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));

/** Uses the slow matcher only for its output. */
function expectSame(found: unknown, expected: unknown): void {
  if (JSON.stringify(found) !== JSON.stringify(expected)) expect(found).toEqual(expected);
}

function expectModel(state: State, model: Model): void {
  expectSame(sorted(fieldsOfThing(asThing(state.object))), sorted(model.fields));
  const owned = sorted(model.owned).map(([name, fields]) => [name, [...fields].sort()]);
  expectSame(sorted(ownedIn(state)), owned);
  const anybodys = new Set([...model.owned.values()].flatMap((each) => [...each]));
  const nobodys = [...model.fields.keys()].filter((field) => !anybodys.has(field));
  expectSame(nobodys, []);
  expectHeld(state);
}

/** No field set contains a field that the object lacks. */
function expectHeld({ object, managers }: State): void {
  const held = fieldsOfThing(asThing(object));
  const tagged = (asThing(object).items ?? []).filter(({ tags }) => tags !== undefined);
  const containers = [
    ...Object.keys(object).map((name) => `.${name}`),
    ...tagged.map(({ name }) => `${itemField(name)}.tags`),
  ];
  const all = new Set([...held.keys(), ...containers]);
  const strange = managers.flatMap(({ fields }) => pathsOf(fields)).filter((path) => !all.has(path));
  expectSame(strange, []);
}

/** Applied items are in the applied order, the others in their previous order. */
function expectOrder(before: readonly string[], wanted: readonly string[], after: readonly string[]): void {
  const others = after.filter((each) => !wanted.includes(each));
  const inOrder = after.filter((each) => wanted.includes(each));
  expectSame([inOrder, others], [wanted, before.filter((each) => others.includes(each))]);
}

const namesOf = (all: readonly ThingItem[] | undefined) => (all ?? []).map(({ name }) => name);

function applyStep(state: State, model: Model, { manager, force, thing }: Step & { do: "apply" }) {
  const wanted = fieldsOfThing(thing);
  const conflicts = conflictsOf(model, `Apply ${manager}`, wanted);
  const outcome = apply(state, manager, thing, force);
  if (!force && conflicts.length > 0) {
    const found = outcome.ok
      ? []
      : outcome.conflicts.map((each) => `${nameOf(each.manager)} ${each.field}`).sort();
    expectSame(found, conflicts);
    return { state, model };
  }
  if (!outcome.ok) throw new Error(`a conflict over ${outcome.conflicts.map(({ field }) => field).join()}`);
  const next: State = { object: outcome.object, managers: outcome.managers };
  const [before, after] = [asThing(state.object), asThing(next.object)];
  expectOrder(namesOf(before.items), namesOf(thing.items), namesOf(after.items));
  expectOrder(before.set ?? [], thing.set ?? [], after.set ?? []);
  // Even the timestamp of the manager's entry stays.
  expectSame(apply(next, manager, thing, false), { ok: true, ...next });
  return { state: next, model: applied(model, `Apply ${manager}`, wanted) };
}

function updateStep(state: State, model: Model, { manager, replaced, thing }: Step & { do: "update" }) {
  const object: Record<string, unknown> = { ...state.object };
  for (const name of replaced) {
    delete object[name];
    if (thing[name] !== undefined) object[name] = thing[name];
  }
  const next = structuredClone(object) as KubeObject;
  const writer = writerOf(manager, "Update");
  const managers = trackUpdate(state.managers, state.object, next, writer, schema, now());
  return {
    state: { object: next, managers },
    model: updated(model, `Update ${manager}`, fieldsOfThing(object as Thing)),
  };
}

function run(all: readonly Step[], check: (state: State, model: Model) => void): void {
  let reached = { state: created, model: nothing };
  for (const each of all) {
    reached =
      each.do === "apply"
        ? applyStep(reached.state, reached.model, each)
        : updateStep(reached.state, reached.model, each);
    check(reached.state, reached.model);
  }
}

test("the object and its managers are those of the model", () => {
  fc.assert(
    fc.property(steps, (all) => run(all, expectModel)),
    { numRuns: 500 },
  );
});

const isKey = (field: string) => field.endsWith(".name");

/** A thing with exactly these fields of another one. An item keeps its name. */
function partOf(whole: Thing, isIn: (field: string) => boolean): Thing {
  const part: Record<string, unknown> = {};
  for (const name of ["text", "count", "list", "atom"] as const) {
    if (isIn(`.${name}`)) part[name] = whole[name];
  }
  const map = Object.entries(whole.map ?? {}).filter(([key]) => isIn(`.map.${key}`));
  if (map.length > 0) part["map"] = Object.fromEntries(map);
  const set = (whole.set ?? []).filter((each) => isIn(`.set[="${each}"]`));
  if (set.length > 0) part["set"] = set;
  const items = (whole.items ?? [])
    .filter(({ name }) => isIn(itemField(name)))
    .map(({ name, size, tags = [] }) => {
      const own = tags.filter((tag) => isIn(`${itemField(name)}.tags[="${tag}"]`));
      const sized = size !== undefined && isIn(`${itemField(name)}.size`) ? { size } : {};
      return { name, ...sized, ...(own.length > 0 ? { tags: own } : {}) };
    });
  if (items.length > 0) part["items"] = items;
  return part as Thing;
}

test("applying all that one owns but one thing removes that thing alone, unless another owns it, too", () => {
  fc.assert(
    fc.property(steps, fc.nat(), (all, choice) => {
      let last = created;
      run(all, (state) => {
        last = state;
      });
      const owned = ownedIn(last);
      for (const manager of ["one", "two", "three", "four"]) {
        const own = (owned.get(`Apply ${manager}`) ?? []).filter((field) => !isKey(field));
        const dropped = own[choice % Math.max(1, own.length)];
        if (dropped === undefined) continue;
        const isUnder = (field: string) => field === dropped || itemOf(field) === dropped;
        const wanted = partOf(asThing(last.object), (field) => own.includes(field) && !isUnder(field));
        const outcome = apply(last, manager, wanted, false);
        if (!outcome.ok) throw new Error("what a manager owns has no conflict");
        const others = [...owned].filter(([name]) => name !== `Apply ${manager}`).flatMap(([, each]) => each);
        const isLost = (field: string): boolean => {
          if (!isUnder(field)) return false;
          // An item is removed whole; if another manager owns it too, only this manager's fields go.
          return !others.includes(dropped) || (own.includes(field) && !others.includes(field));
        };
        const expected = sorted(fieldsOfThing(asThing(last.object))).filter(([field]) => !isLost(field));
        expectSame(sorted(fieldsOfThing(asThing(outcome.object))), expected);
      }
    }),
    { numRuns: 300 },
  );
});
