import { chmod, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { Releasers } from "../../src/base/core/service.ts";
import { createLogger, silentLogger } from "../../src/base/log/log.ts";
import { createRedis, type DaemonRedis, type DaemonRedisOptions } from "../../src/base/redis/redis.ts";
import { startRedis, startSentinel } from "../support/servers.ts";
import { until } from "../support/until.ts";

const releasers = new Releasers();
afterEach(() => releasers.releaseAll());

async function stateDirectory(name = "redis-redis-"): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), name));
  releasers.push(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** Runs the Redis; `stop` ends it as the daemon does. */
function run(options: Partial<DaemonRedisOptions> & { stateDirectory: string }) {
  const redis = createRedis({ clock: systemClock, log: silentLogger, ...options });
  const controller = new AbortController();
  const ended = redis.service.run(controller.signal);
  ended.catch(() => undefined);
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  releasers.push(() => stop().catch(() => undefined));
  return { redis, stop, ended };
}

function privatePid(redis: DaemonRedis): number | null {
  return (redis.service.snapshot!() as { pid: number | null }).pid;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function ready(redis: DaemonRedis, name = "test") {
  const connection = redis.open("command", name);
  releasers.push(() => connection.disconnect());
  await until("Redis replies", async () => (await connection.ping()) === "PONG");
  return connection;
}

describe("the private server", () => {
  test("keeps its data from one daemon to the next and ends with each", async () => {
    const directory = await stateDirectory();
    const first = run({ stateDirectory: directory });
    const connection = await ready(first.redis);
    const pid = privatePid(first.redis);
    await connection.set("kept", "yes");
    connection.disconnect();
    await first.stop();
    expect(isAlive(pid ?? 0)).toBe(false);

    const second = run({ stateDirectory: directory });
    expect(await (await ready(second.redis)).get("kept")).toBe("yes");
  });

  test("one that a killed daemon left is taken over, and ended in the end", async () => {
    const directory = await stateDirectory();
    const first = run({ stateDirectory: directory });
    await ready(first.redis);
    const pid = privatePid(first.redis);
    // The second finds the first's server as after a kill -9 of the first.
    const second = run({ stateDirectory: directory });
    await ready(second.redis, "second");
    await until("the second has taken it over", () => privatePid(second.redis) === pid);
    process.kill(pid ?? 0, 0);
    await releasers.releaseAll();
    expect(isAlive(pid ?? 0)).toBe(false);
  });

  test("killed, it is started again, and connections find it by themselves", async () => {
    const { redis } = run({ stateDirectory: await stateDirectory() });
    const connection = await ready(redis);
    await connection.set("kept", "yes");
    await until("the write reached the disk", async () =>
      /aof_pending_bio_fsync:0/.test(await connection.info("persistence")),
    );
    const pid = privatePid(redis);
    process.kill(pid ?? 0, "SIGKILL");
    await until("another server runs", () => privatePid(redis) !== null && privatePid(redis) !== pid);
    await until("the data is back", async () => (await connection.get("kept")) === "yes");
  });

  test("its files are the owner's alone, also those of an earlier version", async () => {
    const directory = await stateDirectory();
    const folder = join(directory, "redis");
    const modes = async (): Promise<string[]> => {
      const names = await readdir(folder, { recursive: true });
      const found = await Promise.all(["", ...names].map((name) => stat(join(folder, name))));
      return found
        .filter((each) => !each.isSocket() && (each.mode & 0o077) !== 0)
        .map((each) => `${each.mode}`);
    };
    const first = run({ stateDirectory: directory });
    const connection = await ready(first.redis);
    await connection.set("kept", "yes");
    expect(await modes()).toEqual([]);
    await connection.bgrewriteaof();
    await until("the log is rewritten", async () =>
      /aof_rewrite_in_progress:0/.test(await connection.info("persistence")),
    );
    expect(await modes()).toEqual([]);
    await first.stop();

    for (const name of ["", ...(await readdir(folder, { recursive: true }))]) {
      await chmod(join(folder, name), (await stat(join(folder, name))).isDirectory() ? 0o755 : 0o644);
    }
    const second = run({ stateDirectory: directory });
    expect(await (await ready(second.redis, "second")).get("kept")).toBe("yes");
    expect(await modes()).toEqual([]);
  });

  test("works where the state directory's path is too long for a socket", async () => {
    const directory = await stateDirectory(`redis-${"x".repeat(110)}-`);
    const { redis } = run({ stateDirectory: directory });
    await ready(redis);
  });

  test("without redis-server, one message says how to install it", async () => {
    const { ended } = run({ stateDirectory: await stateDirectory(), binary: "no-such-redis-server" });
    await expect(ended).rejects.toMatchObject({
      code: "REDIS_UNAVAILABLE",
      message: expect.stringContaining("apt-get install redis-server"),
    });
  });

  test("one that cannot start ends the daemon with its own words", async () => {
    const { ended } = run({ stateDirectory: await stateDirectory(), binary: "false" });
    await expect(ended).rejects.toMatchObject({ code: "REDIS_UNAVAILABLE" });
  });
});

describe("a connection", () => {
  test("responds at once when Redis is unavailable or hangs, and recovers by itself", async () => {
    const server = await startRedis();
    releasers.push(() => server[Symbol.asyncDispose]());
    const { redis } = run({ stateDirectory: await stateDirectory(), urls: [server.url] });
    const connection = await ready(redis);

    server.signal("SIGSTOP");
    await expect(connection.get("a")).rejects.toThrow(/timed out/);
    server.signal("SIGCONT");
    await until("it replies after the hang", async () => (await connection.ping()) === "PONG");

    await server.kill();
    await until("the loss is noticed", () => connection.status !== "ready");
    const beforeMs = performance.now();
    await expect(connection.get("a")).rejects.toThrow();
    expect(performance.now() - beforeMs).toBeLessThan(2_000);
    await server.restart();
    await until("it replies after the restart", async () => (await connection.ping()) === "PONG");
  });

  test("one that a newer telemetryd has written is refused, with its key and what to do", async () => {
    const server = await startRedis();
    releasers.push(() => server[Symbol.asyncDispose]());
    const first = run({ urls: [server.url], stateDirectory: await stateDirectory() });
    const connection = await ready(first.redis);
    await until("the format is written", async () => (await connection.get("{telemetryd}:format")) === "1");
    await connection.set("{telemetryd}:format", "2");
    const second = run({ urls: [server.url], stateDirectory: await stateDirectory() });
    await expect(second.ended).rejects.toThrow(
      "Redis key {telemetryd}:format: the state was written by a newer telemetryd (format 2; this one knows 1)",
    );
  });

  test("an evicting Redis is warned about by name", async () => {
    const server = await startRedis({ flags: ["--maxmemory-policy", "allkeys-lru"] });
    releasers.push(() => server[Symbol.asyncDispose]());
    const lines: string[] = [];
    const log = createLogger("info", { write: (line) => lines.push(line) }, false);
    run({ stateDirectory: await stateDirectory(), urls: [server.url], log });
    await until("the warning is logged", () => lines.some((line) => line.includes("allkeys-lru")));
  });

  test("says so where the sentinels do not know the primary's name", async () => {
    const sentinel = await startSentinel({ name: "mymaster", port: 1, quorum: 1 });
    releasers.push(() => sentinel[Symbol.asyncDispose]());
    const lines: string[] = [];
    const log = createLogger("info", { write: (line) => lines.push(line) }, false);
    const urls = [`redis+sentinel://127.0.0.1:${sentinel.port}/other`];
    run({ stateDirectory: await stateDirectory(), urls, log });
    await until("it is logged", () => lines.some((line) => line.includes("No such master with that name")));
  });

  test("works with a cluster, every key in one slot", async () => {
    const server = await startRedis({
      flags: ["--cluster-enabled", "yes", "--cluster-announce-ip", "127.0.0.1"],
    });
    releasers.push(() => server[Symbol.asyncDispose]());
    const direct = await ready(run({ stateDirectory: await stateDirectory(), urls: [server.url] }).redis);
    await direct.call("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    await until("the cluster is up", async () =>
      String(await direct.call("CLUSTER", "INFO")).includes("cluster_state:ok"),
    );
    // A list of two makes it a cluster client; both URLs are of the same node.
    const { redis } = run({
      stateDirectory: await stateDirectory(),
      urls: [server.url, server.url.replace("127.0.0.1", "localhost")],
    });
    const connection = redis.open("command", "cluster");
    releasers.push(() => connection.disconnect());
    await until("the cluster client is ready", async () => (await connection.set("{t}:a", "1")) === "OK");
    expect(await connection.mget("{t}:a", "{t}:b")).toEqual(["1", null]);
  });
});
