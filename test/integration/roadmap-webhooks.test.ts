import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { keyPrefix, type RedisConnection } from "../../src/base/redis/connection.ts";
import { createRedis } from "../../src/base/redis/redis.ts";
import {
  createAnnouncedChanges,
  type ReadPace,
  readPace,
  settleMs,
} from "../../src/roadmap/cache/announced-changes.ts";
import { queueName } from "../../src/roadmap/cache/refresh-queue.ts";
import { endDaemon, spawnDaemon } from "../support/daemon/spawned-daemon.ts";
import type { FakeGithub } from "../support/roadmap/github-server.ts";
import {
  createRoadmapFixture,
  idle,
  type RoadmapFixture,
  updatedAfter,
} from "../support/roadmap/roadmap-fixture.ts";
import { boardEvent, deliver, webhookPath } from "../support/roadmap/webhook-request.ts";
import type { RunningWebsite } from "../support/roadmap/website.ts";
import { freePort } from "../support/servers.ts";
import { until } from "../support/until.ts";

/** Webhooks over a real Redis, its queue, and GitHub's API. */
const secret = "a-secret-of-the-webhook";
const releasers = new Releasers();
let fixture: RoadmapFixture;
let github: FakeGithub;
let secretFile: string;

beforeEach(async () => {
  fixture = await createRoadmapFixture(releasers);
  ({ github } = fixture);
  secretFile = join(fixture.replicaOptions.directory, "webhook-secret");
  await writeFile(secretFile, `${secret}\n`);
});
afterEach(() => releasers.releaseAll());

/** A website that refreshes by itself only once an hour, filled and idle. */
async function website(name = "website"): Promise<RunningWebsite> {
  const site = await fixture.website({ name, refreshIntervalMs: 3_600_000, webhookSecretFile: secretFile });
  await updatedAfter(site, 0);
  await idle(site);
  return site;
}

async function titles(site: RunningWebsite): Promise<string[]> {
  const response = await fetch(`${site.url}/api/v1/roadmap/backlog`);
  const { items } = (await response.json()) as { items: { title: string }[] };
  return items.map(({ title }) => title);
}

/** Reads of all items so far: each has one first page. */
function reads(): number {
  return github.queries.filter((query) => query.includes("BoardItems")).length;
}

async function accepted(site: RunningWebsite, payload?: unknown, event?: string): Promise<void> {
  const response = await deliver(site.url, {
    secret,
    ...(payload === undefined ? {} : { payload }),
    ...(event === undefined ? {} : { event }),
  });
  expect([response.status, await response.json()]).toEqual([202, { result: "accepted" }]);
}

/** Requests for a refresh so far that were dropped since one waits already. */
async function refusedRequests(redis: RedisConnection): Promise<number> {
  const events = await redis.xrange(`${keyPrefix}:${queueName}:events`, "-", "+");
  return events.filter(([, fields]) => fields.includes("deduplicated")).length;
}

async function connect(): Promise<RedisConnection> {
  const room = createRedis({
    urls: [fixture.redis.url],
    stateDirectory: "",
    clock: systemClock,
    log: silentLogger,
  });
  const connection = room.open("command", "changes-test");
  releasers.push(() => connection.disconnect());
  await until("Redis replies", async () => (await connection.ping()) === "PONG");
  return connection;
}

/** Delivers a change, and waits until the board was read for it. */
async function readAtOnce(site: RunningWebsite): Promise<void> {
  const before = reads();
  await accepted(site);
  await until("the board is read at once", () => reads() === before + 1);
  await idle(site);
}

