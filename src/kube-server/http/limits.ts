/** Limits of the platform's HTTP server, all per process. */
export interface ServerLimits {
  /** TCP connections, authenticated or not. */
  readonly connections: number;
  /** Connections per IPv4 address or IPv6 /64. */
  readonly connectionsPerAddress: number;
  /** Timeout of the TLS handshake. */
  readonly handshakeMs: number;
  /** Timeout of a request's head. */
  readonly headMs: number;

  readonly maxBodyBytes: number;
  /** Timeout between two pieces of a body. */
  readonly bodySilenceMs: number;
  /** Timeout of a whole body. */
  readonly bodyMs: number;
  /** Bytes of bodies held in memory at once. */
  readonly heldBodyBytes: number;
  readonly heldBodyBytesPerToken: number;

  /** Per Personal Access Token. */
  readonly requestsPerSecondPerToken: number;
  /** Requests without a valid token, per IPv4 address or IPv6 /64. */
  readonly refusedRequestsPerSecond: number;
  /** Concurrent requests; an open watch does not count. */
  readonly concurrentRequests: number;
  readonly concurrentRequestsPerToken: number;

  readonly watches: number;
  readonly watchesPerToken: number;
  /** Logs that are read at once. */
  readonly logs: number;
  readonly logsPerToken: number;
  readonly logsPerProject: number;
  /** For how long a log may be followed. */
  readonly logMs: number;
  /** Of one response. */
  readonly logBytes: number;
  /**
   * A client that reads nothing of a response for this long is disconnected; watches have their own limits.
   */
  readonly unreadMs: number;
}

export const defaultLimits: ServerLimits = {
  connections: 8_000,
  connectionsPerAddress: 4_000,
  handshakeMs: 10_000,
  headMs: 10_000,

  maxBodyBytes: 3 * 2 ** 20,
  bodySilenceMs: 30_000,
  bodyMs: 60_000,
  heldBodyBytes: 96 * 2 ** 20,
  heldBodyBytesPerToken: 12 * 2 ** 20,

  requestsPerSecondPerToken: 400,
  refusedRequestsPerSecond: 400,
  concurrentRequests: 500,
  concurrentRequestsPerToken: 100,

  watches: 6_000,
  // Enough for an exporter that follows a large organization with two watches per project.
  watchesPerToken: 2_500,
  logs: 200,
  logsPerToken: 10,
  logsPerProject: 20,
  logMs: 4 * 3_600_000,
  logBytes: 256 * 2 ** 20,
  unreadMs: 30_000,
};
