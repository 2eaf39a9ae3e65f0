import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import type { RedisConnection } from "../../src/base/redis/connection.ts";
import { FencedError } from "../../src/base/redis/lease.ts";
import { createRedis, type RedisConnections } from "../../src/base/redis/redis.ts";
import { RedisSentLog } from "../../src/exporter/delivery/fleet/redis-sent-log.ts";
import type { SentLog } from "../../src/exporter/delivery/late/sent-log.ts";
import { full, known, Sender, sentLogContract, stepMs } from "../support/contracts/sent-log.ts";
import { StateReplica } from "../support/fleet/fleet.ts";
import { type RunningServer, startRedis } from "../support/servers.ts";

const baseMs = 1_700_000_040_000;
const minutes = (count: number) => baseMs + count * stepMs;
const always = { fromMs: -Infinity, toMs: Infinity };
const list = "telemetryd:export:{sink}:sent";

let server: RunningServer;
let redis: RedisConnections;
let directory: string;
const releasers = new Releasers();

beforeAll(async () => {
  server = await startRedis();
  directory = await mkdtemp(join(tmpdir(), "telemetryd-sent-"));
  redis = createRedis({
    urls: [server.url],
    stateDirectory: directory,
    clock: systemClock,
    log: silentLogger,
  });
});
beforeEach(async () => {
  await (await newReplica()).state.connection.flushall();
});
afterEach(() => releasers.releaseAll());
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

async function newReplica(): Promise<StateReplica> {
  const replica = new StateReplica(redis);
  releasers.push(() => replica.close());
  return replica.ready();
}

function logOf({ state }: StateReplica, maxBytes?: number, keepMs = 3_600_000): RedisSentLog {
  return new RedisSentLog({ state, stepMs, keepMs, ...(maxBytes === undefined ? {} : { maxBytes }) });
}

/** Takes a sink's lease on first use. */
function logOfItsOwnLeases(replica: StateReplica): SentLog {
  const log = logOf(replica);
  return {
    stepMs: log.stepMs,
    append: async (sink, record) => {
      await replica.begin(sink);
      return log.append(sink, record);
    },
    counts: (sink) => log.counts(sink),
    blocks: (sink, span) => log.blocks(sink, span),
  };
}

const stored = [list, "telemetryd:export:{sink}:state"];

/** The sink's keys, as a replica of Redis has them that lags behind. */
function dumped(connection: RedisConnection): Promise<Buffer[]> {
  return Promise.all(stored.map(async (key) => (await connection.dumpBuffer(key)) ?? Buffer.of()));
}

async function restore(connection: RedisConnection, kept: readonly Buffer[]): Promise<void> {
  for (const [index, key] of stored.entries()) {
    await connection.restore(key, 0, kept[index] ?? Buffer.of(), "REPLACE");
  }
}

