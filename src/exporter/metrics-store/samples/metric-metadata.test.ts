import { describe, expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { silentLogger } from "../../../base/core/log.ts";
import { failure } from "../client/read-failure.ts";
import { MetricMetadataCache, parseMetadata } from "./metric-metadata.ts";

const parsed = (value: unknown) => parseMetadata(Buffer.from(JSON.stringify(value)));

test("the first description of each metric counts; what has no known type is left out", () => {
  const data = {
    up: [{ type: "gauge", help: "Whether.", unit: "" }],
    seconds: [
      { type: "histogram", help: "One.", unit: "seconds" },
      { type: "counter", help: "Another.", unit: "" },
    ],
    bare: [{ type: "counter" }],
    unknown: [{ type: "unknown", help: "", unit: "" }],
    none: [],
    odd: 7,
  };
  const families = parsed({ status: "success", data });
  expect(families).toEqual(
    new Map([
      ["up", { type: "gauge", help: "Whether.", unit: "" }],
      ["seconds", { type: "histogram", help: "One.", unit: "seconds" }],
      ["bare", { type: "counter", help: "", unit: "" }],
    ]),
  );
});

test.each([[[]], [{ status: "success" }], [{ data: 7 }], [null]])("%j is none", (value) => {
  expect(parsed(value)).toMatchObject({ kind: "failed", reason: "malformed_answer" });
});

test("text that is not JSON is none", () => {
  expect(parseMetadata(Buffer.from("<html>"))).toMatchObject({ kind: "failed", reason: "malformed_answer" });
});

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
    await store.pass(0);
    for (let second = 0; second < 30; second++) store.cache.lookup(`name_${second}`);
    await store.pass(15);
    store.cache.lookup("one_more");
    await store.pass(15);
    expect(store.requests).toBe(3);
  });

  test("names without end do not keep the store busy", async () => {
    const store = new KnownStore();
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
});
