import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { keyPrefix } from "../../src/base/redis/connection.ts";
import { createRedis } from "../../src/base/redis/redis.ts";
import { fleetKeys } from "../../src/exporter/delivery/fleet/keys.ts";
import { cycleQueueName } from "../../src/exporter/delivery/schedule/cycle-queue.ts";
import { StateLog } from "../../src/exporter/delivery/state/state-log.ts";
import { type SinkPlan, sinkKey } from "../../src/exporter/policy/spec/types.ts";
import { startFleetProcess } from "../support/fleet/fleet-process.ts";
import {
  type FleetReplica,
  fleetPlan,
  Receivers,
  startFleetReplica,
} from "../support/fleet/fleet-replica.ts";
import type { ForkedProcess } from "../support/forked-process.ts";
import { startWatchedRedis } from "../support/redis/sentinels.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";
import { until } from "../support/until.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

const forever = new AbortController().signal;
const releasers = new Releasers();
let server: RunningServer;
let redisUrls: readonly string[];
let directory: string;
let receivers: Receivers;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "telemetryd-fleet-"));
  releasers.push(() => rm(directory, { recursive: true, force: true }));
  server = await startRedis({ persistent: true, flags: ["--appendfsync", "always"] });
  releasers.push(() => server[Symbol.asyncDispose]());
  redisUrls = [server.url];
  receivers = new Receivers();
  await makeKnown(server);
});

/** Marks a Redis as known: on a new one replicas wait for each other, which most tests do not cover. */
async function makeKnown({ url }: RunningServer): Promise<void> {
  const room = createRedis({ urls: [url], stateDirectory: directory, clock: systemClock, log: silentLogger });
  const connection = room.open("command", "epoch");
  const epoch = `earlier ${Date.now() - 60_000}`;
  await until("its epoch is set", async () => (await connection.set(fleetKeys.epoch, epoch)) === "OK");
  connection.disconnect();
}

afterEach(() => releasers.releaseAll());

async function startReplica(
  name: string,
  plans: readonly SinkPlan[],
  intervalMs = 1_000,
): Promise<FleetReplica> {
  const deliver = receivers.from(name);
  const replica = await startFleetReplica({ redisUrls, directory, name, intervalMs, deliver });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (!isStopped) await replica.stop();
    isStopped = true;
  };
  releasers.push(stop);
  for (const plan of plans) replica.schedule.start(plan);
  return { ...replica, stop };
}

function plansOf(count: number): SinkPlan[] {
  return Array.from({ length: count }, (_, index) => fleetPlan(`export-${index}`));
}

const keyOf = (plan: SinkPlan): string => sinkKey(plan.policy, plan.name);

function openQueue(): Queue {
  const room = createRedis({
    urls: [server.url],
    stateDirectory: directory,
    clock: systemClock,
    log: silentLogger,
  });
  const connection = room.open("background", "test");
  const queue = new Queue(cycleQueueName, { connection, prefix: keyPrefix, skipVersionCheck: true });
  queue.on("error", () => undefined);
  releasers.push(() => connection.disconnect());
  releasers.push(() => queue.close());
  return queue;
}

/** Waits until every sink has samples newer than the current time. */
async function allGoOn(plans: readonly SinkPlan[], what: string, limitMs = 60_000): Promise<void> {
  const nowMs = Date.now();
  await until(what, () => plans.every((plan) => receivers.newestMs(keyOf(plan)) > nowMs), limitMs);
}

function expectWhole(plans: readonly SinkPlan[], repeatsAllowed = 0): void {
  let repeated = 0;
  for (const plan of plans) {
    const faults = receivers.faults(keyOf(plan));
    expect(faults.missing, keyOf(plan)).toBe(0);
    repeated += faults.repeated;
  }
  expect(repeated).toBeLessThanOrEqual(repeatsAllowed);
}

