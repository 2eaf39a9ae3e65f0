const sinkOf = (target: string) => `apiVersion: telemetry.platformapis/v1alpha1
kind: ExportPolicy
metadata: { name: web }
spec:
  sources:
    - name: all
      metrics: { metricsql: '{job="web"}' }
  sinks:
    - name: main
      sources: [all]
      target:
${target.replace(/^/gm, "        ")}
`;
const remote = (text: string) =>
  sinkOf(`prometheusRemoteWrite:
  endpoint: http://127.0.0.1:9090/api/v1/write
${text.replace(/^/gm, "  ")}`);
const endpoint = (text: string) =>
  sinkOf(`prometheusRemoteWrite:
  endpoint: ${text}`);
const head = (spec: string) => `apiVersion: telemetry.platformapis/v1alpha1
kind: ExportPolicy
metadata: { name: web }
${spec}`;
const sources = (text: string, refs = "all") =>
  head(`spec:
  sources:
${text.replace(/^/gm, "    ")}
  sinks:
    - { name: main, sources: [${refs}], target: { prometheusRemoteWrite: { endpoint: "http://h/" } } }
`);
const good = `{ name: all, metrics: { metricsql: up } }`;
const sinks = (text: string) =>
  head(`spec:
  sources: [${good}]
  sinks:
${text.replace(/^/gm, "    ")}
`);
const target = `target: { prometheusRemoteWrite: { endpoint: "http://h/" } }`;
const many = (n: number, f: (i: number) => string) => Array.from({ length: n }, (_, i) => f(i)).join("\n");

/** Faults of one relabelling rule, each of a rule of the CRD. */
const relabelFaults = [
  [
    "14:21: error: spec.sinks[0].target.prometheusRemoteWrite.relabel[0].targetLabel: relabel configuration for replace action requires 'targetLabel' value",
    "{ sourceLabels: [a] }",
  ],
  [
    "14:21: error: spec.sinks[0].target.prometheusRemoteWrite.relabel[0].modulus: relabel configuration for hashmod requires non-zero modulus",
    "{ targetLabel: b, action: hashmod }",
  ],
  [
    "14:71: error: spec.sinks[0].target.prometheusRemoteWrite.relabel[0].replacement: 'replacement' can not be set for lowercase action",
    "{ targetLabel: b, action: Lowercase, replacement: x }",
  ],
  [
    "14:66: error: spec.sinks[0].target.prometheusRemoteWrite.relabel[0].action: dropequal action requires only 'sourceLabels' and 'targetLabel', and no other fields",
    "{ sourceLabels: [a], targetLabel: b, action: dropequal, separator: '-' }",
  ],
  [
    "14:60: error: spec.sinks[0].target.prometheusRemoteWrite.relabel[0].action: labeldrop action requires only 'regex', and no other fields",
    "{ sourceLabels: [a], regex: a, action: labeldrop }",
  ],
  [
    "14:64: error: spec.sinks[0].target.prometheusRemoteWrite.relabel[0].replacement: \"\" is invalid 'replacement' for labelmap action",
    "{ regex: a, action: labelmap, replacement: '' }",
  ],
] as const;

/**
 * Broken policies and Secrets, and the messages of `validate` for each: `line:column: severity: path:
 * message`. The CRD must reject the same ones.
 */