describe("a webhook", () => {
  test("brings the change to the API and the page, also when the board's version stays", async () => {
    const site = await website();
    github.items = [{ number: 1, title: "Retitled" }];
    await accepted(
      site,
      {
        action: "edited",
        issue: { html_url: "https://github.com/acme/site/issues/1" },
        changes: { title: { from: "Item 1" } },
      },
      "issues",
    );
    await until("the API shows it", async () => (await titles(site)).join() === "Retitled");
    expect(await (await fetch(`${site.url}/roadmap`)).text()).toContain("Retitled");
    await idle(site);
  });

  test("is followed by a second read, for a change that GitHub's API shows late", async () => {
    const site = await website();
    const before = reads();
    await accepted(site);
    await until("the board is read at once", () => reads() === before + 1);
    github.items = [{ number: 1, title: "Late" }];
    await until("the API shows it", async () => (await titles(site)).join() === "Late");
    await idle(site);
    expect(reads()).toBe(before + 2);
  });

  test("at one replica reaches every other; repeated at another one, it starts nothing", async () => {
    const [a, b] = [await website("a"), await website("b")];
    github.items = [{ number: 1, title: "Everywhere" }];
    const headers = { "x-github-delivery": randomUUID() };
    expect((await deliver(a.url, { secret, headers })).status).toBe(202);
    for (const site of [a, b]) {
      await until("the API shows it", async () => (await titles(site)).join() === "Everywhere");
    }
    const again = await deliver(b.url, { secret, headers });
    expect(await again.json()).toEqual({ result: "repeated" });
    await Promise.all([idle(a), idle(b)]);
  });

  test("of another board, or unsigned, starts nothing", async () => {
    const site = await website();
    const others = { ...boardEvent, projects_v2_item: { project_node_id: "PVT_2" }, changes: {} };
    const other = await deliver(site.url, { secret, payload: others });
    expect([other.status, await other.json()]).toEqual([202, { result: "ignored" }]);
    expect((await deliver(site.url, { secret: "another-secret-of-16" })).status).toBe(401);
    const redis = await connect();
    expect(await redis.exists("{telemetryd}:roadmap:changed", "{telemetryd}:roadmap:announced")).toBe(0);
  });

  test("during a refresh starts another one after it", async () => {
    const site = await website();
    const openGate = fixture.closeGate();
    await accepted(site);
    await until("a refresh runs", () => github.waiting > 0);
    await accepted(site);
    github.items = [{ number: 1, title: "Meanwhile" }];
    const before = reads();
    openGate();
    await until("both have run", () => reads() >= before + 2);
    await until("the API shows it", async () => (await titles(site)).join() === "Meanwhile");
    await idle(site);
  });

  test("does not shorten the pause that GitHub asks for, which costs nothing of the reads' pace", async () => {
    const site = await website();
    const redis = await connect();
    const canned = { status: 429, headers: { "retry-after": "3600" }, body: "{}" };
    github.intercept = () => canned;
    const before = github.queries.length;
    await accepted(site);
    await until("GitHub is asked", () => github.queries.length === before + 1);
    await idle(site);
    /** When all reads of the burst are allowed again; 0 once the pace is forgotten, because they are. */
    const fullMs = async (): Promise<number> =>
      Number(await redis.hget("{telemetryd}:roadmap:reads", "full"));
    const charged = await fullMs();
    expect(charged).toBeGreaterThan(0);
    for (let round = 0; round < 20; round++) await accepted(site);
    const changes = createAnnouncedChanges(redis);
    await until("the change has settled", async () => ((await changes.pending())?.ageMs ?? 0) >= settleMs);
    // From here on, only a replica's look for changes that have not been read asks for a refresh.
    const asked = await refusedRequests(redis);
    await until("a replica has asked", async () => (await refusedRequests(redis)) > asked);
    expect(github.queries.length).toBe(before + 1);
    expect(await fullMs()).toBeLessThanOrEqual(charged);
  });

  test("outlives a Redis that is wiped before the change shows, within seconds", async () => {
    const site = await website();
    const redis = await connect();
    await readAtOnce(site);
    await redis.flushall();
    github.items = [{ number: 1, title: "After the wipe" }];
    const wipedMs = performance.now();
    await until("the API shows it", async () => (await titles(site)).join() === "After the wipe");
    expect(performance.now() - wipedMs).toBeLessThan(30_000);
    await idle(site);
  });

  test("outlives the wipe also if the replica that it reached is gone", async () => {
    const [a, b] = [await website("a"), await website("b")];
    const redis = await connect();
    const openGate = fixture.closeGate();
    await accepted(a);
    await a.stop();
    await redis.flushall();
    openGate();
    github.items = [{ number: 1, title: "After the wipe" }];
    await until("the API shows it", async () => (await titles(b)).join() === "After the wipe");
    await idle(b);
  });

  test("outlives a Redis that has lost its newest writes", async () => {
    const site = await website();
    const redis = await connect();
    await readAtOnce(site);
    await redis.del("{telemetryd}:roadmap:changed", "{telemetryd}:roadmap:announced");
    github.items = [{ number: 1, title: "After the loss" }];
    await until("the API shows it", async () => (await titles(site)).join() === "After the loss");
    await idle(site);
  });

  test("when Redis is unavailable is 503, and delivered again it counts", async () => {
    const site = await website();
    const clients = await fixture.redisClients();
    await fixture.redis.kill();
    const headers = { "x-github-delivery": randomUUID() };
    const failed = await deliver(site.url, { secret, headers });
    expect([failed.status, failed.headers.get("content-type")]).toEqual([503, "application/problem+json"]);
    await fixture.restartRedis(clients);
    github.items = [{ number: 1, title: "After all" }];
    await until("it is accepted", async () => (await deliver(site.url, { secret, headers })).status === 202);
    await until("the API shows it", async () => (await titles(site)).join() === "After all");
    await idle(site);
  });

  test("a thousand of them have the board read a few times, the last one's change included", async () => {
    const site = await website();
    const before = reads();
    const startedMs = performance.now();
    for (let sent = 0; sent < 1_000; sent += 50) {
      await Promise.all(Array.from({ length: 50 }, () => accepted(site)));
    }
    github.items = [{ number: 1, title: "Last" }];
    await accepted(site);
    await until("the API shows it", async () => (await titles(site)).join() === "Last");
    const seconds = (performance.now() - startedMs) / 1_000;
    const paced = Math.min(2 + seconds, readPace.burst + (1_000 * seconds) / readPace.refillMs);
    expect(reads() - before).toBeLessThanOrEqual(2 + paced);
    await idle(site);
  });

  test("without a secret configured, its path is an unknown one", async () => {
    const site = await fixture.website();
    const response = await deliver(site.url, { secret });
    expect([response.status, await response.json()]).toEqual([
      404,
      { type: "about:blank", title: "Not Found", status: 404 },
    ]);
    expect((await fetch(site.url + webhookPath)).status).toBe(404);
  });
});

