import type { Json, JsonObject } from "../../src/kube-server/api/object.ts";
import type { FidelityCase } from "./case.ts";

/** Forms of requests and responses: options, encodings, tables, HEAD. */
interface Row {
  /** The row of the comparison with Kubernetes, and the request. */
  readonly name: string;
  readonly method?: FidelityCase["request"]["method"];
  /** Relative to the group version; `$name` is an object that exists, `none` one that does not. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json;
  readonly code: number;
  /** Default: `application/json`. */
  readonly contentType?: string;
  /** A subset of the body. */
  readonly has?: JsonObject;
  /** Members that must be absent from the body. */
  readonly hasNot?: readonly string[];
  readonly text?: RegExp;
}

const groupVersion = "/apis/telemetry.platformapis/v1alpha1";
const policies = "/namespaces/default/exportpolicies";
const json = { "content-type": "application/json" };
const merge = { "content-type": "application/merge-patch+json" };
const apply = { "content-type": "application/apply-patch+yaml" };
const tableOf = (version: string) => `application/json;as=Table;v=${version};g=meta.k8s.io`;

/** A 422 about options (meta/v1). */
const invalid = (kind: string, reason: string, field: string, message: string) => ({
  code: 422,
  has: {
    ...{ kind: "Status", status: "Failure", reason: "Invalid" },
    message: `${kind}.meta.k8s.io "" is invalid: ${field}: ${message}`,
    details: { group: "meta.k8s.io", kind, causes: [{ reason, message, field }] },
  },
});
const unsupported = (kind: string, field: string, message: string) =>
  invalid(kind, "FieldValueNotSupported", field, `Unsupported value: ${message}`);
const forbidden = (kind: string, field: string, message: string) =>
  invalid(kind, "FieldValueForbidden", field, `Forbidden: ${message}`);
const badRequest = {
  code: 400,
  has: { kind: "Status", reason: "BadRequest", code: 400 },
  hasNot: ["details"],
};
const match = "resourceVersionMatch";

const deletions: Row[] = [
  ["gracePeriodSeconds=x", undefined, badRequest],
  ["dryRun=Foo", undefined, unsupported("DeleteOptions", "dryRun", '["Foo"]: supported values: "All"')],
  ["dryRun=", undefined, unsupported("DeleteOptions", "dryRun", '[""]: supported values: "All"')],
  [
    "propagationPolicy=Foo",
    undefined,
    unsupported(
      "DeleteOptions",
      "propagationPolicy",
      '"Foo": supported values: "Foreground", "Background", "Orphan", "nil"',
    ),
  ],
  [
    "propagationPolicy=Orphan&orphanDependents=true",
    undefined,
    invalid(
      "DeleteOptions",
      "FieldValueInvalid",
      "propagationPolicy",
      'Invalid value: "Orphan": orphanDependents and deletionPropagation cannot be both set',
    ),
  ],
  ["", { kind: "Foo", apiVersion: "v1" }, badRequest],
  ["", { gracePeriodSeconds: "x" }, badRequest],
  ["", [], badRequest],
  [
    "",
    { propagationPolicy: "Foo" },
    unsupported(
      "DeleteOptions",
      "propagationPolicy",
      '"Foo": supported values: "Foreground", "Background", "Orphan", "nil"',
    ),
  ],
].map(
  ([query, body, expected]): Row => ({
    name: `13: deletion with ?${query} and ${JSON.stringify(body)} deletes nothing`,
    method: "DELETE",
    path: `${policies}/$name?${query}`,
    ...(body === undefined ? {} : { headers: json, body }),
    ...(expected as Pick<Row, "code" | "has" | "hasNot">),
  }),
);