export const brokenPolicies: readonly (readonly [name: string, faults: readonly string[], text: string])[] = [
  [
    "not YAML",
    ["1:7: error: Nested mappings are not allowed in compact mappings"],
    "kind: ExportPolicy\n  metadata: {}\n",
  ],
  ["not an object", ["1:1: error: must be an object with apiVersion and kind, not a list"], "- kind\n"],
  [
    "no kind",
    ["1:1: error: kind: is required: ExportPolicy, Secret or List"],
    "apiVersion: v1\nmetadata: {}\n",
  ],
  [
    "misspelt kind",
    [
      '2:7: error: kind: must be ExportPolicy, Secret or List, not "ExportPolcy" (did you mean "ExportPolicy"?)',
    ],
    "apiVersion: telemetry.platformapis/v1alpha1\nkind: ExportPolcy\n",
  ],
  [
    "a version that does not exist",
    [
      '1:13: error: apiVersion: must be telemetry.<groupDomain>/v1alpha1, not "telemetry.platformapis/v1"',
      "5:12: error: spec.sources: must have at least 1 item",
      "6:10: error: spec.sinks: must have at least 1 item",
    ],
    head("spec:\n  sources: []\n  sinks: []\n").replace("v1alpha1", "v1"),
  ],
  [
    "the newest samples first, to a receiver that takes none out of order",
    [
      "15:27: error: spec.sinks[0].target.prometheusRemoteWrite.retry.order: newestFirst requires a receiver that takes samples out of order, and Google Cloud does not; remove 'order'",
    ],
    remote("authentication: { google: {} }\nretry: { order: newestFirst }"),
  ],
  [
    "no name",
    ["3:1: error: metadata.name: is required"],
    head("").replace("{ name: web }", "{}") +
      "spec: { sources: [" +
      good +
      "], sinks: [{ name: a, sources: [all], " +
      target +
      " }] }\n",
  ],
  [
    "a name in capitals",
    [
      '3:19: error: metadata.name: must be lower-case letters, digits, "-" and ".", beginning and ending with a letter or digit, not "Web"',
    ],
    sinks(`- { name: a, sources: [all], ${target} }`).replace("name: web", "name: Web"),
  ],
  ["no spec", ["1:1: error: spec: is required"], head("")],
  [
    "empty lists",
    [
      "5:12: error: spec.sources: must have at least 1 item",
      "6:10: error: spec.sinks: must have at least 1 item",
    ],
    head("spec:\n  sources: []\n  sinks: []\n"),
  ],
  [
    "a list that is none",
    [
      '5:12: error: spec.sources: must be a list, not "all"',
      "6:10: error: spec.sinks: must be a list, not an object",
    ],
    head(`spec:\n  sources: all\n  sinks: { name: a }\n`),
  ],
  [
    "21 sources",
    ["6:5: error: spec.sources: must have at most 20 items, not 21"],
    sources(
      many(21, (i) => `- { name: s${i}, metrics: { metricsql: up } }`),
      "s0",
    ),
  ],
  [
    "21 sinks",
    ["7:5: error: spec.sinks: must have at most 20 items, not 21"],
    sinks(many(21, (i) => `- { name: s${i}, sources: [all], ${target} }`)),
  ],
  [
    "a source's name",
    [
      '6:15: error: spec.sources[0].name: must be lower-case letters, digits and "-", beginning and ending with a letter or digit, not "All_Metrics"',
    ],
    sources(`- { name: All_Metrics, metrics: { metricsql: up } }`, "All_Metrics"),
  ],
  [
    "a name of 64 letters",
    ["6:15: error: spec.sources[0].name: must have at most 63 characters, not 64"],
    sources(`- { name: ${"a".repeat(64)}, metrics: { metricsql: up } }`, "a".repeat(64)),
  ],
  [
    "two sources of one name",
    ["7:15: error: spec.sources[1].name: is the name of spec.sources[0] too; each needs its own"],
    sources(`- { name: all, metrics: { metricsql: up } }\n- { name: all, metrics: { metricsql: down } }`),
  ],
  [
    "two sinks of one name",
    ["8:15: error: spec.sinks[1].name: is the name of spec.sinks[0] too; each needs its own"],
    sinks(`- { name: a, sources: [all], ${target} }\n- { name: a, sources: [all], ${target} }`),
  ],
  [
    "a source that selects nothing",
    ["6:20: error: spec.sources[0].metrics.metricsql: is required: MetricsQL query that selects the metrics"],
    sources(`- { name: all, metrics: {} }`),
  ],
  [
    "resource selectors",
    [
      "6:31: error: spec.sources[0].metrics.resourceSelectors: is not supported: the fields of resource selectors are not published; select with metrics.metricsql",
    ],
    sources(`- { name: all, metrics: { resourceSelectors: [{ kind: Workload }] } }`),
  ],
  [
    "both kinds of selection",
    [
      "6:46: error: spec.sources[0].metrics.resourceSelectors: is not supported: the fields of resource selectors are not published; select with metrics.metricsql",
    ],
    sources(`- { name: all, metrics: { metricsql: up, resourceSelectors: [] } }`),
  ],
  [
    "a selector that is not closed",
    [
      '7:29: error: spec.sources[0].metrics.metricsql: is not MetricsQL: … (column 11)\n    {job="web"\n              ^',
    ],
    sources(`- name: all\n  metrics: { metricsql: '{job="web"' }`),
  ],
  [
    "a sink without sources",
    ["7:27: error: spec.sinks[0].sources: must have at least 1 item"],
    sinks(`- { name: a, sources: [], ${target} }`),
  ],
  [
    "an interval that is too short, and one that is none",
    [
      "6:58: error: spec.sources[0].interval: must be at least 1s and at most 1h, not 999ms",
      "7:60: error: spec.sources[1].interval: must be a duration such as 500ms, 5s or 1m30s, not 15",
    ],
    sources(
      `- { name: all, metrics: { metricsql: up }, interval: 999ms }\n- { name: other, metrics: { metricsql: up }, interval: 15 }`,
    ),
  ],
  [
    "a source that does not exist",
    [
      '7:28: error: spec.sinks[0].sources[0]: names "al", which is none of spec.sources (did you mean "all"?)',
    ],
    sinks(`- { name: a, sources: [al], ${target} }`),
  ],
  [
    "a source that is named twice",
    ['7:33: error: spec.sinks[0].sources[1]: names "all" a second time; keep one'],
    sinks(`- { name: a, sources: [all, all], ${target} }`),
  ],
  [
    "no target",
    ["7:7: error: spec.sinks[0].target: is required: Receiver of the samples; exactly one kind"],
    sinks(`- { name: a, sources: [all] }`),
  ],
  [
    "an unknown kind of target",
    [
      "12:9: error: spec.sinks[0].target.otlp: is not a kind of target that is supported; it must be prometheusRemoteWrite",
    ],
    sinkOf(`otlp: { endpoint: "http://h/" }`),
  ],
  [
    "two kinds of target",
    [
      "15:9: error: spec.sinks[0].target.kafka: is not a kind of target that is supported; it must be prometheusRemoteWrite",
    ],
    `${remote("")}        kafka: {}\n`,
  ],
  [
    "an endpoint without a scheme",
    [
      '13:21: error: spec.sinks[0].target.prometheusRemoteWrite.endpoint: must be an absolute http or https URL, not "mimir.example.com/api/v1/push"',
    ],
    endpoint("mimir.example.com/api/v1/push"),
  ],
  [
    "an endpoint that is a file",
    [
      '13:21: error: spec.sinks[0].target.prometheusRemoteWrite.endpoint: must be an absolute http or https URL, not "file:///etc/passwd"',
    ],
    endpoint("file:///etc/passwd"),
  ],
  [
    "an endpoint with a password",
    [
      "13:21: error: spec.sinks[0].target.prometheusRemoteWrite.endpoint: must not hold a user name or password; use authentication.basicAuth with a Secret",
    ],
    endpoint("https://user:secret@mimir.example.com/"),
  ],
  [
    "an endpoint with a fragment",
    ["13:21: error: spec.sinks[0].target.prometheusRemoteWrite.endpoint: must not have a fragment (#)"],
    endpoint("https://mimir.example.com/#top"),
  ],
  [
    "an endpoint with a space",
    [
      '13:21: error: spec.sinks[0].target.prometheusRemoteWrite.endpoint: must be an absolute http or https URL, not "http://h/a b"',
    ],
    endpoint('"http://h/a b"'),
  ],
  [
    "an endpoint with a bad escape",
    [
      "13:21: error: spec.sinks[0].target.prometheusRemoteWrite.endpoint: must have two hexadecimal digits after each % of its path",
    ],
    endpoint("https://h.example/%zz"),
  ],
  [
    "an endpoint with a port and no host",
    [
      '13:21: error: spec.sinks[0].target.prometheusRemoteWrite.endpoint: must be an absolute http or https URL, not "https://:80"',
    ],
    endpoint("https://:80"),
  ],
  [
    "authentication of an unknown kind",
    [
      "15:13: error: spec.sinks[0].target.prometheusRemoteWrite.authentication.bearerToken: is not a kind of authentication that is supported; it must be basicAuth, bearer, oauth2, sigv4, azureAd or google",
    ],
    remote("authentication:\n  bearerToken: { secretRef: { name: s } }"),
  ],
  [
    "a secret without a name",
    [
      "16:15: error: spec.sinks[0].target.prometheusRemoteWrite.authentication.basicAuth.secretRef.name: is required: Name of the Secret",
    ],
    remote("authentication:\n  basicAuth:\n    secretRef: {}"),
  ],
  ...relabelFaults.map(
    ([fault, rule]) => [`relabelling: ${fault}`, [fault], remote(`relabel: [${rule}]`)] as const,
  ),
  [
    "a timeout without a unit",
    [
      "14:29: error: spec.sinks[0].target.prometheusRemoteWrite.batch.timeout: must be a duration such as 500ms, 5s or 1m30s, not 5",
    ],
    remote("batch: { timeout: 5 }"),
  ],
  [
    "a timeout of nothing, a batch of nothing",
    [
      "14:29: error: spec.sinks[0].target.prometheusRemoteWrite.batch.timeout: must be more than 0 and at most 1h, not 0s",
      "14:42: error: spec.sinks[0].target.prometheusRemoteWrite.batch.maxSize: must be at least 1, not 0",
    ],
    remote("batch: { timeout: 0s, maxSize: 0 }"),
  ],
  [
    "a timeout that is too long",
    [
      "14:29: error: spec.sinks[0].target.prometheusRemoteWrite.batch.timeout: must be more than 0 and at most 1h, not 61m",
      "14:43: error: spec.sinks[0].target.prometheusRemoteWrite.batch.maxSize: must be at most 5000, not 5001",
    ],
    remote("batch: { timeout: 61m, maxSize: 5001 }"),
  ],
  [
    "a size that is not whole",
    [
      "14:29: error: spec.sinks[0].target.prometheusRemoteWrite.batch.maxSize: must be a whole number, not 10.5",
    ],
    remote("batch: { maxSize: 10.5 }"),
  ],
  [
    "retries beyond the bounds",
    [
      "14:33: error: spec.sinks[0].target.prometheusRemoteWrite.retry.maxAttempts: must be at most 10, not 11",
      "14:54: error: spec.sinks[0].target.prometheusRemoteWrite.retry.backoffDuration: must be more than 0 and at most 10m, not 11m",
    ],
    remote("retry: { maxAttempts: 11, backoffDuration: 11m }"),
  ],
  [
    "a choice that is no boolean",
    [
      '14:32: error: spec.sinks[0].target.prometheusRemoteWrite.retry.retryOn429: must be true or false, not "no"',
    ],
    remote('retry: { retryOn429: "no" }'),
  ],
  [
    "retries that are text",
    [
      '14:33: error: spec.sinks[0].target.prometheusRemoteWrite.retry.maxAttempts: must be a number, not "three"',
      '14:57: error: spec.sinks[0].target.prometheusRemoteWrite.retry.backoffDuration: must be a duration such as 500ms, 5s or 1m30s, not "5 s"',
    ],
    remote("retry: { maxAttempts: three, backoffDuration: 5 s }"),
  ],
  [
    "misspelt fields",
    [
      "14:11: error: spec.sinks[0].target.prometheusRemoteWrite.retries: is not a field; known here: endpoint, authentication, headers, batch, compression, retry, relabel",
      '15:20: error: spec.sinks[0].target.prometheusRemoteWrite.batch.maxsize: is not a field (did you mean "maxSize"?)',
    ],
    remote("retries: { maxAttempts: 2 }\nbatch: { maxsize: 5 }"),
  ],
  [
    "a field in the wrong place",
    ["7:96: error: spec.sinks[0].batch: is not a field; known here: name, sources, target"],
    sinks(`- { name: a, sources: [all], ${target}, batch: { maxSize: 5 } }`),
  ],
  [
    "everything at once",
    [
      "6:7: error: spec.sources[0].name: is required: Name of the source; sinks refer to it",
      "6:29: error: spec.sources[0].metrics.metricsql: must be text, not 5",
      "7:7: error: spec.sources[1].name: is required: Name of the source; sinks refer to it",
      "7:7: error: spec.sources[1].metrics: is required: Selection of the source's metrics; exactly one kind",
      "9:7: error: spec.sinks[0].target: is required: Receiver of the samples; exactly one kind",
      "9:7: error: spec.sinks[0].sources: is required: Names of the sources to export, each once",
      "10:7: error: spec.sinks[1].name: is required: Name of the sink",
      "10:15: error: spec.sinks[1].target: must be an object, not 7",
      '11:16: error: spec.sinks[1].sources: must be a list, not "all"',
    ],
    head(
      "spec:\n  sources:\n    - metrics: { metricsql: 5 }\n    - {}\n  sinks:\n    - name: x\n    - target: 7\n      sources: all\n",
    ),
  ],
  [
    "a pause of a sink that is not there",
    [
      '3:70: warning: metadata.annotations[telemetry.platformapis/paused]: names "b", which is no sink; "true" pauses them all',
    ],
    sinks(`- { name: a, sources: [all], ${target} }`).replace(
      "{ name: web }",
      '{ name: web, annotations: { telemetry.platformapis/paused: "b" } }',
    ),
  ],
  [
    "a Secret that is not base64",
    ["5:39: error: data.password: must be base64; plain text belongs in stringData"],
    "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/basic-auth\nmetadata: { name: s }\ndata: { username: dXNlcg==, password: hunter2 }\n",
  ],
  [
    "a Secret without a password",
    ["1:1: error: data.password: is required in a Secret of type kubernetes.io/basic-auth"],
    "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/basic-auth\nmetadata: { name: s }\nstringData: { username: u }\n",
  ],
  [
    "a Secret with a number",
    ["5:38: error: stringData.password: must be text; put it in quotes"],
    "apiVersion: v1\nkind: Secret\ntype: kubernetes.io/basic-auth\nmetadata: { name: s }\nstringData: { username: u, password: 12345 }\n",
  ],
  [
    "an item of a List",
    [
      "7:5: error: items[0].spec.sources: is required: Metrics to export",
      "7:5: error: items[0].spec.sinks: is required: Receivers to export to",
    ],
    "apiVersion: v1\nkind: List\nitems:\n  - apiVersion: telemetry.platformapis/v1alpha1\n    kind: ExportPolicy\n    metadata: { name: web }\n    spec: {}\n",
  ],
  ["a List without items", ["1:1: error: items: must be a list of objects"], "apiVersion: v1\nkind: List\n"],
  [
    "another kind",
    ['2:7: warning: kind: "ConfigMap" is of no use here; the object is passed over'],
    "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n",
  ],
];
