import {
  type Choice,
  metadataChoices,
  names,
  objectChoices,
  type PolicyObject,
  pick,
  shown,
  textChoices,
  validPolicy,
} from "./choices.ts";
import { acceptChoices, contentTypeChoices, listQueries, pathChoices, writeQueries } from "./http-choices.ts";
import { jsonPatchChoices, mergePatchChoices } from "./patch-choices.ts";

/**
 * A request whose `$ns`, `$rv:a`, `$old:a`, `$uid:a`, `$continue` and `$list` stand for what the server that
 * gets it has responded before.
 */
export interface RandomRequest {
  /** What is special about it. */
  readonly what: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

type Random = () => number;

const collection = "/apis/telemetry.platformapis/v1alpha1/namespaces/$ns/exportpolicies";
const managers = ["one", "two"];
const media = {
  json: "application/json",
  yaml: "application/yaml",
  merge: "application/merge-patch+json",
  jsonPatch: "application/json-patch+json",
  apply: "application/apply-patch+yaml",
  strategic: "application/strategic-merge-patch+json",
};

/** Requests about the same few objects, in their order. */
export function randomSequence(random: Random, length: number): RandomRequest[] {
  const requests = Array.from({ length }, () => randomRequest(random));
  return [create(random, "a"), ...requests];
}

function randomRequest(random: Random): RandomRequest {
  const at = random();
  const made = pickWeighted(random);
  const request = made(random);
  if (at < 0.12) return withHeader(request, "accept", pick(random, acceptChoices));
  if (at < 0.17 && request.body !== undefined)
    return withHeader(request, "content-type", pick(random, contentTypeChoices));
  if (at < 0.3 && request.method !== "GET")
    return withQuery(request, pick(random, writeQueries(request.method)));
  return request;
}

const kinds: readonly (readonly [weight: number, make: (random: Random) => RandomRequest])[] = [
  [6, (random) => create(random, pick(random, names))],
  [10, createWithFault],
  [5, (random) => read(random)],
  [9, list],
  [1.5, watch],
  [12, put],
  [12, apply],
  [10, mergePatch],
  [8, jsonPatch],
  [1, strategicPatch],
  [8, remove],
  [3, removeCollection],
  [7, status],
  [4, otherPath],
];
const total = kinds.reduce((sum, [weight]) => sum + weight, 0);

function pickWeighted(random: Random): (random: Random) => RandomRequest {
  let left = random() * total;
  for (const [weight, make] of kinds) {
    left -= weight;
    if (left < 0) return make;
  }
  return list;
}

function withHeader(request: RandomRequest, name: string, value: string): RandomRequest {
  const what = `${request.what}, ${name}: ${value}`;
  return { ...request, what, headers: { ...request.headers, [name]: value } };
}

function withQuery(request: RandomRequest, query: string): RandomRequest {
  const separator = request.path.includes("?") ? "&" : "?";
  return { ...request, what: `${request.what}, ?${query}`, path: `${request.path}${separator}${query}` };
}

function create(random: Random, name: string): RandomRequest {
  return writing("POST", "valid", collection, validPolicy(random, name), media.json);
}

function writing(method: string, what: string, path: string, body: unknown, type: string): RandomRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return { what: `${method} ${what}`, method, path, headers: { "content-type": type }, body: text };
}

/** A policy with one fault, or two of different places. */
function faulty(random: Random, name: string, metadata: object = {}): Choice<string> {
  const valid = validPolicy(random, name, metadata);
  const at = random();
  if (at < 0.25) {
    const [what, change] = pick(random, textChoices);
    return [`text: ${what}`, change(JSON.stringify(valid))];
  }
  const [what, object] = at < 0.7 ? faultyMetadata(random, valid) : faultyTop(random, valid);
  if (at < 0.6 || at > 0.9) return [what, JSON.stringify(object)];
  const [more, both] = at < 0.7 ? faultyTop(random, object) : faultyMetadata(random, object);
  return [`${what} and ${more}`, JSON.stringify(both)];
}

function faultyMetadata(random: Random, object: PolicyObject): Choice<PolicyObject> {
  const [what, fields] = pick(random, metadataChoices);
  const isObject = typeof object.metadata === "object" && !Array.isArray(object.metadata);
  if (!isObject) return [what, object];
  const metadata = { ...object.metadata, ...fields };
  if ("generateName" in fields && random() < 0.8) delete (metadata as Record<string, unknown>)["name"];
  return [what, { ...object, metadata }];
}

