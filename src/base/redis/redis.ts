import { once } from "node:events";
import type { Registry } from "prom-client";
import type { Clock } from "../core/clock.ts";
import { describeError, TelemetrydError } from "../core/errors.ts";
import { checkFormat } from "../core/format-version.ts";
import { runServices, type Service } from "../core/service.ts";
import { withLimit } from "../core/signals.ts";
import { liveSecrets } from "../log/live-secrets.ts";
import type { Logger } from "../log/log.ts";
import { secretsOfUrl } from "../log/secret-values.ts";
import { parseRedisAddress } from "../net/redis-address.ts";
import {
  breakConnection,
  type ConnectionRole,
  keyPrefix,
  openConnection,
  type RedisConnection,
  type RedisTarget,
} from "./connection.ts";
import { createRedisRegistry, memoryOf } from "./metrics.ts";
import { createPrivateServer, socketPath } from "./private-server.ts";
import { type RedisOutage, RedisPulse } from "./pulse.ts";
import { checkRequirements, type RequirementsReport } from "./requirements.ts";

export interface DaemonRedisOptions {
  /** `redis.url`; absent for a private redis-server under the state directory. */
  readonly urls?: readonly string[];
  readonly stateDirectory: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** The private server's executable; default `REDIS_SERVER_BIN`, or `redis-server` from the PATH. */
  readonly binary?: string;
  readonly appendFsync?: "everysec" | "always";
}

/** Opens connections. Every user of Redis takes this interface and never learns which Redis it is. */
export interface RedisConnections {
  /**
   * A connection; the caller closes it with `disconnect()`. It may be opened before Redis is reachable, and
   * survives every outage.
   *
   * @param name appears in the log and in `CLIENT LIST`
   */
  open(role: ConnectionRole, name: string): RedisConnection;
  /** Undefined while Redis responds, and unless {@link DaemonRedis.service} runs. */
  outage(): RedisOutage | undefined;
}

export interface DaemonRedis extends RedisConnections {
  /**
   * Checks the format before anybody writes, in an external Redis that responds within a second; the
   * {@link service} checks all others once they respond.
   *
   * @throws TelemetrydError STATE_UNUSABLE when a newer telemetryd has written it
   */
  checkFormat(signal: AbortSignal): Promise<void>;
  /** Runs the private server, if there is one, and checks the connected Redis against the requirements. */
  readonly service: Service;
  readonly registry: Registry;
}

/** The daemon's single Redis: external at `redis.url`, or private. All shared state uses its connections. */
export function createRedis(options: DaemonRedisOptions): DaemonRedis {
  const target = targetOf(options);
  let asked: RedisConnection | undefined;
  const requests = new Set<RedisConnection>();
  const { registry, pinged } = createRedisRegistry(
    async () => memoryOf((await asked?.info("memory")) ?? ""),
    () => pulse.outage() === undefined,
  );
  const onOutage = () => requests.forEach(breakConnection);
  const pulse = new RedisPulse(options.clock, options.log, onOutage, pinged);
  const checker = requirementsChecker(target, options, (connection, signal) => {
    asked = connection;
    void pulse.run(connection, signal);
  });
  const services: Service[] = [checker];
  if (target.kind === "socket") {
    services.push(
      createPrivateServer({
        stateDirectory: options.stateDirectory,
        binary: options.binary ?? process.env["REDIS_SERVER_BIN"] ?? "redis-server",
        appendFsync: options.appendFsync ?? "everysec",
        clock: options.clock,
        log: options.log,
      }),
    );
  }

  return {
    registry,
    outage: () => pulse.outage(),
    checkFormat: (signal) => (target.kind === "socket" ? Promise.resolve() : checkAtOnce(target, signal)),
    open(role, name) {
      const connection = openConnection(target, role, name, {
        // All connections fail and recover together: the requirements checker's connection logs for all.
        away: (error) =>
          options.log.debug({ connection: name, error: error.message }, "Redis is unavailable"),
        back: () => options.log.debug({ connection: name }, "Redis is back"),
      });
      if (role === "request") {
        requests.add(connection);
        connection.once("end", () => requests.delete(connection));
      }
      return connection;
    },
    service: {
      name: "redis",
      snapshot: () => Object.assign({}, ...services.map((service) => service.snapshot?.())) as unknown,
      run: (signal) => runServices(services, signal),
    },
  };
}

/**
 * Checks the Redis of `redis.url` once.
 *
 * @throws the reason why it does not respond
 */
