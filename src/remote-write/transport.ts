import { DirectTransport, type DirectTransportOptions } from "./direct-transport.ts";
import type { Transport } from "./post.ts";
import { ProxyTransport } from "./proxy-transport.ts";

export interface TransportOptions extends DirectTransportOptions {
  /** An http or https proxy, which then chooses the address: the guard cannot see it. */
  readonly proxyUrl?: string | undefined;
}

/** The connections of senders. To be closed by whoever made it. */
export function createTransport({ proxyUrl, ...options }: TransportOptions): Transport {
  return proxyUrl ? new ProxyTransport(proxyUrl, options) : new DirectTransport(options);
}
