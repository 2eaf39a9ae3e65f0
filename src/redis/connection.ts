import { Cluster, Redis, type RedisOptions } from "ioredis";

/** Where Redis is: one or more URLs (more than one: a cluster's nodes), or the Unix socket of the private server. */
export type RedisAddress =
  | { readonly kind: "urls"; readonly urls: readonly string[] }
  | { readonly kind: "socket"; readonly path: string };

/**
 * What a connection is for.
 *
 * - `command`: answers at once. A command fails within a millisecond when Redis is away and within
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

function optionsFor(role: ConnectionRole, name: string): RedisOptions {
  const common: RedisOptions = {
    connectionName: `telemetryd:${name}`,
    connectTimeout: 5_000,
    retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 1_000),
    // After a failover the old primary answers READONLY: only a new connection finds the new one.
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
        // A command whose answer was lost must not run a second time behind its caller's back.
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
  address: RedisAddress,
  role: ConnectionRole,
  name: string,
  listener: ConnectionListener,
): RedisConnection {
  const connection = build(address, optionsFor(role, name));
  let wasReady = false;
  let isAway = false;
  let errors = 0;
  connection.on("error", (error: Error) => {
    errors++;
    if (isAway || (!wasReady && errors < quietAttempts)) return;
    isAway = true;
    listener.away(error);
  });
  connection.on("ready", () => {
    if (isAway) listener.back();
    wasReady = true;
    isAway = false;
  });
  // A BullMQ worker watches over its connections itself.
  if (role !== "worker" && connection instanceof Redis) keepPulse(connection);
  return connection;
}

const pulseEveryMs = 10_000;
const pulseLimitMs = 10_000;

/**
 * Replaces a connection whose peer has vanished without a word: TCP alone would take a quarter of an hour to notice, and
 * a subscriber would never. (The client library's own `socketTimeout` may end the connection that came after.)
 */
function keepPulse(connection: Redis): void {
  let asked: NodeJS.Timeout | undefined;
  const timer = setInterval(() => {
    if (connection.status !== "ready" || asked !== undefined) return;
    asked = setTimeout(() => connection.disconnect(true), pulseLimitMs).unref();
    const answered = (): void => {
      clearTimeout(asked);
      asked = undefined;
    };
    // Any answer will do, also an error of Redis; but not our own limit for commands, which is shorter.
    connection.ping().then(answered, (error: Error) => {
      if (error.name === "ReplyError" || connection.status !== "ready") answered();
    });
  }, pulseEveryMs).unref();
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

function build(address: RedisAddress, options: RedisOptions): RedisConnection {
  if (address.kind === "socket") return new Redis({ ...options, path: address.path });
  const [first, ...others] = address.urls;
  if (first === undefined) throw new Error("an address of Redis needs at least one URL");
  if (others.length === 0) return new Redis(first, options);
  const { enableOfflineQueue = true, retryStrategy: _own, ...redisOptions } = options;
  return new Cluster([...address.urls], {
    enableOfflineQueue,
    clusterRetryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 6), 1_000),
    redisOptions: { ...redisOptions, ...credentialsOf(first) },
  });
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