function faultyTop(random: Random, object: PolicyObject): Choice<PolicyObject> {
  const [what, fields] = pick(random, objectChoices);
  return [what, { ...object, ...fields }];
}

function createWithFault(random: Random): RandomRequest {
  const [what, text] = faulty(random, pick(random, names));
  const type = random() < 0.12 ? media.yaml : media.json;
  return writing("POST", `${type === media.yaml ? "yaml " : ""}${what}`, collection, text, type);
}

function read(random: Random): RandomRequest {
  const name = pick(random, names);
  const query = pick(random, ["", "", "?resourceVersion=0", "?resourceVersion=$rv:a", "?pretty=true"]);
  const what = `GET object${query}`;
  return { what, method: "GET", path: `${collection}/${name}${query}`, headers: {} };
}

function list(random: Random): RandomRequest {
  const query = pick(random, listQueries);
  const more = random() < 0.25 ? `&${pick(random, listQueries)}` : "";
  const what = `GET list?${query}${more}`;
  return { what, method: "GET", path: `${collection}?${query}${more}`, headers: {} };
}

const watchQueries = [
  ...["", "resourceVersion=0", "resourceVersion=$list", "resourceVersion=$list&allowWatchBookmarks=true"],
  "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  "labelSelector=team%3Dx",
  "fieldSelector=metadata.name%3Da",
  "resourceVersion=$list&labelSelector=team%3Dx",
  ...["resourceVersionMatch=Exact", "continue=x", "limit=1", "resourceVersion=x", "fieldSelector=x%3Dy"],
  ...["labelSelector=a%20b%20c", "allowWatchBookmarks=x", "sendInitialEvents=x"],
];

function watch(random: Random): RandomRequest {
  const query = pick(random, watchQueries);
  const what = `watch ?${query}`;
  return { what, method: "GET", path: `${collection}?watch=1&timeoutSeconds=1&${query}`, headers: {} };
}

function put(random: Random): RandomRequest {
  const name = pick(random, names);
  const version = pick(random, [`$rv:${name}`, `$rv:${name}`, `$rv:${name}`, `$old:${name}`, "", undefined]);
  const metadata = version === undefined ? {} : { resourceVersion: version };
  const path = `${collection}/${name}?fieldManager=${pick(random, managers)}`;
  const what = `version ${version?.split(":")[0]}`;
  if (random() < 0.5) return writing("PUT", what, path, validPolicy(random, name, metadata), media.json);
  const [fault, text] = faulty(random, name, metadata);
  return writing("PUT", `${what} ${fault}`, path, text, media.json);
}

function apply(random: Random): RandomRequest {
  const name = pick(random, names);
  const force = random() < 0.4 ? "&force=true" : "";
  const path = `${collection}/${name}?fieldManager=${pick(random, managers)}${force}`;
  if (random() < 0.7)
    return writing("PATCH", `apply valid${force}`, path, validPolicy(random, name), media.apply);
  const [what, text] = faulty(random, name);
  return writing("PATCH", `apply ${what}${force}`, path, text, media.apply);
}

function mergePatch(random: Random): RandomRequest {
  const name = pick(random, names);
  const [what, body] = randomMergePatch(random);
  const path = `${collection}/${name}?fieldManager=${pick(random, managers)}`;
  return writing("PATCH", `merge ${what}`, path, body, media.merge);
}

function randomMergePatch(random: Random): Choice<unknown> {
  const at = random();
  if (at < 0.35) return pick(random, mergePatchChoices);
  if (at < 0.7) {
    const [what, fields] = pick(random, metadataChoices);
    return [what, { metadata: fields }];
  }
  const [what, fields] = pick(random, objectChoices);
  return [what, fields];
}

function jsonPatch(random: Random): RandomRequest {
  const [what, body] = pick(random, jsonPatchChoices);
  const path = `${collection}/${pick(random, names)}`;
  return writing("PATCH", `json-patch ${what}`, path, body, media.jsonPatch);
}

function strategicPatch(random: Random): RandomRequest {
  return writing("PATCH", "strategic", `${collection}/${pick(random, names)}`, {}, media.strategic);
}

