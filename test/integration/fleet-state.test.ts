import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { FencedError } from "../../src/base/redis/lease.ts";
import { createRedis, type RedisConnections } from "../../src/base/redis/redis.ts";
import type { RedisStateOptions } from "../../src/exporter/delivery/fleet/redis-state.ts";
import { endPause, leaseMs, type SinkLease } from "../../src/exporter/delivery/fleet/sink-lease.ts";
import { RequestEntries } from "../../src/exporter/delivery/state/request-entries.ts";
import { SinkStates } from "../../src/exporter/delivery/state/sink-states.ts";
import { lateKey } from "../../src/exporter/delivery/state/state-keys.ts";
import { stateStoreContract } from "../support/contracts/state-store.ts";
import { StateReplica, storeOfItsOwnLeases } from "../support/fleet/fleet.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

const sink = "directory/default/export/-/vm";
const window = { fromMs: 10, toMs: 20, stepMs: 5 };

let server: RunningServer;
let redis: RedisConnections;
let directory: string;
const releasers = new Releasers();

setUpAll(async ({ keep, newFolder }) => {
  server = await keep(startRedis());
  directory = await newFolder("fleet");
  redis = createRedis({
    urls: [server.url],
    stateDirectory: directory,
    clock: systemClock,
    log: silentLogger,
  });
});
beforeEach(async () => {
  const replica = await newReplica();
  await replica.state.connection.flushall();
});
afterEach(() => releasers.releaseAll());

async function newReplica(options: Partial<RedisStateOptions> = {}): Promise<StateReplica> {
  const replica = new StateReplica(redis, options);
  releasers.push(() => replica.close());
  return replica.ready();
}

function entries(...hashes: number[]): RequestEntries {
  const made = new RequestEntries(0);
  for (const hash of hashes) made.addTimes(hash, hash, [1]);
  return made;
}

async function taken(replica: StateReplica): Promise<SinkLease> {
  const outcome = await replica.take(sink);
  if (outcome.kind !== "taken") throw new Error(outcome.kind);
  return outcome.lease;
}

describe("RedisState, what Redis holds", () => {
  stateStoreContract(async () => {
    const replica = await newReplica({ forgetAfterMs: 0 });
    return {
      store: storeOfItsOwnLeases(replica),
      // Another replica with an empty mirror, after the first one's leases have expired.
      async reopen() {
        for (const held of [...replica.leases.keys()]) await replica.end(held);
        return storeOfItsOwnLeases(await newReplica({ forgetAfterMs: 0 }));
      },
    };
  });
});

describe("RedisState, what the mirror holds when Redis is wiped", () => {
  stateStoreContract(async () => {
    const mirror = new SinkStates();
    const replica = await newReplica({ mirror, forgetAfterMs: 0 });
    return {
      store: storeOfItsOwnLeases(replica),
      async reopen() {
        await replica.state.connection.flushall();
        return storeOfItsOwnLeases(await newReplica({ mirror, forgetAfterMs: 0 }));
      },
    };
  });
});

describe("a lease", () => {
  test("is one replica's until it is given back", async () => {
    const [one, other] = [await newReplica(), await newReplica()];
    const lease = await taken(one);
    const refused = await other.take(sink);
    expect(refused.kind).toBe("held");
    if (refused.kind === "held") expect(refused.restMs).toBeLessThanOrEqual(leaseMs);
    await lease.release(undefined);
    const next = await taken(other);
    expect(next.fence).not.toBe(lease.fence);
    expect(Number.parseInt(next.fence, 10)).toBe(Number.parseInt(lease.fence, 10) + 1);
    await next.release(undefined);
  });

  test("has the sink's delivery state, and respects its pause until somebody ends it", async () => {
    const [one, other] = [await newReplica(), await newReplica()];
    await (await taken(one)).release({ kind: "retrying", times: 2, message: "503", pauseMs: 60_000 });
    const paused = await other.take(sink);
    expect(paused.kind).toBe("paused");
    if (paused.kind === "paused") expect(paused.restMs).toBeGreaterThan(50_000);
    await endPause(sink, other.state.connection);
    const lease = await taken(other);
    expect(lease.deliveryState).toEqual({ kind: "retrying", times: 2, message: "503", pauseMs: 0 });
    await lease.release(undefined);
    const recovered = await taken(one);
    expect(recovered.deliveryState).toBeUndefined();
    await recovered.release(undefined);
  });

  test("is renewed for as long as it is held", async () => {
    const [one, other] = [await newReplica(), await newReplica()];
    const lease = await taken(one);
    await sleep(leaseMs + 1_500, new AbortController().signal);
    expect((await other.take(sink)).kind).toBe("held");
    expect(lease.signal.aborted).toBe(false);
    await lease.release(undefined);
  });

  test("comes back after Redis has lost it, if nobody else took it", async () => {
    const replica = await newReplica();
    const lease = await taken(replica);
    const { connection } = replica.state;
    await connection.del(`telemetryd:export:{${sink}}:lease`);
    await until("it is renewed", async () => (await replica.take(sink)).kind === "held");
    await lease.release(undefined);
  });

  test("aborts its holder in time when Redis hangs", async () => {
    const replica = await newReplica();
    const startMs = performance.now();
    const lease = await taken(replica);
    server.signal("SIGSTOP");
    releasers.push(() => server.signal("SIGCONT"));
    await new Promise((resolve) => lease.signal.addEventListener("abort", resolve, { once: true }));
    expect(performance.now() - startMs).toBeLessThan(leaseMs);
    server.signal("SIGCONT");
    await lease.release(undefined);
  });
});

