import { describe, expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { failure } from "../client/read-failure.ts";
import { MetricMetadataCache } from "./metric-metadata.ts";

/** A store that knows some metrics, or is down; it counts the requests. */
class KnownStore {
  readonly clock = new TestClock(0);
  names: string[] | "away" = [];
  requests = 0;
  readonly cache = new MetricMetadataCache({ client: this, clock: this.clock, log: silentLogger });

  async request(_: unknown, onChunk: (chunk: Buffer, headers: never) => boolean) {
    this.requests++;
    if (this.names === "away") return failure("unreachable", "it is away");
    const entries = this.names.map((name) => [name, [{ type: "counter", help: name, unit: "" }]]);
    const whole = onChunk(Buffer.from(JSON.stringify({ data: Object.fromEntries(entries) })), {} as never);
    return { kind: "response" as const, headers: {} as never, whole };
  }

  /** Advances the time; the cache gets its ticks. */
  async pass(seconds: number): Promise<void> {
    const { signal } = new AbortController();
    for (let restMs = seconds * 1_000; restMs > 0; ) {
      const pauseMs = await this.cache.tick(signal);
      this.clock.advance(pauseMs);
      restMs -= pauseMs;
    }
    await this.cache.tick(signal);
  }
}

describe("what is not known yet is asked for again", () => {
  test("soon after a first failure, then later and later", async () => {
    const store = new KnownStore();
    store.names = "away";
    await store.pass(0);
    expect(store.requests).toBe(1);
    store.names = ["up"];
    await store.pass(15);
    expect(store.cache.lookup("up")).toBeDefined();

    const away = new KnownStore();
    away.names = "away";
    await away.pass(3_600);
    // Requests after 15 s, 30 s, 60 s and so on, finally every ten minutes.
    expect(away.requests).toBe(11);
  });

  test("when a name without it appears, once for each name", async () => {
    const store = new KnownStore();
    store.names = ["up"];
    await store.pass(60);
    expect(store.requests).toBe(1);
    expect(store.cache.lookup("new_total")).toBeUndefined();
    store.names = ["up", "new_total"];
    await store.pass(15);
    expect(store.cache.lookup("new_total")).toBeDefined();
    expect(store.requests).toBe(2);

    for (let seconds = 0; seconds < 300; seconds += 15) {
      expect(store.cache.lookup("rule:without_metadata")).toBeUndefined();
      await store.pass(15);
    }
    expect(store.requests).toBe(3);
  });

  test("at most every 15 s, however many names appear", async () => {
    const store = new KnownStore();
    store.names = ["up"];
    await store.pass(0);
    for (let second = 0; second < 30; second++) store.cache.lookup(`name_${second}`);
    await store.pass(15);
    store.cache.lookup("one_more");
    await store.pass(15);
    expect(store.requests).toBe(3);
  });

  test("names without end do not keep the store busy", async () => {
    const store = new KnownStore();
    store.names = ["up"];
    await store.pass(0);
    for (let tick = 0; tick < 39; tick++) {
      for (let name = 0; name < 1_000; name++) store.cache.lookup(`name_${tick}_${name}`);
      await store.pass(15);
    }
    expect(store.requests).toBeLessThan(15);
  });

  test("not after a failure before its pause is over", async () => {
    const store = new KnownStore();
    store.names = "away";
    await store.pass(15 + 30);
    expect(store.requests).toBe(3);
    store.cache.lookup("new_total");
    await store.pass(15);
    expect(store.requests).toBe(3);
  });

  test("after an empty response like after a failure", async () => {
    const store = new KnownStore();
    await store.pass(15 + 30);
    expect(store.requests).toBe(3);
    store.names = ["up"];
    await store.pass(60);
    expect(store.cache.lookup("up")).toBeDefined();
  });
});

test("the version changes with the content, and an empty response changes nothing", async () => {
  const store = new KnownStore();
  const versions: number[] = [];
  for (const names of [[], ["up"], ["up"], ["up", "new"], "away" as const, [], ["new"]]) {
    store.names = names;
    await store.pass(3_600);
    versions.push(store.cache.version());
  }
  expect(versions).toEqual([0, 1, 1, 2, 2, 2, 3]);
  expect(["up", "new"].map((name) => store.cache.lookup(name)?.family)).toEqual([undefined, "new"]);
});

test("a series' name is looked up without its suffix, and a long one not at all", async () => {
  const store = new KnownStore();
  store.names = ["seconds", "seconds_count_total"];
  await store.pass(0);
  const names = ["seconds", "seconds_bucket", "seconds_count", "seconds_count_total", "seconds_other"];
  expect(names.map((name) => store.cache.lookup(name)?.family)).toEqual([
    "seconds",
    "seconds",
    "seconds",
    "seconds_count_total",
    undefined,
  ]);
  const { requests } = store;
  await store.pass(15);
  expect(store.requests).toBe(requests + 1);
  expect(store.cache.lookup("x".repeat(2_000))).toBeUndefined();
  await store.pass(15);
  expect(store.requests).toBe(requests + 1);
});
