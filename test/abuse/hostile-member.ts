import { Agent } from "node:https";
import { sleep } from "../../src/base/core/clock.ts";
import { httpsRequest, projectBase } from "../support/plane/platform.ts";
import { openWatch } from "../support/plane/watch-client.ts";
import { responses } from "./hostile-receiver.ts";
import { deadZone, hostileProject, policyOf } from "./scene.ts";
import type { Tally } from "./tally.ts";

export interface MemberAccess {
  /** The platform's address. */
  readonly url: string;
  readonly bearer: string;
  /** Port that the member's policies send to. */
  readonly receiverPort: number;
}

const jsonPatch = "application/json-patch+json";
const mergePatch = "application/merge-patch+json";
const strategicPatch = "application/strategic-merge-patch+json";
const applyPatch = "application/apply-patch+yaml";

/** A project member who abuses the API within its permissions, until the signal aborts. */
export async function memberAttacks(access: MemberAccess, tally: Tally, signal: AbortSignal): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const base = `${access.url}${projectBase(hostileProject)}`;
  const maps = `${base}/api/v1/namespaces/default/configmaps`;
  const policies = `${base}/apis/telemetry.platformapis/v1alpha1/namespaces/default/exportpolicies`;
  const call = (method: string, url: string, body?: unknown, type = "application/json") =>
    httpsRequest(url, { method, bearer: access.bearer, body, agent, headers: { "content-type": type } });
  const attempt = (name: string, method: string, url: string, body?: unknown, type?: string) =>
    tally.attempt(`member: ${name}`, async () => (await call(method, url, body, type)).code);

  await call("POST", maps, { metadata: { name: "victim" }, data: { a: "x" } });
  await call("POST", maps, { metadata: { name: "large" }, data: { text: "x" } });
  const version = (await call("GET", `${maps}/large`)).json.metadata.resourceVersion as string;

  const patches = async (): Promise<void> => {
    const victim = `${maps}/victim`;
    for (const doublings of [20, 23]) {
      await attempt(`JSON patch with ${doublings} copies`, "PATCH", victim, copies(doublings), jsonPatch);
    }
    await attempt("100,000 JSON patch operations", "PATCH", victim, operations(100_000), jsonPatch);
    const finalizers = { metadata: { finalizers: names(40_000, "example.com/f") } };
    await attempt("40,000 finalizers merged", "PATCH", `${victim}?dryRun=All`, finalizers, strategicPatch);
    const owned = {
      ...manifest("ConfigMap", "victim"),
      metadata: { name: "victim", ownerReferences: owners(4_500) },
    };
    for (const manager of ["one", "two"]) {
      const query = `?fieldManager=${manager}&force=true&dryRun=All`;
      await attempt("4,500 owners applied", "PATCH", `${victim}${query}`, owned, applyPatch);
    }
    const labels = {
      metadata: { labels: Object.fromEntries(names(100_000, "l").map((name) => [name, "x"])) },
    };
    await attempt("100,000 labels", "PATCH", victim, labels, mergePatch);
    const unknown = Object.fromEntries(names(50_000, "unknown").map((name) => [name, 1]));
    await attempt("50,000 unknown fields", "POST", `${maps}?fieldValidation=Warn`, {
      ...{ metadata: { name: "unknown" } },
      ...unknown,
    });
    const wrong = {
      ...policyOf("wrong", "up", "http://127.0.0.1/"),
      spec: { sources: Array(100_000).fill({}) },
    };
    await attempt("100,000 wrong sources", "POST", policies, wrong);
    const selector = encodeURIComponent(`a in (${"(".repeat(4_000)}`);
    await attempt("a selector of brackets", "GET", `${maps}?labelSelector=${selector}`);
    const nested = `${"sum(".repeat(3_500)}up${")".repeat(3_500)}`;
    await attempt("a nested query", "POST", policies, policyOf("nested", nested, "http://127.0.0.1/"));
    const template = `WITH (${names(1_500, "t").map((name) => `${name}=1`)}) up`;
    await attempt("a long template", "POST", policies, policyOf("template", template, "http://127.0.0.1/"));
  };

  const largeUpdates = async (): Promise<void> => {
    const text = "x".repeat(1_000_000);
    const body = { ...manifest("ConfigMap", "large"), data: { text, nonce: String(Math.random()) } };
    await attempt("a large object updated", "PUT", `${maps}/large`, body);
  };

  const watchUrl = (from: string) => `${maps}?watch=1&resourceVersion=${from}`;
  const oldWatches = async (): Promise<void> => {
    const watches = Array.from({ length: 20 }, () => {
      tally.note("member: a watch from an old version", "opened");
      return openWatch(watchUrl(version), access.bearer, () => undefined);
    });
    await sleep(5_000, signal).catch(() => undefined);
    for (const watch of watches) watch.stop();
    await Promise.all(watches.map(({ ended }) => ended));
  };
  const manyWatches = async (): Promise<void> => {
    const watches = [];
    for (let index = 0; index < 3_000 && !signal.aborted; index++) {
      tally.note("member: a watch of many", "opened");
      watches.push(openWatch(watchUrl(""), access.bearer, () => undefined));
      if (index % 10 === 9) await sleep(40, signal).catch(() => undefined);
    }
    await sleep(3_000, signal).catch(() => undefined);
    for (const watch of watches) watch.stop();
    await Promise.all(watches.map(({ ended }) => ended));
  };

  let nextHost = 0;
  /** One policy for each hostile response, and as many in a zone that never responds; edited continually. */
  const policyChurn = async (): Promise<void> => {
    const count = Object.keys(responses).length;
    for (let index = 0; index < count && !signal.aborted; index++) {
      const endpoint = `http://127.0.0.1:${access.receiverPort}/${index}`;
      await attempt("a policy", "POST", policies, policyOf(`hostile-${index}`, "abuse_total", endpoint, 1));
      const dead = policyOf(`dead-${nextHost}`, "abuse_total", `http://host-${nextHost++}.${deadZone}/`, 1);
      await attempt("a policy of a dead name", "POST", policies, dead);
    }
    for (let index = 0; index < 40 && !signal.aborted; index++) {
      const annotations = { edit: String(Math.random()) };
      const target = `${policies}/hostile-${index % count}`;
      await attempt("a policy edited", "PATCH", target, { metadata: { annotations } }, mergePatch);
      await sleep(100, signal).catch(() => undefined);
    }
  };

  const forever = async (attack: () => Promise<void>, pauseMs: number): Promise<void> => {
    while (!signal.aborted) {
      await attack();
      await sleep(pauseMs, signal).catch(() => undefined);
    }
  };
  await Promise.all([
    forever(patches, 100),
    forever(largeUpdates, 50),
    forever(oldWatches, 500),
    forever(manyWatches, 500),
    forever(policyChurn, 100),
  ]);
  agent.destroy();
}

function manifest(kind: string, name: string) {
  return { apiVersion: "v1", kind, metadata: { name } };
}

function names(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

/** Each operation doubles the data: an array with the object so far and a copy of it. */
function copies(doublings: number): object[] {
  const first = { op: "add", path: "/data/x", value: ["x"] };
  return [
    first,
    ...Array.from({ length: doublings }, () => ({ op: "copy", from: "/data/x", path: "/data/x/0" })),
  ];
}

function operations(count: number): object[] {
  return Array.from({ length: count }, () => ({ op: "test", path: "/data/a", value: "x" }));
}

function owners(count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    name: `owner-${index}`,
    uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`,
  }));
}
