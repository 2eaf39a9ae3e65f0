import { Cluster, Redis, type RedisOptions } from "ioredis";
import { defined } from "../core/defined.ts";
import type { RedisAddress, SentinelAddress } from "../net/redis-address.ts";

/** The address to connect to: the configured one, or the private server's Unix socket. */
export type RedisTarget = RedisAddress | { readonly kind: "socket"; readonly path: string };

/**
 * The purpose of a connection.
 *
 * - `command`: responds at once. A command fails immediately when Redis is unreachable, and within {@link
 *   commandTimeoutMs} when it hangs. Nothing is queued, so nothing is sent late.
 * - `background`: the same with a longer limit ({@link backgroundTimeoutMs}), for work that no request waits
 *   for.
 * - `request`: like `background`, but open commands fail as soon as Redis is known not to respond.
 * - `subscriber`: like `command`, for a connection that only listens to channels. It must subscribe at every
 *   `ready`.
 * - `worker`: for a BullMQ Worker, which waits without a limit.
 */
export type ConnectionRole = "command" | "background" | "request" | "subscriber" | "worker";

export type RedisConnection = Redis | Cluster;

/**
 * Prefix of every key and channel. The braces put all keys into one cluster slot, as multi-key scripts and
 * BullMQ require. Daemons that share work share one Redis database; separate ones use another
 * (`redis://host/1`).
 */
export const keyPrefix = "{telemetryd}";

const commandTimeoutMs = 500;
const backgroundTimeoutMs = 10_000;

/** The pause before the next connection attempt, in ms. */
function reconnectPause(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 6), 1_000);
}

function optionsFor(role: ConnectionRole, name: string): RedisOptions {
  const common: RedisOptions = {
    connectionName: `telemetryd:${name}`,
    connectTimeout: 5_000,
    retryStrategy: reconnectPause,
    // After a failover the old primary responds with READONLY: only a new connection reaches the new primary.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  };
  switch (role) {
    case "worker":
      return { ...common, maxRetriesPerRequest: null };
    case "subscriber":
      // The client library's own resubscription rejects unhandled when the connection is lost again.
      return { ...common, enableOfflineQueue: false, maxRetriesPerRequest: 0, autoResubscribe: false };
    case "command":
    case "background":
    case "request":
      return {
        ...common,
        enableOfflineQueue: false,
        maxRetriesPerRequest: 0,
        commandTimeout: role === "command" ? commandTimeoutMs : backgroundTimeoutMs,
        // A command whose reply was lost must not run a second time without its caller's knowledge.
        autoResendUnfulfilledCommands: false,
      };
  }
}

/** Called once when the connection to Redis is lost, and once when it is restored. */
interface ConnectionListener {
  away(error: Error): void;
  back(): void;
}

/** Failed attempts not reported before the first connection: a private server takes a moment to start. */
const quietAttempts = 5;

/**
 * Opens a connection that reconnects by itself until it is closed. Its errors never surface as events.
 *
 * @param name appears in the log and in `CLIENT LIST`
 */
export function openConnection(
  target: RedisTarget,
  role: ConnectionRole,
  name: string,
  listener: ConnectionListener,
): RedisConnection {
  const connection = build(target, optionsFor(role, name));
  let wasReady = false;
  let isUnavailable = false;
  let errors = 0;
  let sentinelProblem: string | undefined;
  if (target.kind === "sentinel") {
    connection.on("sentinelError", ({ message }: Error) => {
      sentinelProblem = message.endsWith("invalid reply: null")
        ? `the sentinels know no primary by the name "${target.primary}"`
        : message;
    });
  }
  connection.on("error", (error: Error) => {
    errors++;
    if (isUnavailable || (!wasReady && errors < quietAttempts)) return;
    isUnavailable = true;
    // The client library also reports sentinels as unreachable that reply but do not know the primary.
    const isOfSentinels = sentinelProblem !== undefined && error.message.startsWith("All sentinels");
    listener.away(isOfSentinels ? new Error(sentinelProblem) : error);
  });
  connection.on("ready", () => {
    if (isUnavailable) listener.back();
    wasReady = true;
    isUnavailable = false;
  });
  // A worker's second connection, which waits for jobs, belongs to BullMQ and has a limit of its own.
  if (connection instanceof Redis) keepPulse(connection, target.kind === "sentinel" ? 3_000 : 10_000);
  return connection;
}

/**
 * Replaces a connection whose peer has vanished silently: TCP alone would notice only after many minutes, and
 * a subscriber never. (The client library's own `socketTimeout` may end the connection opened afterwards.)
 *
 * @param pulseMs interval between pings, and the limit for each reply; short when there is another server to
 *   fail over to
 */
function keepPulse(connection: Redis, pulseMs: number): void {
  let asked: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    if (connection.status !== "ready" || asked !== undefined) return;
    asked = setTimeout(() => connection.disconnect(true), pulseMs).unref();
    const replied = (): void => {
      clearTimeout(asked);
      asked = undefined;
    };
    // Any reply counts, including an error from Redis; but not our own, shorter command timeout.
    connection.ping().then(replied, (error: Error) => {
      if (error.name === "ReplyError" || connection.status !== "ready") replied();
    });
  }, pulseMs).unref();
  connection.on("close", () => {
    clearTimeout(asked);
    asked = undefined;
  });
  // Not on `end`: a connection closed between two connection attempts does not emit it.
  const disconnect = connection.disconnect.bind(connection);
  connection.disconnect = (reconnect = false) => {
    if (!reconnect) clearInterval(timer);
    disconnect(reconnect);
  };
}

