import "../support/leak-check.ts";
import { Agent } from "node:https";
import { expect, test } from "vitest";
import { type BalancedDaemons, startBalancedDaemons } from "../support/plane/balanced-daemons.ts";
import {
  httpsRequest,
  organizationBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { resumingWatch } from "../support/plane/watch-client.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** Several daemons with one Redis and one certificate behind a load balancer that passes TLS through. */

const replicas = 3;
const requestEveryMs = 5;
const configMaps = `${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;

let platform: TestPlatform;
let bearer: string;
let daemons: BalancedDaemons;
let url: string;

setUpAll(async ({ keep }) => {
  platform = await keep(startTestPlatform());
  bearer = await platform.exchange(platform.token);
  daemons = await keep(startBalancedDaemons(platform.redis.url, replicas));
  url = daemons.url;
});

interface Failure {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly error: string;
  /** It was sent on a connection that was kept from an earlier one. */
  readonly reusedSocket: boolean;
}

/** Requests at a steady rate, half of them on kept connections, until `work` is done. */
async function underLoad(work: () => Promise<void>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const failures: Failure[] = [];
  const open = new Set<Promise<void>>();
  let sent = 0;
  const send = async (index: number): Promise<void> => {
    const startedMs = performance.now();
    const kept = index % 2 === 0 ? { agent } : {};
    const fail = (error: string, reusedSocket = false): void => {
      failures.push({ startedMs, endedMs: performance.now(), error, reusedSocket });
    };
    await httpsRequest(`${url}${configMaps}/shared`, { bearer, ...kept }).then(
      ({ code }) => (code === 200 ? undefined : fail(String(code))),
      (error: Error & { reusedSocket?: boolean }) => fail(String(error), error.reusedSocket),
    );
  };
  const timer = setInterval(() => {
    const request = send(sent++);
    open.add(request);
    void request.finally(() => open.delete(request));
  }, requestEveryMs);
  try {
    await work();
  } finally {
    clearInterval(timer);
    await Promise.all(open);
    agent.destroy();
  }
  return { sent, failures };
}

test("daemons that stop in turn fail no request, and those that are killed only what is in flight", async () => {
  const body = { metadata: { name: "shared" }, data: { turn: "0" } };
  expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
  const stopped = await underLoad(async () => {
    for (let index = 0; index < replicas; index++) {
      await daemons.end(index);
      await daemons.start(index);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  });
  expect(stopped.failures).toEqual([]);
  expect(stopped.sent).toBeGreaterThan(100);
  const kills: { readonly beginMs: number; readonly endMs: number }[] = [];
  const killed = await underLoad(async () => {
    for (let index = 0; index < replicas; index++) {
      const beginMs = performance.now();
      await daemons.kill(index);
      kills.push({ beginMs, endMs: performance.now() });
      await daemons.start(index);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  });
  // The client may use a kept connection before it sees that it has ended.
  const isInFlight = (each: Failure) =>
    each.reusedSocket ||
    kills.some(({ beginMs, endMs }) => each.startedMs <= endMs && each.endedMs >= beginMs);
  const unexplained = killed.failures.filter((each) => !isInFlight(each));
  expect(unexplained).toEqual([]);
});

test("daemons that respond to nothing for a second, as on a busy machine, fail no request", async () => {
  const { failures, sent } = await underLoad(async () => {
    for (let round = 0; round < 3; round++) {
      daemons.signal("SIGSTOP");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      daemons.signal("SIGCONT");
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  });
  expect(failures).toEqual([]);
  expect(sent).toBeGreaterThan(100);
});

test("a watch ends cleanly with its daemon, and resumes at another without a gap", async () => {
  const seen: string[] = [];
  const { json: listed } = await httpsRequest(`${url}${configMaps}`, { bearer });
  const watchFrom = (version: string) =>
    `${url}${configMaps}?watch=1&allowWatchBookmarks=true&resourceVersion=${version}`;
  const watch = resumingWatch(watchFrom, bearer, listed.metadata.resourceVersion, ({ type, object }) => {
    seen.push(`${type} ${object.metadata?.name ?? object.reason}`);
  });
  const names: string[] = [];
  let ending: Promise<void> | undefined;
  for (let index = 0; index < replicas; index++) {
    for (let each = 0; each < 20; each++) {
      const name = `turn-${index}-${each}`;
      names.push(name);
      const body = { metadata: { name } };
      expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
      if (each === 10) ending = daemons.end(index);
    }
    await ending;
    await daemons.start(index);
  }
  const expected = names.map((name) => `ADDED ${name}`);
  const found = () => seen.filter((event) => !event.startsWith("BOOKMARK"));
  await until("the last one is there", () => found().length >= expected.length);
  await watch.stop();
  expect(found()).toEqual(expected);
  expect(watch.connections()).toBeGreaterThan(1);
});