describe("the fence", () => {
  test("a replica that was thought dead moves nothing back", async () => {
    const [dead, alive] = [await newReplica(), await newReplica()];
    await dead.begin(sink);
    await dead.state.setCheckpoint(sink, "a", 10);
    const opened = await dead.state.openWindow(sink, window, ["a"]);
    const request = await dead.state.requestSent(opened, entries(1));
    // Its lease expires while it hangs.
    await alive.state.connection.del(`telemetryd:export:{${sink}}:lease`);
    await alive.begin(sink);
    const [taken] = (await alive.state.load(sink)).windows;
    await alive.state.closeSources(taken!, ["a"]);
    await alive.state.setCheckpoint(sink, "a", 30);
    for (const write of [
      () => dead.state.setCheckpoint(sink, "a", 20),
      () => dead.state.openWindow(sink, { fromMs: 20, toMs: 25, stepMs: 5 }, ["a"]),
      () => dead.state.requestSent(opened, entries(2)),
      () => dead.state.requestAcknowledged(opened, request),
      () => dead.state.closeSources(opened, ["a"]),
    ]) {
      // A sink whose lease has ended locally writes nothing, which is equally correct.
      await write().catch((error: unknown) => expect(error).toBeInstanceOf(FencedError));
    }
    await alive.end(sink);
    const third = await newReplica();
    await third.begin(sink);
    expect(await third.state.load(sink)).toEqual({ checkpoints: new Map([["a", 30]]), windows: [] });
    // Its outdated mirror is not written back, either.
    await third.end(sink);
    dead.leases.clear();
    await dead.begin(sink);
    expect(await dead.state.load(sink)).toEqual({ checkpoints: new Map([["a", 30]]), windows: [] });
  });

  test("without a lease nothing is read or written", async () => {
    const replica = await newReplica();
    await expect(replica.state.load(sink)).rejects.toThrow(FencedError);
    await expect(replica.state.setCheckpoint(sink, "a", 1)).rejects.toThrow(FencedError);
    const lease = await replica.begin(sink);
    replica.state.end(lease);
    await expect(replica.state.load(sink)).rejects.toThrow(FencedError);
  });

  test("a checkpoint never moves back, also when an old write arrives late", async () => {
    const replica = await newReplica();
    await replica.begin(sink);
    await replica.state.setCheckpoint(sink, "a", 30);
    await replica.state.setCheckpoint(sink, "a", 20);
    await replica.end(sink);
    const other = await newReplica();
    await other.begin(sink);
    expect((await other.state.load(sink)).checkpoints.get("a")).toBe(30);
  });
});

