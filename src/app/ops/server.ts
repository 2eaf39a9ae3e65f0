import type { FastifyInstance } from "fastify";
import type { Service } from "../../base/core/service.ts";
import { untilAborted } from "../../base/core/signals.ts";
import type { Logger } from "../../base/log/log.ts";
import { boundConnections, type ConnectionBounds } from "../../base/net/bounded-connections.ts";
import { type ListenAddress, listenOn } from "../../base/net/listen-address.ts";

/** Time limit for responses in progress when the daemon stops. */
const closeLimitMs = 1_000;

/** For scrapers, probes and browsers, with room for reconnects before the last connection has closed. */
const defaultBounds: ConnectionBounds = { connections: 256, connectionsPerAddress: 128 };

/** Serves `ops.listen` while the daemon runs and while it stops, so that its state stays visible. */
export class OpsServer implements Service {
  readonly name = "ops";
  readonly #app: FastifyInstance;
  readonly #listen: ListenAddress;
  readonly #log: Logger;
  readonly #bounds: ConnectionBounds;
  #closeConnections: (() => void) | undefined;
  #url: string | undefined;

  /** @param listen the value of `ops.listen` */
  constructor(app: FastifyInstance, listen: ListenAddress, log: Logger, bounds = defaultBounds) {
    this.#app = app;
    this.#listen = listen;
    this.#log = log;
    this.#bounds = bounds;
  }

  /** The server's URL once it listens. */
  get url(): string | undefined {
    return this.#url;
  }

  snapshot(): { url: string | undefined } {
    return { url: this.#url };
  }

  /**
   * Binds the address early, so that a taken one fails the start at once; otherwise `run` binds it.
   *
   * @throws ADDRESS_IN_USE
   */
  async listen(): Promise<string> {
    this.#closeConnections ??= boundConnections(this.#app.server, this.#bounds, this.#log);
    this.#url ??= await listenOn(this.#app, this.#listen, "ops.listen");
    return this.#url;
  }

  async run(signal: AbortSignal): Promise<void> {
    try {
      const url = await this.listen();
      this.#log.info({ url }, "status page, metrics and health are served");
      await untilAborted(signal);
    } finally {
      await this.#close();
    }
  }

  async #close(): Promise<void> {
    const force = setTimeout(() => this.#closeConnections?.(), closeLimitMs);
    try {
      await this.#app.close();
    } finally {
      clearTimeout(force);
      this.#url = undefined;
    }
  }
}
