/** Values of Accept. */
export const acceptChoices: readonly string[] = [
  ...["application/json", "*/*", "application/*", "text/html", "text/*", "application/yaml", "*"],
  ...["application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf,application/json"],
  ...["application/json;as=Table;g=meta.k8s.io;v=v1", "application/json;as=Table;g=meta.k8s.io;v=v1beta1"],
  "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
  ...[
    "application/json;as=Table",
    "application/json;as=Table;v=v1",
    "application/json;as=Odd;g=meta.k8s.io;v=v1",
  ],
  "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
  "application/yaml;as=Table;g=meta.k8s.io;v=v1",
  ...["application/json;q=0", "application/json;q=0.1,application/yaml;q=0.9", "application/json;q=x"],
  ...["text/html,application/json;q=0.5", "text/html;q=0.9,*/*;q=0.1", "application/json;charset=utf-8"],
  ...[
    "application/json;pretty=1",
    "application/json;stream=watch",
    "json",
    ",",
    ";",
    "application/json,",
    "x/y;;",
  ],
  ...["APPLICATION/JSON", " application/json ", "application/yaml,application/json", "application/cbor"],
  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json",
  "application/json;v=v1;g=meta.k8s.io;as=Table;q=0.5,application/json;q=0.9",
];

/** Values of Content-Type, beside those that a body needs. */
export const contentTypeChoices: readonly string[] = [
  ...["", "json", ";;;", "application/json;charset=utf-8", "application/json; charset=utf-16", "text/plain"],
  ...[
    "APPLICATION/JSON",
    "text/yaml",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/cbor",
  ],
  ...["application/x-www-form-urlencoded", "application/json,application/yaml", "*/*", "application/*", "/"],
  ...[
    "application/json;",
    "application/json;v=v9",
    "application/json; x",
    "multipart/form-data",
    "application/",
  ],
  ...["application/merge-patch+json", "application/json-patch+json", "application/apply-patch+yaml"],
  ...[
    "application/strategic-merge-patch+json",
    "application/apply-patch+cbor",
    "application/json q=1",
    "text/json",
  ],
  "application/merge-patch+json; charset=utf-8",
];

const encoded = (name: string, values: readonly string[]) =>
  values.map((value) => `${name}=${value.startsWith("$") ? value : encodeURIComponent(value)}`);