const deleteBodies: readonly unknown[] = [
  ...[
    undefined,
    undefined,
    undefined,
    {},
    { propagationPolicy: "Foreground" },
    { propagationPolicy: "Orphan" },
  ],
  ...[{ propagationPolicy: "Background" }, { propagationPolicy: "x" }, { orphanDependents: true }],
  ...[
    { orphanDependents: true, propagationPolicy: "Orphan" },
    { gracePeriodSeconds: 0 },
    { dryRun: ["All"] },
  ],
  ...[{ gracePeriodSeconds: -1 }, { gracePeriodSeconds: "x" }, { dryRun: ["x"] }, { dryRun: "All" }],
  ...[{ preconditions: { uid: "$uid:a" } }, { preconditions: { uid: "x" } }, { preconditions: "x" }],
  ...[{ preconditions: { resourceVersion: "$rv:a" } }, { preconditions: { resourceVersion: "$old:a" } }],
  ...[{ preconditions: { resourceVersion: "x" } }, { preconditions: {} }, { kind: "DeleteOptions" }],
  ...[
    { kind: "DeleteOptions", apiVersion: "v1" },
    { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1" },
  ],
  ...[{ kind: "Other", apiVersion: "v1" }, { kind: "DeleteOptions", apiVersion: "v9" }, { odd: 1 }],
  ...[{ kind: "DeleteOptions", apiVersion: "telemetry.platformapis/v1alpha1" }, "null", "[]", "{", "x", ""],
  ...[{ apiVersion: "v1" }, { kind: 5 }, { gracePeriodSeconds: 1.5 }, { orphanDependents: "x" }, "5"],
  ...[{ ignoreStoreReadErrorWithClusterBreakingPotential: true }, { preconditions: { uid: 5 } }],
];

function removal(random: Random, what: string, path: string): RandomRequest {
  const body = pick(random, deleteBodies);
  if (body === undefined) return { what: `DELETE ${what}`, method: "DELETE", path, headers: {} };
  return writing("DELETE", `${what} ${shown(body)}`, path, body, media.json);
}

function remove(random: Random): RandomRequest {
  return removal(random, "object", `${collection}/${pick(random, names)}`);
}

function removeCollection(random: Random): RandomRequest {
  const query = pick(random, [
    "",
    "labelSelector=team%3Dx",
    "fieldSelector=metadata.name%3Da",
    ...listQueries,
  ]);
  return removal(random, `collection?${query}`, `${collection}?${query}`);
}

const statusChoices: readonly Choice<unknown>[] = [
  ["conditions", { conditions: [condition("Accepted", "True"), condition("Delivering", "False")] }],
  ["one condition", { conditions: [condition("Accepted", "False")] }],
  ["empty", {}],
  ["null", null],
  ["unknown field", { odd: 1 }],
  ["text", "x"],
  ["conditions text", { conditions: "x" }],
  ["condition without fields", { conditions: [{ type: "Accepted" }] }],
  ["condition twice", { conditions: [condition("Accepted", "True"), condition("Accepted", "False")] }],
  ["bad status", { conditions: [condition("Accepted", "Maybe")] }],
  ["bad time", { conditions: [{ ...condition("Accepted", "True"), lastTransitionTime: "x" }] }],
];

function condition(type: string, value: string): object {
  const lastTransitionTime = "2026-01-01T00:00:00Z";
  return { type, status: value, reason: "Tested", message: "", lastTransitionTime };
}

function status(random: Random): RandomRequest {
  const name = pick(random, names);
  const path = `${collection}/${name}/status?fieldManager=${pick(random, managers)}`;
  const [what, value] = pick(random, statusChoices);
  const at = random();
  if (at < 0.1) return { what: "GET status", method: "GET", path, headers: {} };
  if (at < 0.15) return writing("POST", "status", path, {}, media.json);
  if (at < 0.2) return { what: "DELETE status", method: "DELETE", path, headers: {} };
  if (at < 0.45) {
    const metadata = { resourceVersion: `$rv:${name}`, labels: { team: "z" } };
    const object = { ...validPolicy(random, name, metadata), status: value };
    return writing("PUT", `status ${what}`, path, object, media.json);
  }
  if (at < 0.7) return writing("PATCH", `merge status ${what}`, path, { status: value }, media.merge);
  if (at < 0.8) {
    const patch = [{ op: "add", path: "/status", value }];
    return writing("PATCH", `json-patch status ${what}`, path, patch, media.jsonPatch);
  }
  const { apiVersion, kind } = validPolicy(random, name);
  const object = { apiVersion, kind, metadata: { name }, status: value };
  return writing("PATCH", `apply status ${what}`, path, object, media.apply);
}

function otherPath(random: Random): RandomRequest {
  const [method, path] = pick(random, pathChoices);
  const body = method === "GET" || method === "DELETE" ? {} : { body: "{}" };
  return { what: `${method} ${path}`, method, path, headers: { "content-type": media.json }, ...body };
}