test("three replicas share the sinks: each sample once, each sink shown by one, none run twice at once", async () => {
  const plans = plansOf(8);
  const replicas = await Promise.all(["a", "b", "c"].map((name) => startReplica(name, plans)));
  await allGoOn(plans, "every sink has run");
  await allGoOn(plans, "every sink has run again");
  await until("all three take part", () => receivers.requests.size === 3);
  await until("each sink is shown by one replica", () => {
    const shown = replicas.flatMap(({ schedule }) => schedule.snapshots().map(({ plan }) => keyOf(plan)));
    return shown.length === plans.length && new Set(shown).size === plans.length;
  });
  for (const plan of plans) {
    const key = keyOf(plan);
    await until("every replica knows what all have delivered", () =>
      replicas.every(
        ({ reports }) => reports.get(key)?.counts.delivered === receivers.times.get(key)?.length,
      ),
    );
  }
  for (const { stop } of replicas) await stop();
  expectWhole(plans);
  expect(receivers.overlaps).toBe(0);
});

test("a replica that stops leaves its sinks to the others within a cycle", async () => {
  const plans = plansOf(8);
  const [first] = [await startReplica("a", plans), await startReplica("b", plans)];
  await allGoOn(plans, "every sink has run");
  await first.stop();
  await allGoOn(plans, "the other goes on");
  const third = await startReplica("c", plans);
  await until("a new one can show all", () =>
    plans.every((plan) => third.reports.get(keyOf(plan)) !== undefined),
  );
  await allGoOn(plans, "and so with a new one");
  expect(third.schedule.snapshot().sinks).toBe(8);
  expectWhole(plans);
});

test("Redis is killed and comes back: cycles pause, nothing is lost", async () => {
  const plans = plansOf(10);
  await startReplica("a", plans);
  await startReplica("b", plans);
  await allGoOn(plans, "every sink has run");
  await server.kill();
  await sleep(3_000, forever);
  await server.restart();
  await allGoOn(plans, "they go on by themselves");
  // Requests in flight when Redis became unavailable may be repeated.
  expectWhole(plans, plans.length * 12);
});

test("Redis loses everything: schedulers, jobs and checkpoints come back, with no gap and no repeat", async () => {
  const plans = plansOf(10);
  await startReplica("a", plans);
  await startReplica("b", plans);
  await allGoOn(plans, "every sink has run");
  const queue = openQueue();
  const client = createRedis({
    urls: [server.url],
    stateDirectory: directory,
    clock: systemClock,
    log: silentLogger,
  }).open("command", "wiper");
  releasers.push(() => client.disconnect());
  await until("it is wiped", async () => (await client.flushall()) === "OK");
  await allGoOn(plans, "they go on by themselves");
  expectWhole(plans, plans.length * 12);
  await queue.obliterate({ force: true }).catch(() => undefined);
  await allGoOn(plans, "also after the queue was obliterated");
  expectWhole(plans, plans.length * 12);
});

test("a replica without a job notices in time that Redis was wiped, and restores what it knows", async () => {
  const [key, replica] = ["shop/default/export/u1/vm", "idle"];
  mkdirSync(join(directory, replica));
  const file = await StateLog.open({ directory: join(directory, replica), log: silentLogger });
  await file.store.setCheckpoint(key, "a", 1_000);
  await file.close();
  await startReplica(replica, []);
  const client = new Redis(server.url);
  releasers.push(() => client.disconnect());
  // Each time right after it looked, when its next look is furthest away.
  for (let round = 0; round < 3; round++) {
    await client.flushall();
    await client.set(fleetKeys.epoch, `${randomUUID()} ${Date.now()}`);
    const wipedMs = Date.now();
    await until("its state is back", async () => (await client.exists(fleetKeys.state(key))) === 1);
    // The others begin after 5 s.
    expect(Date.now() - wipedMs).toBeLessThan(4_000);
  }
});

