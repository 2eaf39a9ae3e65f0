import { type PolicyParts, policy } from "../scenario.ts";

/** Picks one of several values. */
export function pick<T>(random: () => number, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

/** A value and what is special about it: differences are grouped by it. */
export type Choice<T> = readonly [what: string, value: T];

/** The names that the requests of a sequence share. */
export const names = ["a", "b"] as const;

const sourceNames = ["cpu", "memory", "disk"];

/** An ExportPolicy that both servers accept. */
export function validPolicy(random: () => number, name: string, metadata: object = {}): PolicyObject {
  const sources = sourceNames.slice(0, 1 + Math.floor(random() * 3));
  const sinks = ["s", "t"].slice(0, 1 + Math.floor(random() * 2)).map((each) => {
    const more = random() < 0.3 ? { batch: { maxSize: 1000 + Math.floor(random() * 3) } } : {};
    return [each, sources.slice(0, 1 + Math.floor(random() * sources.length)), more] as const;
  });
  const labels = random() < 0.4 ? { labels: { team: pick(random, ["x", "y"]) } } : {};
  const annotations = random() < 0.3 ? { annotations: { "example.com/note": pick(random, ["1", "2"]) } } : {};
  const finalizers = random() < 0.15 ? { finalizers: ["example.com/hold"] } : {};
  const parts = { sources, sinks, metadata: { ...labels, ...annotations, ...finalizers, ...metadata } };
  return policy(name, parts as unknown as PolicyParts) as unknown as PolicyObject;
}

export interface PolicyObject {
  apiVersion: unknown;
  kind: unknown;
  metadata: Record<string, unknown>;
  spec: { sources: unknown; sinks: unknown };
  [field: string]: unknown;
}

const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u1" };
const long = (length: number) => "x".repeat(length);
const managed = {
  manager: "me",
  operation: "Update",
  apiVersion: "telemetry.platformapis/v1alpha1",
  time: "2020-01-01T00:00:00Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:metadata": { "f:labels": { "f:team": {} } } },
};

