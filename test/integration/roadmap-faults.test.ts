import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Releasers } from "../../src/base/core/service.ts";
import { cacheKey, leaseKey } from "../../src/roadmap/cache/shared-cache.ts";
import type { FakeGithub } from "../support/roadmap/github-server.ts";
import {
  createRoadmapFixture,
  idle,
  type RoadmapFixture,
  statusOf,
  updatedAfter,
} from "../support/roadmap/roadmap-fixture.ts";
import type { RunningServer } from "../support/servers.ts";
import { until } from "../support/until.ts";

/**
 * Faults around the roadmap, one at a time, over real Redis. An unhandled rejection fails the file. Slower
 * tests: `npm run prove -- roadmap-faults`.
 */
const releasers = new Releasers();
let fixture: RoadmapFixture;
let github: FakeGithub;
let redis: RunningServer;

beforeEach(async () => {
  fixture = await createRoadmapFixture(releasers);
  ({ github, redis } = fixture);
});
afterEach(() => releasers.releaseAll());

describe("Redis", () => {
  test("killed and restarted empty: responses go on, refreshes resume by themselves", async () => {
    const site = await fixture.website();
    let last = await updatedAfter(site, 0);
    for (const pauseMs of [0, 130]) {
      await redis.kill();
      await delay(pauseMs);
      expect((await statusOf(site)).updatedAt).toBeGreaterThanOrEqual(last);
      await redis.restart();
      last = await updatedAfter(site, Date.now());
    }
    await idle(site);
  });

  test("killed while the board is read: not refreshing for ever, and the next one succeeds", async () => {
    const site = await fixture.website();
    const last = await updatedAfter(site, 0);
    const openGate = fixture.closeGate();
    github.updatedAt = "2026-10-05T00:00:00Z";
    github.items = [{ number: 3 }];
    await until("a refresh runs", async () => (await statusOf(site)).isRefreshing);
    await redis.kill();
    openGate();
    expect((await statusOf(site)).updatedAt).toBeGreaterThanOrEqual(last);
    await redis.restart();
    await until("the change is there", () => site.roadmap.reader.backlog()?.items[0]?.number === 3);
    await idle(site);
  });

  test.each([
    ["text", (direct: Redis) => direct.set(cacheKey, "not a hash")],
    ["a broken entry", (direct: Redis) => direct.hset(cacheKey, { revision: "99", meta: "{", items: "[" })],
    ["items of another entry", (direct: Redis) => direct.hset(cacheKey, { revision: "99", items: "[]" })],
  ])("holds %s: thrown away, and a replica that starts then is filled", async (_name, spoil) => {
    const direct = new Redis(redis.url);
    releasers.push(() => direct.disconnect());
    await spoil(direct);
    const site = await fixture.website();
    await updatedAfter(site, 0);
    expect(site.roadmap.reader.backlog()?.items.length).toBe(2);
    await idle(site);
  });

  test("hangs: responses go on, and refreshes after it", async () => {
    const site = await fixture.website();
    await updatedAfter(site, 0);
    redis.signal("SIGSTOP");
    const endsMs = Date.now() + 2_000;
    while (Date.now() < endsMs) {
      await statusOf(site);
      await delay(50);
    }
    redis.signal("SIGCONT");
    await updatedAfter(site, Date.now());
    await idle(site);
  });

  test("away from the start: a replica responds from its file", async () => {
    const first = await fixture.website();
    const updatedAt = await updatedAfter(first, 0);
    const clients = await fixture.redisClients();
    await first.stop();
    await redis.stop();
    const second = await fixture.website();
    expect((await statusOf(second)).updatedAt).toBeGreaterThanOrEqual(updatedAt);
    expect(second.roadmap.reader.backlog()?.items.length).toBe(2);
    await fixture.restartRedis(clients);
    await updatedAfter(second, Date.now());
  });

  test("a lease that nobody holds any more blocks neither refreshes nor the status", async () => {
    const direct = new Redis(redis.url);
    releasers.push(() => direct.disconnect());
    await direct.set(leaseKey, "a replica that died", "PX", 2_000);
    const site = await fixture.website();
    expect(await statusOf(site)).toEqual({ updatedAt: null, isRefreshing: true });
    await updatedAfter(site, 0);
    await idle(site);
  });
});

describe("the board", () => {
  test("502, then 503, then well: tried again with a pause, the old backlog stays meanwhile", async () => {
    const site = await fixture.website();
    await updatedAfter(site, 0);
    github.updatedAt = "2026-10-05T00:00:00Z";
    github.items = [{ number: 3 }];
    const from = github.queries.length;
    github.intercept = (request) => {
      // A 502 is retried at once; a response with Retry-After is left to the queue's pause.
      if (request === from + 1) return { status: 502, body: "" };
      return request === from + 2 ? { status: 503, headers: { "retry-after": "1" }, body: "" } : undefined;
    };
    await until("it failed", () => github.queries.length >= from + 2);
    expect(site.roadmap.reader.backlog()?.items.length).toBe(2);
    await until("the change is there", () => site.roadmap.reader.backlog()?.items[0]?.number === 3);
    await idle(site);
  });

  test("rate-limited: left alone for as long as it says, although the schedule goes on", async () => {
    const site = await fixture.website();
    await updatedAfter(site, 0);
    let refusedAtMs = 0;
    let askedAgainMs = 0;
    github.intercept = () => {
      if (refusedAtMs === 0) {
        refusedAtMs = performance.now();
        return { status: 429, headers: { "retry-after": "3" }, body: "{}" };
      }
      askedAgainMs ||= performance.now();
      return undefined;
    };
    await until("it was asked again", () => askedAgainMs > 0);
    expect(askedAgainMs - refusedAtMs).toBeGreaterThanOrEqual(2_900);
    await updatedAfter(site, Date.now());
  });

  test("10,000 items, and two replicas that start at once: read once, known to both", async () => {
    github.items = Array.from({ length: 10_000 }, (_, index) => ({
      number: index + 1,
      labels: [{ name: "security", color: "d93f0b" }],
    }));
    const [a, b] = await Promise.all(
      ["a", "b"].map((name) => fixture.website({ name, refreshIntervalMs: 3_600_000 })),
    );
    for (const site of [a!, b!]) {
      await until("it knows all", () => site.roadmap.reader.backlog()?.items.length === 10_000);
      await idle(site);
    }
    // The head, the project again, a hundred pages; each replica's start may query the head once more.
    expect(github.queries.filter((query) => query.includes("BoardItems")).length).toBe(100);
    expect((await statusOf(a!)).updatedAt).toBe((await statusOf(b!)).updatedAt);
    const page = await fetch(`${b!.url}/roadmap`);
    expect((await page.text()).split('data-key="').length).toBeGreaterThan(10_000);
  });
});

test("a replica that is stopped while it reads the board returns the refresh: the next start runs it at once", async () => {
  const options = { refreshIntervalMs: 3_600_000 };
  const startedMs = performance.now();
  for (const name of ["first", "second", "third", "fourth", "fifth"]) {
    const openGate = fixture.closeGate();
    const site = await fixture.website({ name, ...options });
    await until("it reads the board", () => github.waiting > 0);
    await site.stop();
    openGate();
    await until("the board has responded", () => github.waiting === 0);
  }
  await updatedAfter(await fixture.website({ name: "last", ...options }), 0);
  // The lock of a job that is not returned lasts 10 s.
  expect(performance.now() - startedMs).toBeLessThan(8_000);
});