export async function checkRedis(
  options: Pick<DaemonRedisOptions, "urls" | "stateDirectory">,
  signal: AbortSignal,
): Promise<RequirementsReport> {
  let failure: unknown;
  const connection = openConnection(targetOf(options), "command", "check", {
    away: (error) => (failure = error),
    back: () => undefined,
  });
  try {
    const info = await new Promise<string>((resolve, reject) => {
      signal.addEventListener("abort", () => reject(failure ?? signal.reason), { once: true });
      if (signal.aborted) reject(signal.reason);
      connection.once("ready", () => connection.info().then(resolve, reject));
    });
    return checkRequirements(info, true);
  } finally {
    connection.disconnect();
  }
}

function targetOf({
  urls = [],
  stateDirectory,
}: Pick<DaemonRedisOptions, "urls" | "stateDirectory">): RedisTarget {
  if (urls.length === 0) return { kind: "socket", path: socketPath(stateDirectory) };
  const address = parseRedisAddress(urls);
  // The configuration has been validated against the same form.
  if (address.kind === "fault") throw new Error(`the address of Redis must be ${address.message}`);
  const passwords =
    address.kind === "sentinel"
      ? [address.password, address.sentinelPassword].filter((password) => password !== undefined)
      : urls.flatMap(secretsOfUrl);
  liveSecrets.hold("redis.url", passwords);
  return address;
}

/**
 * The format of everything under our keys in Redis, but for BullMQ's queues: it changes when an older
 * telemetryd could not read a key of it. docs/installation.md lists the formats.
 */
const redisFormat = 1;
const formatKey = `${keyPrefix}:format`;

/** @throws TelemetrydError STATE_UNUSABLE when a newer telemetryd has written it; whatever Redis rejects with */
export async function claimFormat(connection: RedisConnection): Promise<void> {
  if (await lacksFormat(connection)) await connection.set(formatKey, redisFormat);
}

async function lacksFormat(connection: RedisConnection): Promise<boolean> {
  const remedy = "run that version, restore a backup of Redis from before it, or give another redis.url";
  const found = (await connection.get(formatKey)) ?? undefined;
  return checkFormat(found, redisFormat, `Redis key ${formatKey}`, remedy);
}

const checkLimitMs = 1_000;

async function checkAtOnce(target: RedisTarget, signal: AbortSignal): Promise<void> {
  const quiet = { away: () => undefined, back: () => undefined };
  const connection = openConnection(target, "command", "format", quiet);
  try {
    await withLimit(signal, checkLimitMs, async (limited) => {
      await once(connection, "ready", { signal: limited });
      await lacksFormat(connection);
    });
  } catch (error) {
    if (error instanceof TelemetrydError) throw error;
  } finally {
    connection.disconnect();
  }
}

/** Checks every Redis that replies, and again after each reconnect, since it may be a different server. */
function requirementsChecker(
  target: RedisTarget,
  options: DaemonRedisOptions,
  onConnection: (connection: RedisConnection, signal: AbortSignal) => void,
): Service {
  const { log } = options;
  let report: RequirementsReport | undefined;
  return {
    name: "redis requirements",
    snapshot: () => ({ version: report?.version ?? null, warnings: report?.warnings ?? [] }),
    async run(signal) {
      const connection = openConnection(target, "command", "requirements", {
        away: (error) => log.warn({ error: error.message }, "no connection to Redis; trying again"),
        back: () => log.info("connected to Redis again"),
      });
      onConnection(connection, signal);
      try {
        await new Promise<void>((resolve, reject) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
          if (signal.aborted) resolve();
          connection.on("ready", () => {
            claimFormat(connection).catch((error: unknown) => {
              if (error instanceof TelemetrydError) reject(error);
              // It is gone again: the next connect checks again.
              else log.debug({ error: describeError(error) }, "the format in Redis could not be read");
            });
            connection.info().then(
              (info) => {
                const isFirst = report === undefined;
                report = checkRequirements(info, isFirst);
                for (const warning of report.warnings) log.warn(`Redis will lose data some day: ${warning}`);
                if (report.refusal !== undefined) {
                  reject(new TelemetrydError("REDIS_UNAVAILABLE", report.refusal));
                }
              },
              // It is gone again, or INFO is not permitted: the next connect checks again.
              (error: unknown) =>
                log.debug({ error: describeError(error) }, "Redis' version could not be read"),
            );
          });
        });
      } finally {
        connection.disconnect();
      }
    },
  };
}
