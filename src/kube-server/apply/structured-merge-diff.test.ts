import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import { applyConfiguration, trackUpdate } from "./apply.ts";
import { type FieldSet, isEmptySet, pathsOf } from "./field-set.ts";
import type { Manager, Writer } from "./managers.ts";

/**
 * Random sequences of applies and updates with the results (objects, managers, conflicts) of
 * structured-merge-diff v6.4.2, the library of the Kubernetes API server.
 */
interface Recorded {
  readonly request: {
    readonly op: "apply" | "update";
    readonly manager: string;
    readonly force: boolean;
    readonly object: KubeObject;
  };
  readonly result: {
    readonly conflicts: readonly string[];
    readonly object: KubeObject;
    readonly managers: Readonly<Record<string, FieldSet>>;
  };
}

/** One sequence per line. */
const file = readFileSync(new URL("structured-merge-diff.jsonl", import.meta.url), "utf8");
const sequences = file
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as readonly Recorded[]);

const text: Schema = { type: "string" };
const texts: Schema = { type: "array", items: text };
const item: Schema = {
  type: "object",
  properties: {
    name: text,
    size: { type: "integer" },
    deep: { type: "object", properties: { a: text, b: text } },
    tags: { ...texts, "x-kubernetes-list-type": "set" },
  },
};
const schema: Schema = {
  type: "object",
  properties: {
    text,
    data: { type: "object", additionalProperties: text },
    set: { ...texts, "x-kubernetes-list-type": "set" },
    list: texts,
    atom: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
    items: {
      type: "array",
      items: item,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
    },
    inner: item,
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

const writerOf = (manager: string, operation: Writer["operation"]): Writer => {
  return { manager, operation, apiVersion: "v1", subresource: "" };
};
const nameOf = ({ manager, operation }: Writer) => (operation === "Apply" ? manager : `update:${manager}`);
/** Without an entry, the object would count as not yet tracked. */
const nobody: Manager = { ...writerOf("nobody", "Update"), time: "", fields: {} };

test.each(sequences.map((sequence, index) => [index, sequence] as const))(
  "sequence %i",
  (_index, sequence) => {
    let live = {} as KubeObject;
    let managers: readonly Manager[] = [];
    for (const { request, result } of sequence) {
      const { op, manager, force, object } = request;
      let conflicts: string[] = [];
      if (op === "update") {
        managers = trackUpdate(managers, live, object, writerOf(manager, "Update"), schema, "now");
        live = object;
      } else {
        const writer = writerOf(manager, "Apply");
        const outcome = applyConfiguration(live, object, [...managers, nobody], writer, force, schema, "now");
        if (outcome.ok) {
          live = outcome.object;
          managers = outcome.managers;
        } else {
          conflicts = outcome.conflicts.map((each) => `${nameOf(each.manager)} ${each.field}`).sort();
        }
      }
      managers = managers.filter(({ fields }) => !isEmptySet(fields));
      const fields = Object.fromEntries(managers.map((each) => [nameOf(each), pathsOf(each.fields).sort()]));
      const expected = Object.entries(result.managers).map(([name, set]) => [name, pathsOf(set).sort()]);
      expect([conflicts, live, fields]).toEqual([
        result.conflicts,
        result.object,
        Object.fromEntries(expected),
      ]);
    }
  },
);