/** Fields of metadata, valid and not, which replace those of a valid policy. */
export const metadataChoices: readonly Choice<Record<string, unknown>>[] = [
  ...fieldChoices("name", ["", "UPPER", "a_b", "-a", "a.", long(254), 5, null, "a/b", "a%b", "..", "ä"]),
  ...fieldChoices("namespace", ["other", "", 5, null, "$ns"]),
  ...fieldChoices("generateName", ["x-", "X-", 5, null, "", long(300)]),
  ...fieldChoices("labels", [
    ...[{ "a b": "c" }, { a: "b c" }, { a: null }, { a: 5 }, null, [], "x", { "": "x" }, { "a/b/c": "x" }],
    ...[{ "A/b": "x" }, { [long(64)]: "x" }, { a: long(64) }, { "a/": "x" }, { "/a": "x" }, {}, { a: {} }],
    ...[{ "a b": "c d", "e f": "g h" }, { a: "" }, { a: true }],
  ]),
  ...fieldChoices("annotations", [
    ...[{ "a b": "c" }, { a: "b c" }, { a: null }, { a: 5 }, null, [], "x", { "": "x" }, {}, { "A/b": "x" }],
    ...[{ a: long(262_144) }],
  ]),
  ...fieldChoices("finalizers", [
    ...[["x"], ["a b/c"], [""], "x", [5], [null], ["example.com/a", "example.com/a"], null, []],
    ...[
      ["orphan", "foregroundDeletion"],
      ["orphan"],
      ["x/y/z"],
      ["example.com"],
      [[]],
      ["example.com/a", "example.com/b"],
    ],
  ]),
  ...fieldChoices("ownerReferences", [
    ...[[{}], [owner], [owner, owner], [{ ...owner, uid: "" }], [5], {}, null, [null], []],
    [
      { ...owner, controller: true },
      { ...owner, uid: "u2", controller: true },
    ],
    ...[[{ ...owner, kind: "Event" }], [{ ...owner, apiVersion: "a/b/c" }], [{ ...owner, controller: "x" }]],
    ...[[{ ...owner, more: 1 }], [{ ...owner, blockOwnerDeletion: true }], [{ ...owner, name: "" }]],
    ...[[owner, { ...owner, uid: "u2" }], [{ ...owner, kind: 5 }], [{ ...owner, apiVersion: "" }]],
  ]),
  ...fieldChoices("uid", ["x", "$uid:a", 5, null, ""]),
  ...fieldChoices("resourceVersion", ["1", "x", "0", 5, null, "", "$rv:a", "$old:a", "-1", "01", "1.5"]),
  ...fieldChoices("creationTimestamp", [null, "yesterday", "2020-01-01T00:00:00Z", 5, "", "2020-01-01"]),
  ...fieldChoices("deletionTimestamp", [null, "yesterday", "2020-01-01T00:00:00Z", 5]),
  ...fieldChoices("deletionGracePeriodSeconds", [5, "x", -1, null, 1.5]),
  ...fieldChoices("generation", [7, -1, "x", 1.5, null, 1e30]),
  ...fieldChoices("selfLink", ["/x", 5, null]),
  ...fieldChoices("managedFields", [
    ...[
      [],
      [{}],
      [managed],
      "x",
      [5],
      null,
      [{ ...managed, operation: "Bad" }],
      [{ ...managed, fieldsV1: 5 }],
    ],
    ...[
      [{ ...managed, fieldsType: "x" }],
      [{ ...managed, fieldsV1: { x: {} } }],
      [{ ...managed, manager: 5 }],
    ],
    ...[[{ ...managed, apiVersion: "v9" }], [{ ...managed, time: "x" }], [{ ...managed, fieldsV1: null }]],
    ...[[{ ...managed, operation: "Apply" }], [{ ...managed, subresource: "status" }]],
    ...[[managed, { ...managed, manager: "you" }], [{ ...managed, manager: long(200) }], [null]],
    ...[[{ ...managed, time: null }], [{ ...managed, more: 1 }], [{ ...managed, apiVersion: "" }]],
  ]),
  ...fieldChoices("clusterName", ["x"]),
  ...fieldChoices("unknown", ["x", {}, null]),
];

function fieldChoices(field: string, values: readonly unknown[]): Choice<Record<string, unknown>>[] {
  return values.map((value) => [`metadata.${field}=${shown(value)}`, { [field]: value }]);
}

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "absent";
  return text.length > 60 ? `${text.slice(0, 40)}…${text.length}` : text;
}

