import { Cluster, Redis, type RedisOptions } from "ioredis";
import type { RedisAddress, SentinelAddress } from "../net/redis-address.ts";

/** Where to connect to: what the configuration says, or the Unix socket of the private server. */
export type RedisTarget = RedisAddress | { readonly kind: "socket"; readonly path: string };

/**
 * What a connection is for.
 *
 * - `command`: responds at once. A command fails within a millisecond when Redis is away and within
 *   {@link commandTimeoutMs} when it hangs; nothing is queued, so nothing is sent late.
 * - `background`: the same with a longer limit ({@link backgroundTimeoutMs}), for what no request waits for.
 * - `subscriber`: like `command`, for one that only listens to channels. It must subscribe at every `ready`.
 * - `worker`: for a BullMQ Worker, which waits as long as it takes.
 */
export type ConnectionRole = "command" | "background" | "subscriber" | "worker";

export type RedisConnection = Redis | Cluster;

/**
 * Starts every key and channel of the program. The braces put all keys into one slot of a cluster, which scripts over
 * several keys and BullMQ need. Daemons that share work share one Redis database; others take another (`redis://host/1`).
 */
export const keyPrefix = "{telemetryd}";

export const commandTimeoutMs = 500;
export const backgroundTimeoutMs = 10_000;

/** The pause before a further attempt to connect, ms. */
function reconnectPause(attempt: number): number {
  return Math.min(50 * 2 ** Math.min(attempt, 6), 1_000);
}

function optionsFor(role: ConnectionRole, name: string): RedisOptions {
  const common: RedisOptions = {
    connectionName: `telemetryd:${name}`,
    connectTimeout: 5_000,
    retryStrategy: reconnectPause,
    // After a failover the old primary responds with READONLY: only a new connection finds the new one.
    reconnectOnError: (error) => error.message.startsWith("READONLY"),
  };
  switch (role) {
    case "worker":
      return { ...common, maxRetriesPerRequest: null };
    case "subscriber":
      // Left to the client library, the subscription after a reconnect rejects unhandled when that one is lost, too.
      return { ...common, enableOfflineQueue: false, maxRetriesPerRequest: 0, autoResubscribe: false };
    case "command":
    case "background":
      return {
        ...common,
        enableOfflineQueue: false,
        maxRetriesPerRequest: 0,
        commandTimeout: role === "command" ? commandTimeoutMs : backgroundTimeoutMs,
        // A command whose reply was lost must not run a second time behind its caller's back.
        autoResendUnfulfilledCommands: false,
      };
  }
}

/** Told once when Redis went away, and once when it is back. */
export interface ConnectionListener {
  away(error: Error): void;
  back(): void;
}

/** Failed attempts before the first connection that nobody is told of: a private server takes a moment to start. */
const quietAttempts = 5;

/**
 * Opens a connection that reconnects by itself for as long as it lives. Its errors never surface as events.
 *
 * @param name shows in the log and in `CLIENT LIST`
 */
export function openConnection(
  target: RedisTarget,
  role: ConnectionRole,
  name: string,
  listener: ConnectionListener,
): RedisConnection {
  const connection = build(target, optionsFor(role, name));
  let wasReady = false;
  let isAway = false;
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
    if (isAway || (!wasReady && errors < quietAttempts)) return;
    isAway = true;
    // The client library calls sentinels unreachable that reply, and do not know the primary.
    const isOfSentinels = sentinelProblem !== undefined && error.message.startsWith("All sentinels");
    listener.away(isOfSentinels ? new Error(sentinelProblem) : error);
  });
  connection.on("ready", () => {
    if (isAway) listener.back();
    wasReady = true;
    isAway = false;
  });
  // A worker's second connection, which waits for jobs, is BullMQ's own, and has a limit of its own.
  if (connection instanceof Redis) keepPulse(connection, target.kind === "sentinel" ? 3_000 : 10_000);
  return connection;
}

/**
 * Replaces a connection whose peer has vanished without a word: TCP alone would take a quarter of an hour to notice, and
 * a subscriber would never. (The client library's own `socketTimeout` may end the connection that came after.)
 *
 * @param pulseMs how often it is asked, and how long it may take to respond; short where there is another one to go to
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
    // Any reply will do, also an error of Redis; but not our own limit for commands, which is shorter.
    connection.ping().then(replied, (error: Error) => {
      if (error.name === "ReplyError" || connection.status !== "ready") replied();
    });
  }, pulseMs).unref();
  connection.on("close", () => {
    clearTimeout(asked);
    asked = undefined;
  });
  // Not at `end`: between two attempts to connect, a connection is closed without one.
  const disconnect = connection.disconnect.bind(connection);
  connection.disconnect = (reconnect = false) => {
    if (!reconnect) clearInterval(timer);
    disconnect(reconnect);
  };
}

function build(target: RedisTarget, options: RedisOptions): RedisConnection {
  switch (target.kind) {
    case "socket":
      return new Redis({ ...options, path: target.path });
    case "single":
      return new Redis(target.url, options);
    case "sentinel":
      return new Redis({ ...options, ...sentinelOptions(target) });
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

/** A sentinel, or a primary, that does not respond is one of several: the next one is asked soon. */
const sentinelLimitMs = 2_000;

function sentinelOptions(address: SentinelAddress): RedisOptions {
  const { sentinels, primary, database, username, password, sentinelUsername, sentinelPassword } = address;
  return {
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    name: primary,
    db: database,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(sentinelUsername !== undefined && { sentinelUsername }),
    ...(sentinelPassword !== undefined && { sentinelPassword }),
    ...(address.isTls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
    connectTimeout: sentinelLimitMs,
    sentinelCommandTimeout: sentinelLimitMs,
    sentinelRetryStrategy: reconnectPause,
  };
}

/** A cluster's nodes are found by asking the first; the password and TLS of its URL hold for all of them. */
function credentialsOf(url: string): RedisOptions {
  const { username, password, protocol } = new URL(url);
  return {
    ...(username === "" ? {} : { username: decodeURIComponent(username) }),
    ...(password === "" ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === "rediss:" ? { tls: {} } : {}),
  };
}