describe("sources of a sink's state", () => {
  test("the policy's status stands in where Redis and the mirror are gone", async () => {
    const replica = await newReplica();
    await replica.begin(sink, new Map([["a", 500]]));
    expect((await replica.state.load(sink)).checkpoints).toEqual(new Map([["a", 500]]));
  });

  test("a journal is never rewritten", async () => {
    const replica = await newReplica();
    await replica.begin(sink);
    const opened = await replica.state.openWindow(sink, window, ["a"]);
    for (let each = 0; each < 20; each++) {
      const number = await replica.state.requestSent(opened, entries(each, each + 100));
      await replica.state.requestAcknowledged(opened, number);
    }
    const key = `telemetryd:export:{${sink}}:journal:${opened.id}`;
    const journal = await replica.state.connection.lrangeBuffer(key, 0, -1);
    expect(journal.map(({ length }) => length)).toEqual(Array.from({ length: 20 }, () => [53, 5]).flat());
  });

  test("from the local schedule to the queue and back, each goes on from the other's checkpoints", async () => {
    const mirror = new SinkStates();
    await mirror.setCheckpoint(sink, "a", 100);
    const [mine, other] = [await newReplica({ mirror }), await newReplica()];
    await mine.begin(sink);
    expect((await mine.state.load(sink)).checkpoints.get("a")).toBe(100);
    await mine.end(sink);
    await other.begin(sink);
    await other.state.setCheckpoint(sink, "a", 250);
    await other.state.openWindow(sink, { fromMs: 250, toMs: 300, stepMs: 5 }, ["a"]);
    await other.end(sink);
    expect(await mine.state.handOver()).toEqual([sink]);
    expect((await mirror.load(sink)).checkpoints.get("a")).toBe(250);
    expect((await mirror.load(sink)).windows).toMatchObject([{ fromMs: 250, toMs: 300 }]);
    expect(await mine.state.handOver()).toEqual([]);
  });

  test("the second journal of a sink is under the same lease, with a window for each span", async () => {
    const [one, other] = [await newReplica(), await newReplica()];
    await one.begin(sink);
    const late = lateKey(sink);
    for (const fromMs of [10, 20, 30]) {
      const opened = await one.state.openWindow(late, { fromMs, toMs: fromMs + 10, stepMs: 5 }, ["a"]);
      await one.state.requestAcknowledged(opened, await one.state.requestSent(opened, entries(fromMs)));
    }
    const [first] = (await one.state.load(late)).windows;
    await one.state.closeSources(first!, ["a"]);
    await one.end(sink);
    await expect(one.state.load(late)).rejects.toThrow(FencedError);
    await other.begin(sink);
    expect((await other.state.load(late)).windows.map(({ fromMs }) => fromMs)).toEqual([20, 30]);
    expect((await other.state.load(sink)).windows).toEqual([]);
    // Another replica's mirror restores it, too.
    await other.end(sink);
    await other.state.connection.flushall();
    await other.begin(sink);
    expect((await other.state.load(late)).windows.map(({ fromMs }) => fromMs)).toEqual([20, 30]);
    expect(await other.state.sinks()).toEqual([late]);
  });

  test("a second journal that is not wanted any more is forgotten by whoever holds the lease", async () => {
    const [one, other] = [await newReplica(), await newReplica()];
    await one.begin(sink);
    await one.state.openWindow(lateKey(sink), window, ["a"]);
    await one.state.forget(lateKey(sink));
    expect((await one.state.load(lateKey(sink))).windows).toEqual([]);
    await one.end(sink);
    await other.begin(sink);
    expect((await other.state.load(lateKey(sink))).windows).toEqual([]);
  });

  test("a sink is forgotten only once nobody has run it for the time", async () => {
    const [one, other] = [await newReplica(), await newReplica({ forgetAfterMs: 0 })];
    await one.begin(sink);
    await one.state.setCheckpoint(sink, "a", 10);
    await one.end(sink);
    await one.state.forget(sink);
    expect(await other.state.sinks()).toEqual([sink]);
    await other.state.forget(sink);
    expect(await other.state.sinks()).toEqual([]);
  });
});

test("a write waits out a Redis that is unavailable for a moment", async () => {
  const persistent = await startRedis({ persistent: true });
  releasers.push(() => persistent[Symbol.asyncDispose]());
  const room = createRedis({
    urls: [persistent.url],
    stateDirectory: directory,
    clock: systemClock,
    log: silentLogger,
  });
  const replica = await new StateReplica(room).ready();
  releasers.push(() => replica.close());
  await replica.begin(sink);
  await replica.state.setCheckpoint(sink, "a", 10);
  await until("it is on the disk", async () =>
    /aof_pending_bio_fsync:0/.test(await replica.state.connection.info("persistence")),
  );
  await persistent.kill();
  const written = replica.state.setCheckpoint(sink, "a", 20);
  await persistent.restart();
  await written;
  expect(await replica.state.connection.hget(`telemetryd:export:{${sink}}:state`, "checkpoint:a")).toBe("20");
});