const source = { name: "cpu", metrics: { metricsql: "cpu" } };
const target = { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/api/v1/write" } };
const sink = { name: "s", sources: ["cpu"], target };

/** Top-level fields, valid and not, which replace those of a valid policy; undefined removes one. */
export const objectChoices: readonly Choice<Record<string, unknown>>[] = [
  ...topChoices("apiVersion", ["v1", 5, null, "", "telemetry.platformapis/v1", "a/b/c", undefined]),
  ...topChoices("kind", ["Other", 5, null, "", "exportpolicy", undefined]),
  ...topChoices("metadata", [null, [], "x", 5, {}, undefined]),
  ...topChoices("spec", [null, [], "x", 5, {}, undefined]),
  ...topChoices("status", [null, [], "x", {}, { conditions: [] }, { odd: 1 }, { conditions: "x" }]),
  ...topChoices("extra", [1, null, {}, { a: [1, { b: 2 }] }]),
  ...topChoices("Kind", ["ExportPolicy"]),
  ...specChoices({ sources: "x", sinks: [] }),
  ...specChoices({ sources: [source], sinks: [sink, sink] }),
  ...specChoices({ sources: [source, source], sinks: [sink] }),
  ...specChoices({ sources: [source], sinks: [{ ...sink, odd: 1 }], odder: 2 }),
  ...specChoices({ sources: [source], sinks: [{ ...sink, sources: ["cpu", "cpu"] }] }),
  ...specChoices({ sources: [source], sinks: [{ ...sink, sources: ["none"] }] }),
  ...specChoices({ sources: [source], sinks: [{ ...sink, sources: [] }] }),
  ...specChoices({ sources: [source], sinks: [{ ...sink, sources: [5, "cpu"] }] }),
  ...specChoices({ sources: [source], sinks: [{ ...sink, sources: null }] }),
  ...specChoices({ sources: [source, null], sinks: [sink] }),
  ...specChoices({ sources: [5], sinks: [sink] }),
  ...specChoices({ sources: [{ name: "UPPER", metrics: { metricsql: "cpu" } }], sinks: [sink] }),
  ...specChoices({ sources: [{ name: "cpu" }], sinks: [{ name: "s" }] }),
  ...specChoices({ sources: [source], sinks: [{ ...sink, target: {} }] }),
  ...specChoices({ sources: [source], sinks: [{ ...sink, target: null }] }),
  ...specChoices({ sources: [source], sinks: [{ ...sink, name: null }] }),
  ...specChoices({ sources: [{ metrics: { metricsql: "cpu" } }], sinks: [sink] }),
  ...specChoices({ sources: [], sinks: [] }),
  ...specChoices({ sources: {}, sinks: {} }),
];

function topChoices(field: string, values: readonly unknown[]): Choice<Record<string, unknown>>[] {
  return values.map((value) => [`${field}=${shown(value)}`, { [field]: value }]);
}

function specChoices(spec: object): Choice<Record<string, unknown>>[] {
  return [[`spec=${JSON.stringify(spec).slice(0, 160)}`, { spec }]];
}

const nested = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;

/** Texts of bodies, made of a valid one. */
export const textChoices: readonly Choice<(text: string) => string>[] = [
  ["empty", () => ""],
  ["blank", () => " \n"],
  ["null", () => "null"],
  ["list", () => "[]"],
  ["number", () => "5"],
  ["string", () => '"x"'],
  ["true", () => "true"],
  ["no object", () => "{}"],
  ["cut", (text) => text.slice(0, -3)],
  ["brace", () => "{"],
  ["trailing garbage", (text) => `${text} x`],
  ["trailing object", (text) => `${text}{}`],
  ["trailing brace", (text) => `${text}}`],
  ["trailing newline", (text) => `${text}\n\n`],
  ["BOM", (text) => `\ufeff${text}`],
  ["leading blanks", (text) => `\n\t ${text}`],
  ["trailing comma", (text) => text.replace(/\}$/, ",}")],
  ["single quotes", (text) => text.replaceAll('"', "'")],
  ["comment", (text) => `/* x */${text}`],
  ["NaN", (text) => text.replace(/\}$/, ',"odd":NaN}')],
  ["leading zero", (text) => text.replace(/\}$/, ',"odd":01}')],
  ["kind twice", (text) => text.replace(/\}$/, ',"kind":"ExportPolicy"}')],
  ["kind twice, another", (text) => text.replace(/\}$/, ',"kind":"Other"}')],
  ["name twice", (text) => text.replace('"metadata":{', '"metadata":{"name":"a",')],
  ["metadata twice", (text) => text.replace(/\}$/, ',"metadata":{"name":"a"}}')],
  ["unknown twice", (text) => text.replace(/\}$/, ',"odd":1,"odd":2}')],
  ["case of a field", (text) => text.replace('"spec"', '"Spec"')],
  ["case of metadata", (text) => text.replace('"name"', '"Name"')],
  ["deep", (text) => text.replace(/\}$/, `,"odd":${nested(60)}}`)],
  ["control character", (text) => text.replace('"cpu"', '"c\u0001pu"')],
  ["lone surrogate", (text) => text.replace(/\}$/, ',"odd":"\\ud800"}')],
  ["bad escape", (text) => text.replace(/\}$/, ',"odd":"\\x"}')],
  ["large number", (text) => text.replace(/\}$/, ',"odd":1e999}')],
  ["empty name", (text) => text.replace(/\}$/, ',"":1}')],
];
