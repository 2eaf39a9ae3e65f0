import fc from "fast-check";

/** ExportPolicies near the limits of validity: a valid one, with up to three of its values replaced. */

type Path = readonly (string | number)[];

const remoteWrite = ["spec", "sinks", 0, "target", "prometheusRemoteWrite"] as const;

const source = (name: unknown) => ({ name, metrics: { metricsql: "up" } });

function goodPolicy() {
  return {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "web", namespace: "default" },
    spec: {
      sources: [source("a"), source("b")],
      sinks: [
        {
          name: "main",
          sources: ["a", "b"],
          target: {
            prometheusRemoteWrite: {
              endpoint: "https://h.example/push",
              authentication: { basicAuth: { secretRef: { name: "login" } } },
              batch: { timeout: "1s", maxSize: 10 },
              retry: { maxAttempts: 2, backoffDuration: "1s" },
            },
          },
        },
      ],
    },
  };
}

const anything = [null, "", "text", 0, 1, 1.5, -1, true, [], [null], ["a"], {}, { a: 1 }];

const many = (count: number, item: (index: number) => unknown) =>
  Array.from({ length: count }, (_, index) => item(index));

const names = ["a", "b", "A", "a-", "-a", "a_b", "a.b", "é", "a\n", "a".repeat(63), "a".repeat(64)];

const durations = [
  ...["1ns", "0.5ns", "0.9us", "0.0001us", "1us", "+1s", "-1s", "0", "0s", "1", "1d", ".5s", "1.s", "."],
  ...["10m", "10m1ns", "10m0.4ns", "600.0000000001s", "1h", "1h1ns", "60m", "1h0.0000000001s", "1µs", "1μs"],
  ...[
    `${"0".repeat(61)}1ns`,
    `${"0".repeat(62)}1ns`,
    `1.${"0".repeat(60)}1s`,
    "9999999h",
    "1e3s",
    " 1s",
    "1s\n",
  ],
];

const endpoints = [
  ...[
    "http://h",
    "HTTPS://h/",
    "ftp://h",
    "http:/h",
    "//h",
    "http://h:1",
    "http://h:65535",
    "http://h:65536",
  ],
  ...[
    "http://h:",
    "http://h:x",
    "http://[::1]/",
    "http://[::1",
    "http://u@h/",
    "http://u:p@h/",
    "http://h/#f",
  ],
  ...[
    "http://h/%20",
    "http://h/%2",
    "http://h?%zz",
    "http://h/ä",
    "http://h/a b",
    "http://h/\u00a0",
    "http://h\\",
  ],
  ...[`http://h/${"a".repeat(2_039)}`, `http://h/${"a".repeat(2_040)}`, `http://h/${"😀".repeat(2_039)}`],
];

const texts = ["up", `{a="${"x".repeat(16 * 1024 - 6)}"}`, `{a="${"x".repeat(16 * 1024 - 5)}"}`].concat(
  `{a="${"😀".repeat(16 * 1024 - 6)}"}`,
);

/** Paths of a policy, each with values of which some are valid there. */
const secretRef = { name: "login" };
const tokenURL = "https://login.example/token";
const logins = [
  {},
  { bearer: { secretRef } },
  { bearer: { secretRef: { ...secretRef, key: "a b" } } },
  { bearer: { secretRef }, basicAuth: { secretRef } },
  { oauth2: { clientId: "id", secretRef, tokenURL } },
  { oauth2: { clientId: "id", secretRef, tokenURL, scopes: ["a"], endpointParams: { audience: "x" } } },
  { oauth2: { clientId: "id", secretRef, tokenURL, endpointParams: { scope: "x" } } },
  { oauth2: { clientId: "id", secretRef, tokenURL: "https://user@login.example/" } },
  { sigv4: { region: "eu-central-1" } },
  { sigv4: { region: "eu-central-1.evil.example/" } },
  { sigv4: { region: "eu-central-1", secretRef, roleArn: "arn:aws:iam::123456789012:role/writer" } },
  { sigv4: { region: "eu-central-1", roleArn: "writer" } },
  { azureAd: {} },
  { azureAd: { secretRef } },
  { azureAd: { secretRef, tenantId: "t", clientId: "c", cloud: "AzureChina" } },
  { azureAd: { cloud: "other" } },
  { google: {} },
  { google: { secretRef } },
];
const headers = [
  [],
  [{ name: "X-Scope-OrgID", value: "team" }],
  [{ name: "X-Scope-OrgID", valueFrom: { secretKeyRef: { name: "login", key: "tenant" } } }],
  [{ name: "X-Scope-OrgID", value: "a", valueFrom: { secretKeyRef: { name: "login", key: "tenant" } } }],
  [{ name: "X-Scope-OrgID" }],
  [{ name: "Host", value: "a" }],
  [{ name: "Content-Language", value: "en" }],
  [{ name: "Authorization", value: "a" }],
  [{ name: "X-A", value: "a\nb" }],
  [{ name: "X-A", value: "größe" }],
  [{ name: "X-A", value: "大" }],
  [{ name: "X A", value: "a" }],
  [
    { name: "X-A", value: "a" },
    { name: "x-a", value: "b" },
  ],
  many(21, (index) => ({ name: `X-${index}`, value: "a" })),
];