test("a receiver's trouble pauses its sink in every replica; an edit ends the pause", async () => {
  const plan = fleetPlan("export", { retry: { maxAttempts: 1, backoffMs: 60_000 } });
  let probes = 0;
  let isDown = true;
  receivers.response = () => {
    if (!isDown) return undefined;
    probes++;
    return { kind: "exhausted", reason: "server_error", message: "503", status: 503, responseLost: false };
  };
  const replicas = [await startReplica("a", [plan]), await startReplica("b", [plan])];
  await until("the receiver was asked", () => probes > 0);
  await until("somebody shows it", () =>
    replicas.some(({ schedule }) =>
      schedule.snapshots().some(({ deliveryState }) => deliveryState.kind === "retrying"),
    ),
  );
  const before = probes;
  await sleep(4_000, forever);
  expect(probes).toBe(before);
  isDown = false;
  for (const { schedule } of replicas) schedule.change({ ...plan, generation: 2 });
  await allGoOn([plan], "it is tried at once");
  expectWhole([plan]);
});

test("a replica with an older policy steps aside", async () => {
  const old = fleetPlan("export");
  const fresh = { ...old, generation: 2 };
  await startReplica("fresh", [fresh]);
  const late = await startReplica("late", [old]);
  await allGoOn([fresh], "it runs");
  // The older replica may have set it last; the newer one corrects it.
  const queue = openQueue();
  await until("the scheduler is the newer one's", async () => {
    return (await queue.getJobScheduler(keyOf(fresh)))?.template?.data.generation === 2;
  });
  await allGoOn([fresh], "it runs with it");
  const before = receivers.requests.get("late") ?? 0;
  await allGoOn([fresh], "it runs on");
  await allGoOn([fresh], "and on");
  expect(receivers.requests.get("late") ?? 0).toBe(before);
  // Its sink is the same as before.
  late.schedule.renew(fresh);
  await until(
    "once it knows the policy, it takes part",
    () => (receivers.requests.get("late") ?? 0) > before,
  );
});

test("a removed sink has no scheduler any more, and nothing of it runs", async () => {
  const plans = plansOf(2);
  const replicas = [await startReplica("a", plans), await startReplica("b", plans)];
  await allGoOn(plans, "both have run");
  const [gone, kept] = plans.map(keyOf);
  for (const { schedule } of replicas) await schedule.remove(gone!);
  const queue = openQueue();
  await until("its scheduler is gone", async () => (await queue.getJobScheduler(gone!)) === undefined);
  expect(await queue.getJobScheduler(kept!)).toBeDefined();
  const newestMs = receivers.newestMs(gone!);
  await allGoOn(plans.slice(1), "the other goes on");
  expect(receivers.newestMs(gone!)).toBe(newestMs);
});

test("a sink whose period changes is scheduled again", async () => {
  const plan = fleetPlan("export", { batch: { timeoutMs: 1_000, maxSize: 100, maxBytes: 2 ** 23 } });
  const replica = await startReplica("a", [plan], 3_000);
  await allGoOn([plan], "it runs");
  const queue = openQueue();
  expect((await queue.getJobScheduler(keyOf(plan)))?.every).toBe(3_000);
  replica.schedule.change({
    ...plan,
    generation: 2,
    batch: { timeoutMs: 120_000, maxSize: 100, maxBytes: 2 ** 23 },
  });
  await until(
    "its period has changed",
    async () => (await queue.getJobScheduler(keyOf(plan)))?.every === 120_000,
  );
});

/** A replica in a separate process, beside one in this process. */
async function startPair(plans: readonly SinkPlan[]): Promise<ForkedProcess> {
  const policies = plans.map(({ policy }) => policy.name);
  const process = startFleetProcess(
    { redisUrls, directory, name: "process", intervalMs: 2_000, policies },
    (sink, timesMs) => {
      receivers.requests.set("process", (receivers.requests.get("process") ?? 0) + 1);
      receivers.take(sink, timesMs);
    },
  );
  releasers.push(() => process.kill());
  await startReplica("b", plans);
  await until("both take part", () => (receivers.requests.get("process") ?? 0) > plans.length);
  await allGoOn(plans, "every sink has run");
  return process;
}

