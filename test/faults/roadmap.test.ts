import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Releasers } from "../../src/base/core/service.ts";
import { cacheKey } from "../../src/roadmap/cache/shared-cache.ts";
import { seededRandom } from "../support/random.ts";
import { startReplicaProcess } from "../support/roadmap/replica-process.ts";
import { createRoadmapFixture, idle, statusOf, updatedAfter } from "../support/roadmap/roadmap-fixture.ts";
import { until } from "../support/until.ts";

/** Tests that take minutes: `npm run prove -- roadmap-faults`. */
const releasers = new Releasers();
afterEach(async () => {
  vi.restoreAllMocks();
  await releasers.releaseAll();
});

test.each([
  ["that keeps its data", true],
  ["that forgets everything", false],
])(
  "a Redis %s, killed and restarted at random moments: no crash, nothing stuck",
  async (_name, persistent) => {
    const { redis, github, website } = await createRoadmapFixture(releasers, { persistent });
    const sites = await Promise.all([website({ name: "a" }), website({ name: "b" })]);
    await Promise.all(sites.map((site) => updatedAfter(site, 0)));
    const random = seededRandom(persistent ? 1 : 2);
    let responses = 0;
    const polling = new AbortController();
    const pollers = sites.map(async (site) => {
      // The first response other than 200 fails the test.
      for (; !polling.signal.aborted; responses++) {
        await statusOf(site);
        await delay(10);
      }
    });
    for (let round = 0; round < 12; round++) {
      github.updatedAt = new Date(Date.UTC(2026, 0, 1, 0, 0, round)).toISOString();
      github.items = Array.from({ length: 150 + round }, (_, index) => ({ number: index + 1 }));
      await delay(random() * 1_500);
      await redis.kill();
      await delay(random() * 1_500);
      await redis.restart();
    }
    const lastRestartMs = Date.now();
    for (const site of sites) {
      await updatedAfter(site, lastRestartMs);
      await until("it has the last state", () => site.roadmap.reader.backlog()?.items.length === 161);
      await idle(site);
    }
    polling.abort();
    await Promise.all(pollers);
    expect(responses).toBeGreaterThan(500);
  },
);

describe("a replica that is killed while it reads the board", () => {
  test("is replaced within 30 s, and nobody says that it refreshes meanwhile for longer than its lease", async () => {
    const fixture = await createRoadmapFixture(releasers);
    const openGate = fixture.closeGate();
    const dying = startReplicaProcess({
      ...fixture.replicaOptions,
      name: "dying",
      refreshIntervalMs: 3_600_000,
    });
    releasers.push(() => dying.kill());
    await until("it reads the board", () => fixture.github.waiting > 0);
    const survivor = await fixture.website({ name: "survivor", refreshIntervalMs: 3_600_000 });
    await until("the other one knows", async () => (await statusOf(survivor)).isRefreshing);
    await dying.kill();
    openGate();
    const killedMs = performance.now();
    await updatedAfter(survivor, 0);
    expect(performance.now() - killedMs).toBeLessThan(30_000);
    await idle(survivor);
  });
});

test("a refresh that lasts longer than its lease shows everywhere, all the time", async () => {
  const fixture = await createRoadmapFixture(releasers);
  const openGate = fixture.closeGate();
  const options = { refreshIntervalMs: 3_600_000 };
  const sites = await Promise.all(["a", "b"].map((name) => fixture.website({ name, ...options })));
  for (const site of sites) {
    await until("it shows the refresh", async () => (await statusOf(site)).isRefreshing);
  }
  for (let second = 0; second < 12; second++) {
    await delay(1_000);
    for (const site of sites) expect((await statusOf(site)).isRefreshing).toBe(true);
  }
  openGate();
  for (const site of sites) {
    await updatedAfter(site, 0);
    await idle(site);
  }
  // One refresh in the whole fleet.
  expect(fixture.github.queries.filter((query) => query.includes("BoardItems")).length).toBe(1);
});

test.each([
  ["forwards", 3_600_000],
  ["backwards", -3_600_000],
])("the clock is set an hour %s: refreshed at once, and on and on", async (_name, stepMs) => {
  const { website } = await createRoadmapFixture(releasers);
  const site = await website();
  await updatedAfter(site, 0);
  const now = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => now() + stepMs);
  const near = async (): Promise<number> => {
    let updatedAt = 0;
    await until("its time is that of the new clock", async () => {
      updatedAt = (await statusOf(site)).updatedAt ?? 0;
      return Math.abs(updatedAt - Date.now()) < 60_000;
    });
    return updatedAt;
  };
  const first = await near();
  await updatedAfter(site, first);
});

test("a Redis that is slow for ten seconds: responses do not wait for it", async () => {
  const { redis, website } = await createRoadmapFixture(releasers);
  const site = await website();
  await updatedAfter(site, 0);
  const endsMs = performance.now() + 10_000;
  const tookMs: number[] = [];
  const stutter = (async () => {
    while (performance.now() < endsMs) {
      redis.signal("SIGSTOP");
      await delay(300);
      redis.signal("SIGCONT");
      await delay(100);
    }
  })();
  while (performance.now() < endsMs) {
    const askedMs = performance.now();
    await statusOf(site);
    tookMs.push(performance.now() - askedMs);
    await delay(20);
  }
  await stutter;
  // Redis is stopped for 300 ms of 400: most of those that wait for it take longer.
  const [slowTenth] = tookMs.sort((one, other) => one - other).slice(Math.floor(tookMs.length * 0.9));
  expect(slowTenth).toBeLessThan(150);
  await updatedAfter(site, Date.now());
  await idle(site);
});

test("a Redis that is wiped: what is known is put back, with its time, and the schedule too", async () => {
  const { redis, website } = await createRoadmapFixture(releasers);
  const site = await website({ refreshIntervalMs: 3_600_000 });
  const updatedAt = await updatedAfter(site, 0);
  await idle(site);
  const direct = new Redis(redis.url);
  releasers.push(() => direct.disconnect());
  await direct.flushall();
  await until("the entry is back", async () => (await direct.exists(cacheKey)) === 1);
  await until("the schedule is back", async () =>
    (await direct.keys("*roadmap-refresh:repeat*")).some((key) => key.endsWith("roadmap-refresh")),
  );
  // A recreated schedule starts with a refresh.
  expect((await statusOf(site)).updatedAt).toBeGreaterThanOrEqual(updatedAt);
  expect(site.roadmap.reader.backlog()?.items.length).toBe(2);
});

test("a replica that is stopped while it reads the board hands over at once", async () => {
  const fixture = await createRoadmapFixture(releasers);
  const openGate = fixture.closeGate();
  const options = { refreshIntervalMs: 3_600_000 };
  const first = await fixture.website({ name: "first", ...options });
  await until("it reads the board", () => fixture.github.waiting > 0);
  const second = await fixture.website({ name: "second", ...options });
  await first.stop();
  openGate();
  const stoppedMs = performance.now();
  await updatedAfter(second, 0);
  // Detecting a dead connection takes longer than this.
  expect(performance.now() - stoppedMs).toBeLessThan(8_000);
  await idle(second);
});
