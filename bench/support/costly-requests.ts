import { httpsRequest } from "../../test/support/plane/platform.ts";

export interface Cost {
  readonly name: string;
  readonly atMostMs: number;
  /** Time that each run blocked the event loop, ms. */
  readonly runs: readonly number[];
  /** Status code of the response. */
  readonly code: number;
  /** Size of the measured request. */
  readonly bytes: number;
}

interface Request {
  readonly method: string;
  /** Relative to the namespace. */
  readonly path: string;
  readonly type: string;
  readonly body: unknown;
}

interface CostlyRequest {
  readonly name: string;
  readonly atMostMs: number;
  /** Sent before each run. */
  readonly before: readonly Request[];
  readonly request: Request;
}

const json = "application/json";
const api = "/api/v1/namespaces/default";
const telemetry = "/apis/telemetry.platformapis/v1alpha1/namespaces/default";
/** Slightly below an object's limits: the members beside the large part count, too. */
const members = 2_400;

const list = <T>(size: number, make: (index: number) => T): T[] =>
  Array.from({ length: size }, (_, at) => make(at));
const map = (size: number, value: string) => Object.fromEntries(list(size, (at) => [`k${at}`, value]));

const configMap = (content: object, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", ...metadata },
  ...content,
});
const policy = (sources: object[], metadata: object = {}) => ({
  apiVersion: "telemetry.platformapis/v1alpha1",
  kind: "ExportPolicy",
  metadata: { name: "a", ...metadata },
  spec: {
    sources,
    sinks: [
      {
        ...{ name: "s", sources: sources.map((each) => (each as { name: string }).name) },
        target: { prometheusRemoteWrite: { endpoint: "https://receiver.example.com/write" } },
      },
    ],
  },
});
const source = (name: string, selector = "up") => ({ name, metrics: { metricsql: selector } });
const small = policy([source("a")]);

/** The maximum number of sources of a policy, each with a long selector. */
const wide = (bytes: number) =>
  policy(list(20, (at) => source(`s${at}`, `{__name__=~"${"a|".repeat(bytes / 2 / 20)}b"}`)));

/** Metadata with the maximum number of members, each with its own managers. */
const full = {
  labels: map(members, "v"),
  annotations: map(members, "v"),
  finalizers: list(members, (at) => `example.com/f${at}`),
};
const largest = policy([source("a")], full);

const create = (path: string, body: unknown): Request => ({ method: "POST", path, type: json, body });
const remove = (path: string): Request => ({ method: "DELETE", path, type: json, body: {} });
const apply = (path: string, manager: string, body: unknown): Request => ({
  ...{ method: "PATCH", path: `${path}?fieldManager=${manager}&force=true`, body },
  type: "application/apply-patch+yaml",
});
const patch = (path: string, type: string, body: unknown): Request => ({
  ...{ method: "PATCH", path, body },
  type: `application/${type}+json`,
});

const map1 = `${api}/configmaps/a`;
const policy1 = `${telemetry}/exportpolicies/a`;
/** Removes everything a run leaves behind before the next one. */
const clear = (path: string) => [
  patch(path, "merge-patch", { metadata: { finalizers: null } }),
  remove(path),
];
const clearMap = clear(map1);
const clearPolicy = clear(policy1);

const yamlHead = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n";
/** Slightly below the limit of YAML tokens. */
const yamlTokens = 5_900;
/** @param tokens tokens of one part */
const yaml = (start: string, tokens: number, part: (at: number) => string): string =>
  yamlHead + start + list(Math.floor(yamlTokens / tokens), part).join("");
const ofYaml = (name: string, body: string): CostlyRequest => ({
  name: `YAML, ${name}`,
  ...{
    atMostMs: 50,
    before: [],
    request: { method: "POST", path: `${api}/configmaps`, type: "application/yaml", body },
  },
});