const places: readonly (readonly [Path, readonly unknown[]])[] = [
  [["spec"], []],
  [["spec", "other"], []],
  [
    ["spec", "sources"],
    [many(20, (i) => source(i < 2 ? "ab"[i] : `s${i}`)), many(21, (i) => source(`s${i}`))],
  ],
  [["spec", "sources", 0], []],
  [["spec", "sources", 0, "name"], names],
  [["spec", "sources", 0, "other"], []],
  [
    ["spec", "sources", 0, "interval"],
    ["999ms", "999.9999ms", "1s", "1.0005s", "1m", "1h", "1h1ns", ...durations],
  ],
  [
    ["spec", "sources", 0, "metrics"],
    [
      { metricsql: "up", other: null },
      { metricsql: "up", other: {} },
    ],
  ],
  [["spec", "sources", 0, "metrics", "metricsql"], texts],
  [["spec", "sources", 0, "metrics", "resourceSelectors"], []],
  [["spec", "sinks"], []],
  [["spec", "sinks", 0, "name"], names],
  [
    ["spec", "sinks", 0, "sources"],
    [["a", "a"], ["b", "a"], ["c"], ["a".repeat(64)], many(21, () => "a")],
  ],
  [["spec", "sinks", 0, "target"], []],
  [["spec", "sinks", 0, "target", "kafka"], []],
  [remoteWrite, []],
  [[...remoteWrite, "other"], []],
  [[...remoteWrite, "endpoint"], endpoints],
  [[...remoteWrite, "authentication"], []],
  [[...remoteWrite, "authentication", "oidc"], []],
  [[...remoteWrite, "authentication", "basicAuth"], []],
  [[...remoteWrite, "authentication", "basicAuth", "other"], []],
  [[...remoteWrite, "authentication", "basicAuth", "secretRef"], []],
  [
    [...remoteWrite, "authentication", "basicAuth", "secretRef", "name"],
    ["a".repeat(253), "a".repeat(254), "😀"],
  ],
  [[...remoteWrite, "authentication"], logins],
  [[...remoteWrite, "headers"], headers],
  [
    [...remoteWrite, "compression"],
    ["snappy", "zstd", "auto", "gzip"],
  ],
  [
    [...remoteWrite, "batch", "maxBytes"],
    [1_023, 1_024, 16 * 2 ** 20, 16 * 2 ** 20 + 1],
  ],
  [[...remoteWrite, "batch"], []],
  [[...remoteWrite, "batch", "timeout"], durations],
  [
    [...remoteWrite, "batch", "maxSize"],
    [5_000, 5_001, 1e30, 1.0],
  ],
  [[...remoteWrite, "retry"], []],
  [
    [...remoteWrite, "retry", "maxAttempts"],
    [10, 11],
  ],
  [[...remoteWrite, "retry", "backoffDuration"], durations],
  [
    [...remoteWrite, "retry", "maxBackfill"],
    ["4m59s", "5m", "1h", "8760h", "8761h"],
  ],
  [
    [...remoteWrite, "retry", "retryOn429"],
    [false, "false"],
  ],
  [
    [...remoteWrite, "retry", "order"],
    ["oldestFirst", "newestFirst", "newest"],
  ],
];

const replacement = fc
  .constantFrom(...places)
  .chain(([path, values]) =>
    fc.tuple(
      fc.constant(path),
      fc.oneof(
        { weight: values.length === 0 ? 0 : 3, arbitrary: fc.constantFrom(undefined, ...values) },
        { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, ...anything) },
      ),
    ),
  );

export const borderlinePolicy = fc.array(replacement, { maxLength: 3 }).map((replacements) => {
  const policy: Record<string, unknown> = goodPolicy();
  for (const [path, value] of replacements) put(policy, path, value);
  return policy;
});

/** Sets the value at a path; `undefined` removes it. A missing path is ignored. */
function put(root: unknown, path: Path, value: unknown): void {
  let parent = root;
  for (const step of path.slice(0, -1)) {
    if (typeof parent !== "object" || parent === null) return;
    parent = (parent as Record<string | number, unknown>)[step];
  }
  const last = path.at(-1);
  if (typeof parent !== "object" || parent === null || last === undefined) return;
  const members = parent as Record<string | number, unknown>;
  if (Array.isArray(parent) && (typeof last !== "number" || last >= parent.length)) return;
  if (value === undefined && !Array.isArray(parent)) delete members[last];
  else members[last] = value === undefined ? null : structuredClone(value);
}
