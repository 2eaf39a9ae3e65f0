/** Bounds of the platform's HTTP side, all of them on one process. */
export interface PlatformLimits {
  /** TCP connections, with or without a token. */
  readonly connections: number;
  /** Connections of one IPv4 address, or of one IPv6 /64. */
  readonly connectionsPerAddress: number;
  /** Until the TLS handshake must be done. */
  readonly handshakeMs: number;
  /** Until the head of a request must be there. */
  readonly headMs: number;

  readonly maxBodyBytes: number;
  /** A body of which nothing arrives for this long is given up. */
  readonly bodySilenceMs: number;
  /** Until a body must be there as a whole. */
  readonly bodyMs: number;
  /** Bytes of bodies that are held in memory at once. */
  readonly heldBodyBytes: number;
  readonly heldBodyBytesPerToken: number;

  /** Of one Personal Access Token, and of one address. */
  readonly requestsPerSecond: number;
  readonly requestBurst: number;
  /** Requests at work at once; an open watch does not count. */
  readonly concurrentRequests: number;
  readonly concurrentRequestsPerToken: number;

  readonly watches: number;
  readonly watchesPerToken: number;
  /** A client that reads nothing of a response for this long loses its connection; watches have limits of their own. */
  readonly unreadMs: number;
}

export const defaultLimits: PlatformLimits = {
  connections: 8_000,
  connectionsPerAddress: 4_000,
  handshakeMs: 10_000,
  headMs: 10_000,

  maxBodyBytes: 3 * 2 ** 20,
  bodySilenceMs: 30_000,
  bodyMs: 60_000,
  heldBodyBytes: 96 * 2 ** 20,
  heldBodyBytesPerToken: 12 * 2 ** 20,

  requestsPerSecond: 200,
  requestBurst: 1_000,
  concurrentRequests: 500,
  concurrentRequestsPerToken: 100,

  watches: 6_000,
  // An exporter follows an organization of a thousand projects with two watches each, and one of its own.
  watchesPerToken: 2_500,
  unreadMs: 30_000,
};