describe("RedisSentLog", () => {
  sentLogContract(baseMs, async () => {
    const replica = await newReplica();
    return {
      log: logOfItsOwnLeases(replica),
      // Another replica, after the first one's leases have expired.
      async reopen() {
        for (const held of [...replica.leases.keys()]) await replica.end(held);
        return logOfItsOwnLeases(await newReplica());
      },
    };
  });

  test("replicas that take turns each go on with their own block", async () => {
    const replicas = [await newReplica(), await newReplica()];
    const logs = replicas.map((replica) => logOf(replica));
    const senders = replicas.map(() => new Sender("sink", baseMs));
    for (let minute = 0; minute < 6; minute++) {
      const turn = minute % 2;
      await replicas[turn]!.begin("sink");
      senders[turn]!.toMs = minutes(minute);
      expect(await senders[turn]!.send(logs[turn]!, stepMs)).toBe(true);
      await replicas[turn]!.end("sink");
    }
    for (const log of logs) {
      expect(await known(log, "sink")).toEqual(full(baseMs, minutes(6)));
      const blocks = await log.blocks("sink", always);
      expect(blocks.map((records) => records.length)).toEqual([3, 3]);
    }
  });

  test("a replica that was thought dead writes nothing", async () => {
    const [dead, alive] = [await newReplica(), await newReplica()];
    await dead.begin("sink");
    const deadLog = logOf(dead);
    const deadSender = new Sender("sink", baseMs);
    expect(await deadSender.send(deadLog, stepMs)).toBe(true);
    // Its lease expires while it hangs.
    await alive.state.connection.del("telemetryd:export:{sink}:lease");
    await alive.begin("sink");
    const aliveLog = logOf(alive);
    expect(await new Sender("sink", minutes(1)).send(aliveLog, stepMs)).toBe(true);
    await expect(deadSender.send(deadLog, stepMs)).rejects.toThrow(FencedError);
    expect(await known(aliveLog, "sink")).toEqual(full(baseMs, minutes(2)));
    // A record of its block is missing now.
    await alive.end("sink");
    dead.leases.clear();
    await dead.begin("sink");
    expect(await deadSender.send(deadLog, stepMs)).toBe(false);
  });

  test("without a lease nothing is written", async () => {
    const replica = await newReplica();
    await expect(new Sender("sink", baseMs).send(logOf(replica))).rejects.toThrow(FencedError);
    expect(await replica.state.connection.exists(list)).toBe(0);
  });

  test("too many bytes: the oldest records go, and no count says otherwise", async () => {
    const replica = await newReplica();
    await replica.begin("sink");
    const log = logOf(replica, 100_000);
    const sender = new Sender("sink", baseMs, 3_000);
    for (let minute = 0; minute < 40; minute++) {
      expect(await sender.send(log, stepMs)).toBe(true);
      await known(log, "sink");
      const records = await replica.state.connection.lrangeBuffer(list, 0, -1);
      const bytes = records.reduce((sum, { length }) => sum + length, 0);
      expect(bytes).toBeLessThanOrEqual(100_000);
      expect(await replica.state.connection.hget("telemetryd:export:{sink}:state", "sentBytes")).toBe(
        String(bytes),
      );
    }
    const steps = await known(log, "sink");
    expect(steps.at(-1)?.[0]).toBe(minutes(40));
    expect(steps.length).toBeGreaterThan(10);
    expect(steps.length).toBeLessThan(35);
  });

  test("a record larger than the bound stays until the next", async () => {
    const replica = await newReplica();
    await replica.begin("sink");
    const log = logOf(replica, 1_000);
    const sender = new Sender("sink", baseMs, 2_000);
    for (let minute = 0; minute < 3; minute++) {
      sender.newBlock();
      expect(await sender.send(log, stepMs)).toBe(true);
      expect(await known(log, "sink")).toEqual(full(minutes(minute), minutes(minute + 1)));
    }
  });

  test("records go by age; what is behind a beginning that is gone is not known", async () => {
    const replica = await newReplica();
    await replica.begin("sink");
    const log = logOf(replica, undefined, 7 * stepMs);
    const sender = new Sender("sink", baseMs);
    for (let minute = 0; minute < 23; minute++) {
      expect(await sender.send(log, stepMs)).toBe(true);
      await known(log, "sink");
    }
    // Blocks of five minutes, of which the one from 15 to 20 has lost its first record.
    expect(await replica.state.connection.llen(list)).toBe(8);
    expect(await known(log, "sink")).toEqual(full(minutes(15), minutes(23)));
  });

  test("Redis has lost its newest writes: a block ends there, and what its replica sends then is known", async () => {
    const [replica, other] = [await newReplica(), await newReplica()];
    const { connection } = replica.state;
    const [log, sender] = [logOf(replica), new Sender("sink", baseMs)];
    await replica.begin("sink");
    for (let minute = 0; minute < 2; minute++) expect(await sender.send(log, stepMs)).toBe(true);
    const kept = await dumped(connection);
    for (let minute = 2; minute < 4; minute++) expect(await sender.send(log, stepMs)).toBe(true);
    await restore(connection, kept);
    // Meanwhile another replica sends the lost minutes again.
    await replica.end("sink");
    await other.begin("sink");
    const otherLog = logOf(other);
    expect(await new Sender("sink", minutes(2)).send(otherLog, 2 * stepMs)).toBe(true);
    expect(await known(otherLog, "sink")).toEqual(full(baseMs, minutes(4)));
    await other.end("sink");
    await replica.begin("sink");
    expect(await sender.send(log, stepMs)).toBe(false);
    sender.newBlock();
    sender.toMs = minutes(4);
    expect(await sender.send(log, stepMs)).toBe(true);
    expect(await known(log, "sink")).toEqual(full(baseMs, minutes(5)));
  });

  test("a record is missing within a block: what follows in the block counts for nothing", async () => {
    const replica = await newReplica();
    await replica.begin("sink");
    const [log, sender] = [logOf(replica), new Sender("sink", baseMs)];
    for (let minute = 0; minute < 4; minute++) await sender.send(log, stepMs);
    const { connection } = replica.state;
    const [, second = Buffer.of()] = await connection.lrangeBuffer(list, 0, -1);
    await connection.lrem(list, 1, second);
    expect(await known(log, "sink")).toEqual(full(baseMs, minutes(1)));
    expect((await log.blocks("sink", always)).map((records) => records.length)).toEqual([1]);
    sender.newBlock();
    await sender.send(log, stepMs);
    expect(await known(log, "sink")).toEqual([...full(baseMs, minutes(1)), ...full(minutes(4), minutes(5))]);
    expect((await log.counts("sink"))?.get("source-1")?.lost).toEqual({
      fromMs: minutes(1),
      toMs: minutes(4),
    });
  });

  test("a write that is repeated, since its reply was lost, is there once", async () => {
    const replica = await newReplica();
    await replica.begin("sink");
    const [log, sender] = [logOf(replica), new Sender("sink", baseMs)];
    for (let minute = 0; minute < 3; minute++) {
      const record = await sender.next(stepMs);
      for (let turn = 0; turn < 2; turn++) expect(await log.append("sink", record)).toBe(true);
    }
    expect(await replica.state.connection.llen(list)).toBe(3);
    expect(await known(log, "sink")).toEqual(full(baseMs, minutes(3)));
  });

  test("an append waits out a Redis that does not respond: longer than a command may take", async () => {
    const replica = await newReplica();
    await replica.begin("sink");
    const [log, sender] = [logOf(replica), new Sender("sink", baseMs)];
    expect(await sender.send(log, stepMs)).toBe(true);
    server.signal("SIGSTOP");
    const appended = sender.send(log, stepMs);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    server.signal("SIGCONT");
    expect(await appended).toBe(true);
    expect(await replica.state.connection.llen(list)).toBe(2);
    expect(await known(log, "sink")).toEqual(full(baseMs, minutes(2)));
  });

  test("a list that has expired starts over, with its bytes", async () => {
    const replica = await newReplica();
    await replica.begin("sink");
    const log = logOf(replica);
    const sender = new Sender("sink", baseMs);
    await sender.send(log, stepMs);
    expect(await replica.state.connection.pttl(list)).toBeGreaterThan(3_500_000);
    await replica.state.connection.del(list);
    expect(await known(log, "sink")).toEqual([]);
    // Its block is one whose beginning is gone.
    await sender.send(log, stepMs);
    expect(await known(log, "sink")).toEqual([]);
    sender.newBlock();
    expect(await sender.send(log, stepMs)).toBe(true);
    expect(await known(log, "sink")).toEqual(full(minutes(2), minutes(3)));
    const bytes = (await replica.state.connection.lrangeBuffer(list, 0, -1)).reduce(
      (sum, { length }) => sum + length,
      0,
    );
    expect(await replica.state.connection.hget("telemetryd:export:{sink}:state", "sentBytes")).toBe(
      String(bytes),
    );
  });
});