const requests: readonly CostlyRequest[] = [
  {
    name: "apply of a ConfigMap with 1 MiB in one value",
    ...{ atMostMs: 100, before: clearMap },
    request: apply(map1, "one", configMap({ data: { a: "x".repeat(2 ** 20 - 1_000) } })),
  },
  {
    name: "apply of a ConfigMap with 1 MiB in many values",
    ...{ atMostMs: 100, before: clearMap },
    request: apply(map1, "one", configMap({ data: map(members, "x".repeat(420)) })),
  },
  {
    name: "apply of an ExportPolicy of 200 kB",
    ...{ atMostMs: 100, before: clearPolicy, request: apply(policy1, "one", wide(200_000)) },
  },
  {
    name: "apply of an ExportPolicy with all the values that it may hold",
    ...{ atMostMs: 100, before: clearPolicy, request: apply(policy1, "one", largest) },
  },
  {
    name: "a second manager's apply of that ExportPolicy",
    ...{ atMostMs: 50, before: [...clearPolicy, apply(policy1, "one", largest)] },
    request: apply(policy1, "two", largest),
  },
  {
    name: "removal by apply of all that is in it",
    ...{ atMostMs: 50, before: [...clearPolicy, apply(policy1, "one", largest)] },
    request: apply(policy1, "one", small),
  },
  {
    name: "apply to /status of all that it may hold",
    ...{ atMostMs: 50, before: [...clearPolicy, apply(policy1, "one", small)] },
    request: apply(`${policy1}/status`, "one", {
      ...small,
      status: {
        sinks: list(members, (at) => ({
          name: `s${at}`,
          checkpoint: "2026-01-01T00:00:00Z",
        })),
      },
    }),
  },
  {
    name: "strategic merge of an object with all the values that it may hold",
    ...{
      atMostMs: 50,
      before: [...clearMap, create(`${api}/configmaps`, configMap({}, full))],
    },
    request: patch(map1, "strategic-merge-patch", { metadata: { ...full, labels: map(members, "w") } }),
  },
  {
    name: "JSON patch of 10,000 operations",
    ...{
      atMostMs: 50,
      before: [...clearMap, create(`${api}/configmaps`, configMap({ data: map(10, "v") }))],
    },
    request: patch(
      map1,
      "json-patch",
      list(10_000, (at) => ({ op: "add", path: `/data/k${at % members}`, value: "w" })),
    ),
  },
  {
    name: "JSON patch that copies as much as it may",
    ...{
      atMostMs: 50,
      before: [...clearMap, create(`${api}/configmaps`, configMap({ data: map(members, "v") }))],
    },
    request: patch(
      map1,
      "json-patch",
      list(8, (at) => ({ op: "copy", from: "/data", path: `/metadata/copy${at}` })),
    ),
  },
  {
    name: "JSON patch that shifts as much as it may",
    ...{
      atMostMs: 50,
      before: [
        ...clearMap,
        create(
          `${api}/configmaps`,
          configMap({}, { finalizers: list(members, (at) => `example.com/f${at}`) }),
        ),
      ],
    },
    request: patch(
      map1,
      "json-patch",
      list(500, (at) => ({ op: "add", path: "/metadata/finalizers/0", value: `example.com/g${at}` })),
    ),
  },
  ofYaml(
    "short fields",
    yaml("data:\n", 8, (at) => ` k${at.toString(36)}: v\n`),
  ),
  ofYaml("fields in braces", `${yaml("data: {", 7, (at) => `${at.toString(36)}: v,`)}}`),
  ofYaml("items in brackets", `${yaml("data: [", 3, () => "a,")}]`),
  ofYaml(
    "items in lines",
    yaml("data:\n", 5, () => "- a\n"),
  ),
  ofYaml("empty lists", `${yaml("data: [", 3, () => "[],")}]`),
  ofYaml("quoted texts", `${yaml("data: [", 2, () => '"",')}]`),
  ofYaml("escapes", `${yamlHead}data: {a: "${"\\n".repeat(60_000)}"}`),
  ofYaml("aliases", `${yamlHead}data: [&a [${"a,".repeat(390)}],${"*a,".repeat(95)}]`),
];

/**
 * Sends each request three times, after its preparatory requests.
 * @param watch measures the server meanwhile
 */
export async function* sendCosts(
  url: string,
  bearer: string,
  only: string,
  watch: (work: () => Promise<void>) => Promise<number>,
): AsyncGenerator<Cost> {
  const send = async ({ method, path, type, body }: Request) =>
    await httpsRequest(`${url}${path}`, { method, bearer, headers: { "content-type": type }, body });
  for (const { name, atMostMs, before, request } of requests) {
    if (!name.includes(only)) continue;
    const text = typeof request.body === "string" ? request.body : JSON.stringify(request.body);
    const runs: number[] = [];
    let code = 0;
    for (let run = 0; run < 3; run++) {
      for (const each of before) {
        const response = await send(each);
        if (response.code >= 400 && response.code !== 404) {
          throw new Error(`before ${name}: ${each.method}: ${response.code} ${response.text.slice(0, 300)}`);
        }
      }
      const held = await watch(async () => {
        ({ code } = await send({ ...request, body: text }));
      });
      runs.push(held);
    }
    yield { name, atMostMs, runs, code, bytes: Buffer.byteLength(text) };
  }
}