test("a killed replica's sinks go on in another one within 30 s", async () => {
  const plans = plansOf(12);
  const process = await startPair(plans);
  await process.kill();
  await allGoOn(plans, "the other goes on", 30_000);
  // One request of each running sink may not have been recorded.
  expectWhole(plans, plans.length * 12);
});

test("a replica that was frozen for longer than its leases moves nothing back", async () => {
  const plans = plansOf(12);
  const process = await startPair(plans);
  process.child.kill("SIGSTOP");
  await allGoOn(plans, "the other goes on", 30_000);
  process.child.kill("SIGCONT");
  const before = receivers.requests.get("process") ?? 0;
  await until("it takes part again", () => (receivers.requests.get("process") ?? 0) > before);
  await allGoOn(plans, "all go on");
  expectWhole(plans, plans.length * 12);
});

test("works on a cluster: each sink's keys in one slot, the queue's in another", async () => {
  const flags = ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"];
  const node = await startRedis({ flags });
  releasers.push(() => node[Symbol.asyncDispose]());
  const room = createRedis({
    urls: [node.url],
    stateDirectory: directory,
    clock: systemClock,
    log: silentLogger,
  });
  const direct = room.open("command", "cluster-setup");
  releasers.push(() => direct.disconnect());
  await until(
    "it has all slots",
    async () => (await direct.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383")) === "OK",
  );
  await until("the cluster is up", async () =>
    String(await direct.call("CLUSTER", "INFO")).includes("cluster_state:ok"),
  );
  // A list of two makes it a cluster client; both URLs are of the same node.
  redisUrls = [node.url, node.url.replace("127.0.0.1", "localhost")];
  const plans = plansOf(6);
  const replicas = [await startReplica("a", plans), await startReplica("b", plans)];
  await allGoOn(plans, "every sink has run");
  await allGoOn(plans, "every sink has run again");
  for (const { stop } of replicas) await stop();
  expectWhole(plans);
});

test("works with sentinels, through a failover to the replica", async () => {
  const watched = await startWatchedRedis("se:cr@t/");
  releasers.push(() => watched[Symbol.asyncDispose]());
  redisUrls = [watched.url];
  const plans = plansOf(6);
  await startReplica("a", plans);
  await startReplica("b", plans);
  await allGoOn(plans, "every sink has run");
  // Simulates a power failure: connections stay open without a response.
  watched.primary.signal("SIGSTOP");
  await allGoOn(plans, "they go on with the replica", 40_000);
  watched.primary.signal("SIGCONT");
  await allGoOn(plans, "and when the old primary comes back, as a replica");
  // Replication is asynchronous: requests in flight and the last recorded ones may be repeated.
  expectWhole(plans, plans.length * 24);
});

test("the work of a thousand sinks spreads evenly over three replicas", async () => {
  const plans = plansOf(1_000);
  const replicas = await Promise.all(["a", "b", "c"].map((name) => startReplica(name, plans, 20_000)));
  const cyclesOf = (): number[] => replicas.map(({ schedule }) => schedule.snapshot().cycles);
  const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other);
  // The first one that has started may run many before the others do.
  await until("each runs cycles", () => cyclesOf().every((each) => each > 0), 200_000);
  const before = cyclesOf();
  const sinceThen = (): number[] => cyclesOf().map((each, index) => each - (before[index] ?? 0));
  await until("as many cycles as there are sinks have run", () => sum(sinceThen()) >= plans.length, 200_000);
  const cycles = sinceThen();
  const share = sum(cycles) / cycles.length;
  for (const each of cycles) expect(Math.abs(each - share) / share, cycles.join(", ")).toBeLessThan(0.2);
});