/** What random requests found. */
const found: readonly Row[] = [
  ...[";;;", "json", "application/json,application/yaml", "text/yaml"].map(
    (type): Row => ({
      name: `random: a body of the type ${type}`,
      ...{ method: "POST", path: policies, headers: { "content-type": type }, body: {}, code: 415 },
    }),
  ),
  {
    name: "random: an empty Content-Type is JSON",
    ...{ method: "POST", path: policies, headers: { "content-type": "" }, body: "[", ...badRequest },
  },
  {
    name: "random: q=0 is no refusal",
    path: policies,
    headers: { accept: "application/json;q=0" },
    code: 200,
  },
  { name: "random: Accept in capitals", path: policies, headers: { accept: "APPLICATION/JSON" }, code: 406 },
  ...["labelSelector=a%3E-1", "fieldSelector=metadata.name%3Da%5C", "limit="].map(
    (query): Row => ({ name: `random: a list with ${query}`, path: `${policies}?${query}`, ...badRequest }),
  ),
  {
    name: "random: a merge patch that is a list",
    ...{ method: "PATCH", path: `${policies}/$name`, headers: merge, body: [], ...badRequest },
  },
  {
    name: "random: a JSON patch that is null",
    ...{
      method: "PATCH",
      path: `${policies}/$name`,
      headers: { "content-type": "application/json-patch+json" },
    },
    ...{ body: "null", code: 200 },
  },
  ...[{ metadata: { labels: [] } }, { metadata: { creationTimestamp: "x" } }, { kind: null }].map(
    (body): Row => ({
      name: `random: a patch whose result is no object: ${JSON.stringify(body)}`,
      ...{ method: "PATCH", path: `${policies}/$name`, headers: merge, body, code: 422 },
      has: { reason: "Invalid", details: { causes: [{ reason: "FieldValueInvalid", field: "patch" }] } },
    }),
  ),
  {
    name: "random: a patch that empties the version",
    ...{
      method: "PATCH",
      path: `${policies}/$name`,
      headers: merge,
      body: { metadata: { resourceVersion: null } },
    },
    ...{ code: 422, has: { details: { kind: "exportpolicies" } } },
  },
  {
    name: "random: a patch of nothing is not read",
    ...{ method: "PATCH", path: `${policies}/none`, headers: merge, body: "{", code: 404 },
  },
];

