import { Agent } from "node:https";
import { Deferred } from "../src/base/core/deferred.ts";
import { httpsRequest } from "../test/support/plane/platform.ts";
import { openWatch } from "../test/support/plane/watch-client.ts";
import { type ApiServer, startKubernetesServer, startPlatformServer } from "./support/api-servers.ts";
import { numberOptions } from "./support/options.ts";
import { processUsage } from "./support/process-usage.ts";
import { megabytes, print, round } from "./support/verdict.ts";

/**
 * The platform's API beside a real Kubernetes API server (apiextensions-apiserver on etcd, built where Go is
 * installed), one after the other: requests per second of a number of clients for ExportPolicies, 1 of 30 of
 * which has the label that is asked for.
 */
const { objects, clients, seconds, watches, updates } = numberOptions({
  objects: 3_000,
  clients: 16,
  seconds: 4,
  watches: 100,
  updates: 200,
});
const teams = 30;
const collection = "/apis/telemetry.platformapis/v1alpha1/namespaces/default/exportpolicies";
const settleMs = 1_000;

interface Request {
  readonly path: string;
  readonly method?: string;
  readonly type?: string;
  readonly body?: unknown;
}
type Figures = Map<string, number>;

const all: [ApiServer["name"], Figures][] = [];
for (const start of [() => startPlatformServer(), startKubernetesServer]) {
  const server = await start();
  if (server === undefined) {
    print("The Kubernetes API server is left out: Go, which builds it, is not installed.");
    continue;
  }
  try {
    all.push([server.name, await measure(server)]);
  } finally {
    await server.stop();
  }
}
printTable();

async function measure(server: ApiServer): Promise<Figures> {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const figures: Figures = new Map();
  const send = async ({ path, method = "GET", type = "application/json", body }: Request) => {
    const { bearer } = server;
    const headers = { "content-type": type };
    const options = { method, bearer, agent, ...(body === undefined ? {} : { body, headers }) };
    const response = await httpsRequest(`${server.url}${collection}${path}`, options);
    if (response.code >= 300) throw new Error(`${method} ${path}: ${response.code} ${response.text}`);
    return response.text;
  };
  const note = (what: string, figure: number): void => {
    figures.set(what, figure);
    print(`${server.name}: ${what}: ${round(figure)}`);
  };
  const each = async (what: string, request: (index: number) => Request): Promise<void> => {
    note(what, await perSecond((index) => send(request(index)), objects));
  };
  const during = async (what: string, request: (index: number) => Promise<unknown>): Promise<void> => {
    await request(0);
    note(what, await perSecond(request));
  };

  await each("create", (index) => ({ path: "", method: "POST", body: policy(index) }));
  await each("get", (index) => ({ path: `/policy-${index}` }));
  await each("merge patch", (index) => ({
    ...{ path: `/policy-${index}`, method: "PATCH", type: "application/merge-patch+json" },
    body: { metadata: { annotations: { note: "patched" } } },
  }));
  await each("apply", (index) => ({
    ...{ path: `/policy-${index}?fieldManager=bench&force=true`, method: "PATCH" },
    ...{ type: "application/apply-patch+yaml", body: policy(index) },
  }));
  await during("list of all", () => send({ path: "" }));
  await during("pages of 100, all objects", () => pages(send, "limit=100"));
  const selector = (index: number) => `labelSelector=team%3Dteam-${index % teams}`;
  await during("list by label", (index) => send({ path: `?${selector(index)}` }));
  await during("pages of 20 by label, all", (index) => pages(send, `${selector(index)}&limit=20`));
  await during("list by labels that are absent or different", () =>
    send({ path: "?labelSelector=team%20notin%20(team-1),!tier" }),
  );
  await during("list by name", (index) => send({ path: `?fieldSelector=metadata.name%3Dpolicy-${index}` }));
  await during("list by label, each after a patch", async (index) => {
    const body = { metadata: { annotations: { note: `patch ${index}` } } };
    const type = "application/merge-patch+json";
    await send({ path: `/policy-${index % objects}`, method: "PATCH", type, body });
    await send({ path: `?${selector(index)}` });
  });
  note(`seconds for ${updates} updates to ${watches} watches`, await watched(server, send));
  const { residentBytes, peakBytes } = processUsage(server.pid);
  note("memory, MB", megabytes(residentBytes));
  note("peak memory, MB", megabytes(peakBytes));
  await each("delete", (index) => ({ path: `/policy-${index}`, method: "DELETE" }));
  agent.destroy();
  return figures;
}

/**
 * Sends requests of all clients, so many in total or for a number of seconds: then a request that the server
 * breaks off, because it takes too long, does not count.
 *
 * @returns requests a second
 */
async function perSecond(request: (index: number) => Promise<unknown>, count?: number): Promise<number> {
  let next = 0;
  let done = 0;
  const startMs = performance.now();
  const isOver = () => (count === undefined ? performance.now() - startMs > seconds * 1_000 : next >= count);
  const client = async (): Promise<void> => {
    while (!isOver()) {
      try {
        await request(next++);
        done++;
      } catch (error) {
        if (count !== undefined || (error as NodeJS.ErrnoException).code !== "ECONNRESET") throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  return done / ((performance.now() - startMs) / 1_000);
}

async function pages(send: (request: Request) => Promise<string>, query: string): Promise<void> {
  let token = "";
  do {
    const { metadata } = JSON.parse(await send({ path: `?${query}&continue=${token}` }));
    token = metadata.continue ?? "";
  } while (token !== "");
}

/** @returns seconds from the first update until every watch has every update */
async function watched(server: ApiServer, send: (request: Request) => Promise<string>): Promise<number> {
  const { metadata } = JSON.parse(await send({ path: "?limit=1" }));
  const url = `${server.url}${collection}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  let received = 0;
  const all = new Deferred<void>();
  const open = Array.from({ length: watches }, () =>
    openWatch(url, server.bearer, ({ type }) => {
      if (type === "MODIFIED" && ++received === updates * watches) all.resolve();
    }),
  );
  await Promise.all(open.map(({ opened }) => opened));
  await new Promise((resolve) => setTimeout(resolve, settleMs));
  const startMs = performance.now();
  const type = "application/merge-patch+json";
  const update = (index: number) => ({ metadata: { annotations: { update: String(index) } } });
  for (let index = 0; index < updates; index++)
    await send({ path: `/policy-${index}`, method: "PATCH", type, body: update(index) });
  await all.promise;
  const took = (performance.now() - startMs) / 1_000;
  for (const watch of open) watch.stop();
  return took;
}

function policy(index: number): unknown {
  const name = `policy-${index}`;
  return {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name, labels: { team: `team-${index % teams}`, app: `app-${index % 7}` } },
    spec: {
      sources: [{ name: "up", metrics: { metricsql: `requests_total{job="job-${index}"}` } }],
      sinks: ["first", "second"].map((sink) => ({
        ...{ name: sink, sources: ["up"] },
        target: { prometheusRemoteWrite: { endpoint: `https://${sink}.example.com/api/v1/write` } },
      })),
    },
  };
}

function printTable(): void {
  const names = all.map(([name]) => name);
  print(`\n| ${["", ...names].join(" | ")} |\n|${" --- |".repeat(names.length + 1)}`);
  for (const what of all[0]?.[1].keys() ?? [])
    print(`| ${[what, ...all.map(([, figures]) => round(figures.get(what) ?? Number.NaN))].join(" | ")} |`);
}