/** Queries of lists. */
export const listQueries: readonly string[] = [
  ...["", "limit=1", "limit=1&continue=$continue", "limit=500&continue=$continue", "continue=$continue"],
  ...encoded("limit", ["0", "-1", "x", "1.5", "99999999999999999999", ""]),
  ...encoded("continue", ["x", "e30", "!", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ"]),
  ...encoded("resourceVersion", ["0", "$list", "$rv:a", "x", "-1", "9007199254740991", "1.5", "", " 1"]),
  ...["NotOlderThan", "Exact", "Odd", ""].flatMap((match) =>
    ["", "0", "$list"].map((version) => `resourceVersion=${version}&resourceVersionMatch=${match}`),
  ),
  ...["resourceVersionMatch=NotOlderThan", "resourceVersionMatch=Exact&limit=1&continue=$continue"],
  ...["resourceVersion=0&limit=1&resourceVersionMatch=NotOlderThan", "resourceVersion=$list&limit=1"],
  ...["resourceVersion=0&limit=1", "resourceVersion=$list&continue=$continue", "sendInitialEvents=true"],
  ...encoded("labelSelector", [
    ...["team=x", "team==x", "team!=x", "team in (x,y)", "team notin (x)", "team", "!team", "team=x,team=y"],
    ...[
      "team in ()",
      "team in (x",
      "team=",
      "=x",
      "a b",
      "team>1",
      "team<x",
      "team>x",
      "a/b/c=x",
      "team=a b",
    ],
    ...[",", "team,", ",team", "!", "! team", "team in (x,)", "team in x", "team===x", "team=!x", "!team=x"],
    ...[
      "team in (,)",
      "team=x;y",
      "a=ä",
      "UPPER/x=y",
      "team notin ()",
      "team=-x",
      `team=${"x".repeat(64)}`,
      " ",
    ],
    ...["team!x", "team=(x)", "in in (in)", "notin", "in", "exists", "a,b,c", "a=b=c", "team > 1", "team>-1"],
  ]),
  ...encoded("fieldSelector", [
    ...[
      "metadata.name=a",
      "metadata.name==a",
      "metadata.name!=a",
      "metadata.namespace=$ns",
      "metadata.name=",
    ],
    ...["spec.x=y", "metadata.name", "=a", "metadata.name=a,metadata.name=b", "metadata.name=a\\b", ","],
    ...[
      "metadata.name=a\\,b",
      "metadata.name=a=b",
      "metadata.name>a",
      "metadata.name=a,",
      "metadata.labels=x",
    ],
    ...[
      "metadata.name=a\\",
      "metadata.name!==a",
      "metadata.name===a",
      " metadata.name=a",
      "metadata.uid=x",
      "!",
    ],
  ]),
  ...["timeoutSeconds=x", "timeoutSeconds=10", "timeoutSeconds=-1", "watch=false", "watch=0", "pretty=true"],
  ...["pretty=x", "odd=1", "allowWatchBookmarks=x", "allowWatchBookmarks=true", "sendInitialEvents=false"],
  ...["labelSelector=team%3Dx&labelSelector=team%3Dy", "limit=1&limit=2", "limit=1&labelSelector=team%3Dx"],
  ...["limit=%", "%zz=1", "labelSelector=%ff", "limit=1;continue=x"],
];

const common = [
  ...["dryRun=All", "dryRun=", "dryRun=x", "dryRun=All&dryRun=All", "dryRun=All,All", "pretty=true", "odd=1"],
];
const written = [
  ...common,
  ...encoded("fieldManager", ["", "x".repeat(129), "x".repeat(128), "a\tb", "ä", "a b", "\u0000", "a/b"]),
  ...["fieldValidation=Strict", "fieldValidation=Warn", "fieldValidation=Ignore", "fieldValidation=x"],
  ...["fieldValidation=", "fieldManager=x&fieldManager=y", "dryRun=All&fieldValidation=Strict"],
  "fieldValidation=Strict&fieldValidation=Ignore",
];
const deleted = [
  ...common,
  ...["propagationPolicy=Orphan", "propagationPolicy=x", "propagationPolicy=", "gracePeriodSeconds=0"],
  ...["gracePeriodSeconds=x", "gracePeriodSeconds=-1", "orphanDependents=true", "orphanDependents=x"],
  ...[
    "orphanDependents=true&propagationPolicy=Orphan",
    "gracePeriodSeconds=",
    "propagationPolicy=Foreground",
  ],
  ...["orphanDependents=false", "preconditions.uid=x", "gracePeriodSeconds=1.5", "fieldManager=x"],
];

/** Queries of writes. */
export function writeQueries(method: string): readonly string[] {
  if (method === "DELETE") return deleted;
  return method === "PATCH" ? [...written, "force=true", "force=x", "force=", "force=false"] : written;
}

const group = "/apis/telemetry.platformapis";
const version = `${group}/v1alpha1`;
const inNamespace = `${version}/namespaces/$ns/exportpolicies`;

/** Other paths. */
export const pathChoices: readonly (readonly [method: string, path: string])[] = [
  ...[group, version, "/version", "/healthz", "/livez", "/openapi/v3", "/odd", `${version}/odd`].map(
    (path) => ["GET", path] as const,
  ),
  ...[`${version}/exportpolicies`, `${version}/exportpolicies?limit=1`, `${version}/exportpolicies/a`].map(
    (path) => ["GET", path] as const,
  ),
  ...[`${inNamespace}/a/odd`, `${inNamespace}/a/status/odd`, `${inNamespace}/a/scale`, `${inNamespace}/`].map(
    (path) => ["GET", path] as const,
  ),
  ...[`${inNamespace}/a/`, `${version}/namespaces/$ns/odd`, `${version}/namespaces/$ns/odd/a`].map(
    (path) => ["GET", path] as const,
  ),
  ...[`${version}/namespaces//exportpolicies`, `/apis/telemetry.platformapis/v9/exportpolicies`].map(
    (path) => ["GET", path] as const,
  ),
  ...[`/apis/odd.example/v1`, `${group}/v9`, `${version}/`, `${group}/`, `${version}/ExportPolicies`].map(
    (path) => ["GET", path] as const,
  ),
  ...[`${inNamespace}/a%20b`, `${inNamespace}/UPPER`, `${inNamespace}/%2e%2e`, `${inNamespace}/a%2fb`].map(
    (path) => ["GET", path] as const,
  ),
  ["POST", `${version}/exportpolicies`],
  ["DELETE", `${version}/exportpolicies`],
  ["PUT", inNamespace],
  ["PATCH", inNamespace],
  ["POST", `${inNamespace}/a`],
  ["POST", `${inNamespace}/a/status`],
  ["PUT", `${inNamespace}/a/odd`],
  ["PATCH", `${inNamespace}/a/scale`],
  ["DELETE", `${inNamespace}/a/odd`],
  ["POST", `${version}/odd`],
  ["DELETE", `${inNamespace}/none`],
  ["GET", `${inNamespace}?watch=true&timeoutSeconds=x`],
  ["GET", `${version}/watch/namespaces/$ns/exportpolicies?timeoutSeconds=1`],
  ["GET", `${version}/watch/exportpolicies?timeoutSeconds=1&resourceVersion=$list`],
];