/** Fails a connection's open commands, and later ones until it is connected again: it begins to do so. */
export function breakConnection(connection: RedisConnection): void {
  const nodes = connection instanceof Redis ? [connection] : connection.nodes("all");
  // In order, it would end only when the other side closes it as well, or after two seconds.
  for (const node of nodes) if (node.status === "ready") node.stream.destroy();
}

/** Commands of one turn of the event loop reach the socket with one system call, not one each. */
class GatheringRedis extends Redis {
  #corked: Redis["stream"] | undefined;

  override sendCommand(...args: Parameters<Redis["sendCommand"]>): unknown {
    // There is none before the first connection attempt.
    const stream = this.stream as Redis["stream"] | undefined;
    if (stream !== undefined && stream !== this.#corked) {
      this.#corked = stream;
      stream.cork();
      process.nextTick(() => {
        stream.uncork();
        if (this.#corked === stream) this.#corked = undefined;
      });
    }
    return super.sendCommand(...args);
  }
}

function build(target: RedisTarget, options: RedisOptions): RedisConnection {
  switch (target.kind) {
    case "socket":
      return new GatheringRedis({ ...options, path: target.path });
    case "single":
      return new GatheringRedis(target.url, options);
    case "sentinel":
      return new GatheringRedis({ ...options, ...sentinelOptions(target) });
    case "cluster": {
      const { enableOfflineQueue = true, retryStrategy: _own, ...redisOptions } = options;
      return new Cluster([...target.urls], {
        enableOfflineQueue,
        clusterRetryStrategy: reconnectPause,
        redisOptions: { ...redisOptions, ...credentialsOf(target.urls[0] ?? "") },
      });
    }
  }
}

/** An unresponsive sentinel or primary is one of several: the next one is tried soon. */
const sentinelLimitMs = 2_000;

function sentinelOptions(address: SentinelAddress): RedisOptions {
  const { sentinels, primary, database, username, password, sentinelUsername, sentinelPassword } = address;
  return defined({
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    name: primary,
    db: database,
    username,
    password,
    sentinelUsername,
    sentinelPassword,
    tls: address.isTls ? {} : undefined,
    sentinelTLS: address.isTls ? {} : undefined,
    enableTLSForSentinelMode: address.isTls,
    connectTimeout: sentinelLimitMs,
    sentinelCommandTimeout: sentinelLimitMs,
    sentinelRetryStrategy: reconnectPause,
  });
}

/** A cluster's nodes are discovered through the first one; its URL's password and TLS apply to all. */
function credentialsOf(url: string): RedisOptions {
  const { username, password, protocol } = new URL(url);
  return defined({
    username: username === "" ? undefined : decodeURIComponent(username),
    password: password === "" ? undefined : decodeURIComponent(password),
    tls: protocol === "rediss:" ? {} : undefined,
  });
}
