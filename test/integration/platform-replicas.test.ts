import "../support/leak-check.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import { type Child, startChild } from "../../scripts/servers/child.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import { createAuthority } from "../support/net/certificates.ts";
import {
  groupDomain,
  httpsRequest,
  organizationBase,
  startTestPlatform,
  type TestPlatform,
} from "../support/plane/platform.ts";
import { resumingWatch } from "../support/plane/watch-client.ts";
import { findServers, freePort } from "../support/servers.ts";
import { until } from "../support/until.ts";

/** Several daemons with one Redis and one certificate behind a load balancer that passes TLS through. */

const replicas = 3;
const requestEveryMs = 5;
const configMaps = `${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;

let folder: string;
let platform: TestPlatform;
let bearer: string;
let balancer: Child;
let url: string;
let ports: number[];
const daemons: RunningDaemon[] = [];

async function start(index: number): Promise<void> {
  const directory = join(folder, `daemon-${index}`);
  daemons[index] = await spawnDaemon({
    directory,
    config: {
      platform: {
        listen: `127.0.0.1:${ports[index]}`,
        groupDomain,
        tls: { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") },
      },
      redis: { url: platform.redis.url },
      state: { directory: join(directory, "state") },
    },
  });
}

const isReady = (port: number | undefined): Promise<boolean> =>
  httpsRequest(`https://127.0.0.1:${port}/readyz`).then(
    ({ code }) => code === 200,
    () => false,
  );

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-replicas-"));
  const { cert, key } = createAuthority().issue();
  await writeFile(join(folder, "tls.crt"), cert);
  await writeFile(join(folder, "tls.key"), key);
  platform = await startTestPlatform();
  bearer = await platform.exchange(platform.token);
  ports = await Promise.all(Array.from({ length: replicas }, () => freePort()));
  await Promise.all(ports.map((_, index) => start(index)));
  const port = await freePort();
  const config = join(folder, "haproxy.cfg");
  const servers = ports.map(
    (each, index) => `  server d${index} 127.0.0.1:${each} check check-ssl verify none`,
  );
  await writeFile(
    config,
    `defaults
  mode tcp
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  retries 3
  option redispatch 1
listen platform
  bind 127.0.0.1:${port}
  option httpchk GET /readyz
  default-server inter 200ms fall 2 rise 1
${servers.join("\n")}
`,
  );
  const { haproxy } = await findServers(["haproxy"]);
  balancer = await startChild({ name: "haproxy", program: haproxy.path, args: ["-f", config] });
  url = `https://127.0.0.1:${port}`;
  await until("the load balancer has a server", () => isReady(port));
});

afterAll(async () => {
  await balancer.stop(5_000);
  for (const daemon of daemons) await endDaemon(daemon);
  await platform.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Requests at a steady rate, half of them on kept connections, until `work` is done. */
async function underLoad(work: () => Promise<void>) {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const failures: { readonly startedMs: number; readonly endedMs: number; readonly error: string }[] = [];
  const open = new Set<Promise<void>>();
  let sent = 0;
  const send = async (index: number): Promise<void> => {
    const startedMs = performance.now();
    const kept = index % 2 === 0 ? { agent } : {};
    const error = await httpsRequest(`${url}${configMaps}/shared`, { bearer, ...kept }).then(
      ({ code }) => (code === 200 ? undefined : String(code)),
      String,
    );
    if (error !== undefined) failures.push({ startedMs, endedMs: performance.now(), error });
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
      await endDaemon(daemons[index] as RunningDaemon);
      await start(index);
      await until("it is ready", () => isReady(ports[index]));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  });
  expect(stopped.failures).toEqual([]);
  expect(stopped.sent).toBeGreaterThan(100);
  const kills: { readonly beginMs: number; readonly endMs: number }[] = [];
  const killed = await underLoad(async () => {
    for (let index = 0; index < replicas; index++) {
      const beginMs = performance.now();
      await daemons[index]?.child.kill();
      kills.push({ beginMs, endMs: performance.now() });
      await start(index);
      await until("it is ready", () => isReady(ports[index]));
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  });
  const isInFlight = (each: { readonly startedMs: number; readonly endedMs: number }) =>
    kills.some(({ beginMs, endMs }) => each.startedMs <= endMs && each.endedMs >= beginMs);
  const unexplained = killed.failures.filter((each) => !isInFlight(each));
  expect(unexplained).toEqual([]);
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
  for (let index = 0; index < replicas; index++) {
    for (let each = 0; each < 20; each++) {
      const name = `turn-${index}-${each}`;
      names.push(name);
      const body = { metadata: { name } };
      expect((await platform.fetch(configMaps, { method: "POST", bearer, body })).code).toBe(201);
      if (each === 10) void endDaemon(daemons[index] as RunningDaemon);
    }
    await until("it has stopped", async () => !(await isReady(ports[index])));
    await until("its exit", () => daemons[index]?.child.exit() !== undefined);
    await start(index);
  }
  const expected = names.map((name) => `ADDED ${name}`);
  const found = () => seen.filter((event) => !event.startsWith("BOOKMARK"));
  await until("the last one is there", () => found().length >= expected.length);
  await watch.stop();
  expect(found()).toEqual(expected);
  expect(watch.connections()).toBeGreaterThan(1);
});