describe("changes in Redis", () => {
  test("one is pending until it is settled; a later one stays", async () => {
    const changes = createAnnouncedChanges(await connect());
    expect(await changes.pending()).toBeUndefined();
    expect(await changes.note(["a", "b"])).toBe("noted");
    const first = await changes.pending();
    expect(first?.ageMs).toBeLessThan(60_000);
    for (const ids of [["a"], ["b"], ["c", "b"]]) expect(await changes.note(ids)).toBe("repeated");
    await until("a later one is another", async () => {
      await changes.note([randomUUID()]);
      return (await changes.pending())?.mark !== first?.mark;
    });
    if (first !== undefined) await changes.settle(first);
    const second = await changes.pending();
    expect(second).toBeDefined();
    if (second !== undefined) await changes.settle(second);
    expect(await changes.pending()).toBeUndefined();
  });

  test("known ids are bounded in number and have an expiry", async () => {
    const redis = await connect();
    const changes = createAnnouncedChanges(redis);
    const many = Array.from({ length: 100 }, (_, batch) => batch);
    for (const batch of many) {
      await changes.note(Array.from({ length: 150 }, (_, index) => `${batch}-${index}`));
    }
    const [key = ""] = await redis.keys("*:announced");
    expect(await redis.zcard(key)).toBe(10_000);
    expect(await redis.pttl(key)).toBeGreaterThan(0);
    expect(await changes.note(["99-149"])).toBe("repeated");
  });

  test("another program's value under the mark's key is no change", async () => {
    const redis = await connect();
    await redis.hset("{telemetryd}:roadmap:changed", "a", "b");
    expect(await createAnnouncedChanges(redis).pending()).toBeUndefined();
  });

  test("reads are spaced, then limited; asking for one costs nothing", async () => {
    const pace: ReadPace = { spacingMs: 1, burst: 3, refillMs: 100_000 };
    const changes = createAnnouncedChanges(await connect(), pace);
    for (let read = 0; read < 3; read++) {
      for (let asked = 0; asked < 5; asked++) expect(await changes.readDelayMs()).toBeLessThanOrEqual(1);
      await changes.countRead();
    }
    // The fourth waits until the first one's place is free again; one that does not wait is paid for later.
    const fourth = await changes.readDelayMs();
    expect(fourth).toBeGreaterThan(90_000);
    expect(fourth).toBeLessThanOrEqual(100_000);
    await changes.countRead();
    expect(await changes.readDelayMs()).toBeGreaterThan(190_000);
  });

  test("reads are spaced also within the burst", async () => {
    const changes = createAnnouncedChanges(await connect(), { ...readPace, spacingMs: 100_000 });
    expect(await changes.readDelayMs()).toBe(0);
    await changes.countRead();
    expect(await changes.readDelayMs()).toBeGreaterThan(90_000);
  });

  test("a read of the future is forgotten: Redis' clock was set back", async () => {
    const redis = await connect();
    const future = Date.now() + 3_600_000;
    await redis.hset("{telemetryd}:roadmap:reads", { last: future, full: future });
    expect(await createAnnouncedChanges(redis).readDelayMs()).toBe(0);
  });
});

test("a whole daemon receives them, counts them and shows the change", async () => {
  const { directory, source, redisUrl } = fixture.replicaOptions;
  if (source.kind !== "github" || source.credentials.kind !== "token") throw new Error("another fixture");
  const { organization, number, apiUrl, credentials } = source;
  const port = await freePort();
  const { tokenFile } = credentials;
  const daemon = await spawnDaemon({
    directory: join(directory, "daemon"),
    config: {
      roadmap: { board: { organization, number, apiUrl, tokenFile, webhook: { secretFile } } },
      api: { listen: `127.0.0.1:${port}` },
      redis: { url: redisUrl },
      state: { directory: join(directory, "daemon-state") },
    },
  });
  releasers.push(() => endDaemon(daemon));
  const url = `http://127.0.0.1:${port}`;
  const page = async (): Promise<string> => await (await fetch(`${url}/roadmap`)).text();
  await until("the page is filled", async () => (await page()).includes("Item 1"));
  expect((await deliver(url, { secret, event: "ping", payload: { zen: "…" } })).status).toBe(200);
  github.items = [{ number: 1, title: "Heard of" }];
  expect((await deliver(url, { secret })).status).toBe(202);
  await until("the page shows it", async () => (await page()).includes("Heard of"));
  const metrics = await (await fetch(`${daemon.opsUrl}/metrics`)).text();
  expect(metrics).toContain('telemetryd_api_webhooks_total{result="accepted"} 1');
  expect(metrics).toContain('telemetryd_api_requests_total{operation="webhook",code="202"} 1');
  expect(daemon.child.log()).not.toContain(secret);
});