const rows: readonly Row[] = [
  ...deletions,
  ...found,
  {
    name: "13: deletion with null for a body",
    ...{ method: "DELETE", path: `${policies}/none`, headers: json, body: "null", code: 404 },
  },

  {
    name: "F12: watch with continue",
    path: `${policies}?watch=1&continue=x`,
    ...forbidden("ListOptions", match, `${match} is forbidden when continue is provided`),
  },
  {
    name: "F12: field selector with a wrong escape",
    path: `${policies}?fieldSelector=metadata.name%3Da%5Cb`,
    ...badRequest,
  },
  {
    name: "22: watch with sendInitialEvents=false alone",
    path: `${policies}?watch=1&sendInitialEvents=false`,
    ...forbidden("ListOptions", match, `sendInitialEvents requires setting ${match} to NotOlderThan`),
  },
  {
    name: `22: watch with ${match} alone`,
    path: `${policies}?watch=1&${match}=NotOlderThan`,
    ...forbidden(
      "ListOptions",
      match,
      `${match} is forbidden for watch unless sendInitialEvents is provided`,
    ),
  },
  {
    name: "22: list with sendInitialEvents",
    path: `${policies}?sendInitialEvents=true`,
    ...forbidden("ListOptions", "sendInitialEvents", "sendInitialEvents is forbidden for list"),
  },
  {
    name: "21: watch with sendInitialEvents=false begins with what changes",
    path: `${policies}?watch=1&sendInitialEvents=false&${match}=NotOlderThan&timeoutSeconds=1`,
    ...{ code: 200, text: /^$/ },
  },
  {
    name: "23: no bookmark for who did not ask for one",
    path: `${policies}?watch=1&sendInitialEvents=true&${match}=NotOlderThan&timeoutSeconds=1`,
    ...{ code: 200, text: /^(?!.*BOOKMARK).*ADDED/s },
  },

  {
    name: "24: a table of v1beta1",
    ...{ path: policies, headers: { accept: tableOf("v1beta1") }, code: 200 },
    has: { kind: "Table", apiVersion: "meta.k8s.io/v1beta1" },
  },
  {
    name: "24: the columns of a table",
    ...{ path: policies, headers: { accept: tableOf("v1") }, code: 200 },
    text: /"name":"Age","type":"date"/,
  },
  {
    name: "24: a column without a value",
    ...{ path: `${policies}/$name`, headers: { accept: tableOf("v1") }, code: 200 },
    text: /"cells":\["[^"]+",null,null,null,/,
  },
  {
    name: "24: deletion of a collection, as a table",
    ...{
      method: "DELETE",
      path: `${policies}?labelSelector=none%3Dnone`,
      headers: { accept: tableOf("v1") },
    },
    ...{ code: 200, has: { kind: "Table", rows: [] } },
  },

  {
    name: "26: an object at a version of the future",
    path: `${policies}/$name?resourceVersion=9007199254740991`,
    code: 504,
    has: {
      reason: "Timeout",
      details: { retryAfterSeconds: 1, causes: [{ reason: "ResourceVersionTooLarge" }] },
    },
    text: /"message":"Timeout: Too large resource version: 9007199254740991, current: \d+"/,
  },

  {
    name: "28: an unknown match",
    path: `${policies}?${match}=Foo&resourceVersion=1`,
    ...unsupported("ListOptions", match, '"Foo": supported values: "Exact", "NotOlderThan", ""'),
  },
  {
    name: "28: a match of nothing",
    path: `${policies}?${match}=Exact`,
    ...forbidden("ListOptions", match, `${match} is forbidden unless resourceVersion is provided`),
  },
  {
    name: "28: exactly any version",
    path: `${policies}?${match}=Exact&resourceVersion=0`,
    ...forbidden("ListOptions", match, `${match} "exact" is forbidden for resourceVersion "0"`),
  },

  ...(
    [
      ["POST", policies, json, "CreateOptions"],
      ["PUT", `${policies}/none`, json, "UpdateOptions"],
      ["PATCH", `${policies}/none`, merge, "PatchOptions"],
    ] as const
  ).flatMap(([method, path, headers, kind]): Row[] => [
    {
      name: `29: ${method} with another dryRun`,
      ...{ method, path: `${path}?dryRun=Foo`, headers, body: {} },
      ...unsupported(kind, "dryRun", '["Foo"]: supported values: "All"'),
    },
    {
      name: `30: ${method} with an empty dryRun`,
      ...{ method, path: `${path}?dryRun=`, headers, body: {} },
      ...unsupported(kind, "dryRun", '[""]: supported values: "All"'),
    },
    {
      name: `29: ${method} with another fieldValidation`,
      ...{ method, path: `${path}?dryRun=All&fieldValidation=Foo`, headers, body: {} },
      ...unsupported(kind, "fieldValidation", '"Foo": supported values: "", "Ignore", "Strict", "Warn"'),
    },
    {
      name: `30: ${method} by a manager that cannot be printed`,
      ...{ method, path: `${path}?dryRun=All&fieldManager=%01`, headers, body: {}, code: 422 },
      has: {
        reason: "Invalid",
        details: { kind, causes: [{ field: "fieldManager", reason: "FieldValueInvalid" }] },
      },
    },
  ]),
  {
    name: "29: force without an apply",
    ...{ method: "PATCH", path: `${policies}/none?force=true`, headers: merge, body: {} },
    ...forbidden("PatchOptions", "force", "may not be specified for non-apply patch"),
  },
  ...["", "fieldManager="].map(
    (query): Row => ({
      name: `30: apply by nobody (?${query})`,
      ...{ method: "PATCH", path: `${policies}/none?${query}`, headers: apply, body: {} },
      ...invalid(
        "PatchOptions",
        "FieldValueRequired",
        "fieldManager",
        "Required value: is required for apply patch",
      ),
    }),
  ),
  { name: "30: timeoutSeconds of a list", path: `${policies}?timeoutSeconds=x`, ...badRequest },
  { name: "30: timeoutSeconds of a watch", path: `${policies}?watch=1&timeoutSeconds=x`, ...badRequest },
  { name: "30: a limit that is no number", path: `${policies}?limit=x`, ...badRequest },
  { name: "30: a limit out of range", path: `${policies}?limit=99999999999999999999`, ...badRequest },
  { name: "30: a limit below zero is none", path: `${policies}?limit=-1`, code: 200 },

  { name: "32: HEAD of an object", method: "HEAD", path: `${policies}/$name`, code: 200, text: /^$/ },
  { name: "32: HEAD of nothing", method: "HEAD", path: `${policies}/none`, code: 404, text: /^$/ },
  { name: "32: HEAD of a list", method: "HEAD", path: policies, code: 200, text: /^$/ },

  ...[policies, `${policies}/$name`, ""].map(
    (path): Row => ({
      name: `33: nothing that is taken can be given: ${path}`,
      ...{ path, headers: { accept: "text/html" }, code: 406 },
      has: { kind: "Status", reason: "NotAcceptable", code: 406 },
      hasNot: ["details"],
    }),
  ),
  {
    name: "33: a list in YAML",
    ...{ path: policies, headers: { accept: "application/yaml" } },
    ...{ code: 200, contentType: "application/yaml", text: /^kind: ExportPolicyList$/m },
  },
  {
    name: "33: an object in YAML",
    ...{ path: `${policies}/$name`, headers: { accept: "application/yaml" } },
    ...{ code: 200, contentType: "application/yaml", text: /^ {2}namespace: /m },
  },
  {
    name: "33: a table in YAML",
    ...{ path: policies, headers: { accept: tableOf("v1").replace("json", "yaml") } },
    ...{ code: 200, contentType: "application/yaml", text: /^columnDefinitions:$/m },
  },
  {
    name: "33: discovery in YAML",
    ...{ path: "", headers: { accept: "application/yaml" } },
    ...{ code: 200, contentType: "application/yaml", text: /^kind: APIResourceList$/m },
  },
  {
    name: "33: a failure in YAML",
    ...{ path: `${policies}/none`, headers: { accept: "application/yaml" } },
    ...{ code: 404, contentType: "application/yaml", text: /^reason: NotFound$/m },
  },

  { name: "34: ?pretty", path: `${policies}?pretty=true&limit=1`, code: 200, text: /^\{\n {2}"/ },
  {
    name: "34: pretty failures",
    path: `${policies}/none?pretty=1`,
    code: 404,
    text: /^\{\n {2}"kind": "Status",\n/,
  },
  {
    name: "34: curl",
    ...{ path: `${policies}/none`, headers: { "user-agent": "curl/8.5.0" }, code: 404, text: /^\{\n {2}"/ },
  },
  {
    name: "34: curl, but not pretty",
    path: `${policies}/none?pretty=false`,
    ...{ headers: { "user-agent": "curl/8.5.0" }, code: 404, text: /^\{"kind":"Status",/ },
  },

  {
    name: "39: an update of what is not there, without a version",
    ...{ method: "PUT", path: `${policies}/none`, headers: json },
    body: { apiVersion: "telemetry.platformapis/v1alpha1", kind: "ExportPolicy", metadata: { name: "none" } },
    ...{ code: 404, has: { reason: "NotFound" } },
  },

  { name: "general: no details without need", path: `${policies}?continue=x`, ...badRequest },
  {
    name: "general: details where there are some",
    ...{ path: `${policies}/none`, code: 404 },
    has: { details: { name: "none", group: "telemetry.platformapis", kind: "exportpolicies" } },
  },
];

const policy = {
  ...{ apiVersion: "telemetry.platformapis/v1alpha1", kind: "ExportPolicy", metadata: { name: "$name" } },
  spec: {
    sources: [{ name: "all", metrics: { metricsql: "up" } }],
    sinks: [
      {
        ...{ name: "s", sources: ["all"] },
        target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/write" } },
      },
    ],
  },
};

/** The members of an object by their paths: `details.causes[0].field`. */
function flat(value: Json, path: string): [string, Json][] {
  if (Array.isArray(value)) return value.flatMap((item, index) => flat(item, `${path}[${index}]`));
  if (typeof value !== "object" || value === null) return [[path, value]];
  return Object.entries(value).flatMap(([name, member]) =>
    flat(member ?? null, path === "" ? name : `${path}.${name}`),
  );
}

export const httpCases: readonly FidelityCase[] = rows.map((row) => ({
  name: row.name,
  before: [{ method: "POST", path: groupVersion + policies, body: policy }],
  request: {
    ...{ method: row.method ?? "GET", path: groupVersion + row.path },
    ...(row.headers === undefined ? {} : { headers: row.headers }),
    ...(row.body === undefined ? {} : { body: row.body }),
  },
  expected: {
    code: row.code,
    headers: { "content-type": row.contentType ?? "application/json" },
    fields: {
      ...Object.fromEntries(flat(row.has ?? {}, "")),
      ...Object.fromEntries((row.hasNot ?? []).map((name) => [name, undefined])),
    },
    ...(row.text === undefined ? {} : { text: row.text }),
  },
}));
