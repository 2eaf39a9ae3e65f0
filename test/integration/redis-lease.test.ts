import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { RedisConnection } from "../../src/base/redis/connection.ts";
import { FencedError, type Lease, type LeaseOutcome, takeLease } from "../../src/base/redis/lease.ts";
import { type LeaseScripts, leaseFunctions, plainLease } from "../../src/base/redis/lease-scripts.ts";
import { createRedis, type RedisConnections } from "../../src/base/redis/redis.ts";
import { sinkLeaseScripts } from "../../src/exporter/delivery/fleet/scripts.ts";
import { refreshLeaseScripts } from "../../src/roadmap/cache/scripts.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { until } from "../support/until.ts";

/** The contract of a lease over a real Redis, for the scripts of every user. */

const ttlMs = 1_500;
const keys = { lease: "{test}:lease", fence: "{test}:fence" };
const value = "{test}:value";
const writeScript = `
${leaseFunctions}
if not holdsLease() then return 0 end
redis.call("SET", KEYS[3], ARGV[4])
return 1
`;

let server: RunningServer;
let redis: RedisConnections;
const releasers = new Releasers();

beforeAll(async () => {
  server = await startRedis();
  redis = createRedis({ urls: [server.url], stateDirectory: "", clock: systemClock, log: silentLogger });
});
beforeEach(async () => {
  await (await connect()).flushall();
});
afterEach(() => releasers.releaseAll());
afterAll(() => server[Symbol.asyncDispose]());

async function connect(): Promise<RedisConnection> {
  const connection = redis.open("command", "lease-test");
  releasers.push(() => connection.disconnect());
  await until("Redis replies", async () => (await connection.ping()) === "PONG");
  return connection;
}

const users: readonly (readonly [string, LeaseScripts, readonly string[]])[] = [
  ["a plain lease", plainLease, []],
  ["the lease of a sink", sinkLeaseScripts, ["taken", "a message", "1"]],
  ["the refresh lease", refreshLeaseScripts, []],
];

describe.each(users)("%s", (_name, scripts, args) => {
  const releaseArgs = scripts === sinkLeaseScripts ? ["", 0] : [];

  function ask(connection: RedisConnection, owner: string): Promise<LeaseOutcome> {
    return takeLease({ redis: connection, clock: systemClock, keys, owner, ttlMs, scripts, args });
  }

  async function taken(connection: RedisConnection, owner: string): Promise<Lease> {
    const outcome = await ask(connection, owner);
    if (outcome.kind !== "taken") throw new Error(`the lease is ${outcome.kind}`);
    const { lease } = outcome;
    releasers.push(() => lease.release(...releaseArgs));
    return lease;
  }

  function write(lease: Lease, text: string): Promise<unknown> {
    return lease.run(writeScript, [value], [text]);
  }

  test("has one holder until it is released, and a higher fence for each", async () => {
    const [one, other] = [await connect(), await connect()];
    const lease = await taken(one, "one");
    const refused = await ask(other, "other");
    expect(refused.kind).toBe("held");
    if (refused.kind === "held") {
      expect(refused.restMs).toBeGreaterThan(0);
      expect(refused.restMs).toBeLessThanOrEqual(ttlMs);
    }
    expect(await lease.release(...releaseArgs)).toBe(true);
    const next = await taken(other, "other");
    expect([lease.fence, next.fence]).toEqual(["1-one", "2-other"]);
    expect(lease.signal.aborted).toBe(false);
  });

  test("is renewed for as long as it is held", async () => {
    const [one, other] = [await connect(), await connect()];
    const lease = await taken(one, "one");
    await sleep(ttlMs * 1.5, new AbortController().signal);
    expect((await ask(other, "other")).kind).toBe("held");
    expect(lease.signal.aborted).toBe(false);
    expect(await write(lease, "a")).toBe(1);
  });

  test("is renewed when only its first key was lost", async () => {
    const [one, other] = [await connect(), await connect()];
    const lease = await taken(one, "one");
    await one.del(keys.lease);
    await until("it is renewed", async () => (await one.get(keys.lease)) === "one");
    expect((await ask(other, "other")).kind).toBe("held");
    expect(await write(lease, "a")).toBe(1);
  });

  test("is lost to another owner who took it, and writes nothing from then on", async () => {
    const [one, other] = [await connect(), await connect()];
    const lease = await taken(one, "one");
    await one.del(keys.lease);
    const next = await taken(other, "other");
    expect(await write(next, "new")).toBe(1);
    expect(await write(lease, "old")).toBe(0);
    expect(await one.get(value)).toBe("new");
    await until("it is lost", () => lease.signal.aborted);
    expect(lease.signal.reason).toBeInstanceOf(FencedError);
    expect(await lease.release(...releaseArgs)).toBe(false);
    expect((await ask(one, "third")).kind).toBe("held");
  });

  test("is lost when Redis was wiped", async () => {
    const one = await connect();
    const lease = await taken(one, "one");
    await one.flushall();
    await until("it is lost", () => lease.signal.aborted);
    expect(await write(lease, "a")).toBe(0);
  });

  test("is lost while it is still valid when Redis hangs", async () => {
    const one = await connect();
    const startMs = performance.now();
    const lease = await taken(one, "one");
    server.signal("SIGSTOP");
    releasers.push(() => server.signal("SIGCONT"));
    await until("it is lost", () => lease.signal.aborted);
    expect(performance.now() - startMs).toBeLessThan(ttlMs);
    expect(lease.signal.reason).toBeInstanceOf(FencedError);
    server.signal("SIGCONT");
  });

  test("a process that was stopped knows in the same turn that its lease may be another's", async () => {
    const one = await connect();
    const lease = await taken(one, "one");
    expect(lease.isHeld()).toBe(true);
    // As SIGSTOP does: no timer and no reply is handled.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ttlMs);
    expect(lease.signal.aborted).toBe(false);
    expect(lease.isHeld()).toBe(false);
    expect(lease.signal.reason).toBeInstanceOf(FencedError);
  });

  test("writes and renews nothing after its release", async () => {
    const one = await connect();
    const lease = await taken(one, "one");
    expect(await lease.release(...releaseArgs)).toBe(true);
    expect(await write(lease, "late")).toBe(0);
    expect(await lease.run(scripts.renew, [], [])).toBe(0);
    expect(await one.exists(keys.lease, value)).toBe(0);
    expect(await lease.release(...releaseArgs)).toBe(false);
  });

  test("can be taken again by its owner, which fences the earlier lease", async () => {
    const one = await connect();
    const lease = await taken(one, "one");
    const again = await taken(one, "one");
    expect(again.fence).toBe("2-one");
    expect(await write(lease, "a")).toBe(0);
    expect(await write(again, "b")).toBe(1);
  });

  test("expires when its release does not reach Redis", async () => {
    const [one, other] = [await connect(), await connect()];
    const lease = await taken(one, "one");
    one.disconnect();
    expect(await lease.release(...releaseArgs)).toBe(false);
    expect((await ask(other, "other")).kind).toBe("held");
    await until("it has expired", async () => (await other.exists(keys.lease)) === 0);
    expect((await taken(other, "other")).fence).toBe("2-other");
  });
});
