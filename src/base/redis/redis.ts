import type { Clock } from "../core/clock.ts";
import { describeError, TelemetrydError } from "../core/errors.ts";
import type { Logger } from "../core/log.ts";
import { liveSecrets } from "../core/secrets/live-secrets.ts";
import { secretsOfUrl } from "../core/secrets/secret-values.ts";
import { runServices, type Service } from "../core/service.ts";
import { parseRedisAddress } from "../net/redis-address.ts";
import { type ConnectionRole, openConnection, type RedisConnection, type RedisTarget } from "./connection.ts";
import { createPrivateServer, socketPath } from "./private-server.ts";
import { checkRequirements, type RequirementsReport } from "./requirements.ts";

export interface RedisRoomOptions {
  /** `redis.url`; absent: a private redis-server under the state directory. */
  readonly urls?: readonly string[];
  readonly stateDirectory: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** The private server's program; `REDIS_SERVER_BIN` or `redis-server` of the PATH by default. */
  readonly binary?: string;
  readonly appendFsync?: "everysec" | "always";
}

/** Hands out connections; all that needs Redis takes this, and never knows which Redis it is. */
export interface RedisConnections {
  /**
   * A connection that its user closes with `disconnect()`. It may be opened before Redis is there, and survives every
   * outage.
   *
   * @param name shows in the log and in `CLIENT LIST`
   */
  open(role: ConnectionRole, name: string): RedisConnection;
}

export interface RedisRoom extends RedisConnections {
  /** Runs the private server, if there is one, and holds whatever Redis responds to the requirements. */
  readonly service: Service;
}

/**
 * The one Redis of the daemon: outside at `redis.url`, or a private one. Everything that shares state goes through the
 * connections of this room.
 */
export function createRedis(options: RedisRoomOptions): RedisRoom {
  const target = targetOf(options);
  const checker = requirementsChecker(target, options);
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
    open: (role, name) =>
      openConnection(target, role, name, {
        // All of them go and come together: the requirements checker's connection speaks for all.
        away: (error) => options.log.debug({ connection: name, error: error.message }, "Redis is away"),
        back: () => options.log.debug({ connection: name }, "Redis is back"),
      }),
    service: {
      name: "redis",
      snapshot: () => Object.assign({}, ...services.map((service) => service.snapshot?.())) as unknown,
      run: (signal) => runServices(services, signal),
    },
  };
}

function targetOf({ urls = [], stateDirectory }: RedisRoomOptions): RedisTarget {
  if (urls.length === 0) return { kind: "socket", path: socketPath(stateDirectory) };
  const address = parseRedisAddress(urls);
  // The configuration has been held to the same form.
  if (address.kind === "fault") throw new Error(`the address of Redis must be ${address.message}`);
  const passwords =
    address.kind === "sentinel"
      ? [address.password, address.sentinelPassword].filter((password) => password !== undefined)
      : urls.flatMap(secretsOfUrl);
  liveSecrets.hold("redis.url", passwords);
  return address;
}

/** Asks every Redis that replies, again after each reconnect, since it may be another one then. */
function requirementsChecker(target: RedisTarget, options: RedisRoomOptions): Service {
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
      try {
        await new Promise<void>((resolve, reject) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
          if (signal.aborted) resolve();
          connection.on("ready", () => {
            connection.info().then(
              (info) => {
                report = checkRequirements(info);
                for (const warning of report.warnings) log.warn(`Redis will lose data some day: ${warning}`);
                if (report.refusal !== undefined) {
                  reject(new TelemetrydError("REDIS_UNAVAILABLE", report.refusal));
                }
              },
              // It went away again, or may not be asked: the next connect asks again.
              (error: unknown) =>
                log.debug({ error: describeError(error) }, "Redis did not tell its version"),
            );
          });
        });
      } finally {
        connection.disconnect();
      }
    },
  };
}
