import { ClosedClient } from "../../../base/http/exchange.ts";
import { DirectTransport, type DirectTransportOptions } from "./direct-transport.ts";
import type { PostLimits, PostRequest, PostResult, Transport } from "./post.ts";

export interface TransportOptions extends DirectTransportOptions {
  /** An http or https proxy, which then chooses the address: the guard cannot check it. */
  readonly proxyUrl?: string | undefined;
}

/** The connections of senders. Its creator closes it. */
export function createTransport({ proxyUrl, ...options }: TransportOptions): Transport {
  return proxyUrl
    ? new LoadedTransport(() => loadProxyTransport(proxyUrl, options))
    : new DirectTransport(options);
}

/**
 * Loaded on demand: this client takes a good part of the program's start, and most installations do not need
 * it.
 */
async function loadProxyTransport(proxyUrl: string, options: DirectTransportOptions): Promise<Transport> {
  const { ProxyTransport } = await import("./proxy-transport.ts");
  return new ProxyTransport(proxyUrl, options);
}

/** Loads a transport with the first request. */
class LoadedTransport implements Transport {
  readonly #load: () => Promise<Transport>;
  #loaded: Promise<Transport> | undefined;
  #isClosed = false;

  constructor(load: () => Promise<Transport>) {
    this.#load = load;
  }

  async post(request: PostRequest, limits: PostLimits, signal: AbortSignal): Promise<PostResult> {
    let transport: Transport;
    try {
      if (this.#isClosed) throw new ClosedClient();
      this.#loaded ??= this.#load();
      transport = await this.#loaded;
    } catch (error) {
      return { kind: "no-response", error, written: false };
    }
    return transport.post(request, limits, signal);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#loaded)?.close();
  }
}
