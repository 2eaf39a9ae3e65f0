import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { StoreClient } from "./store-client.ts";

const refreshMs = 10 * 60_000;
const refreshAfterFailureMs = 60_000;

/** The command-line flags of a VictoriaMetrics, from its `/flags`: one read for all who ask for them. */
export class StoreFlags {
  readonly #client: StoreClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  #text: string | undefined;
  #dueAtMs = -Infinity;
  #closed = 0;
  #refresh: Promise<void> | undefined;

  constructor(client: StoreClient, clock: Clock, log: Logger) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * The text as it was read last, at most ten minutes ago; undefined if it never could be read. Never fails.
   *
   * @param isRecent read again where a connection was closed since: the store may have restarted with others
   */
  async read(isRecent: boolean): Promise<string | undefined> {
    const isOther = isRecent && this.#closed !== this.#client.closedConnections;
    if (isOther || this.#clock.monotonicMs() >= this.#dueAtMs) {
      this.#refresh ??= this.#fetch().finally(() => {
        this.#refresh = undefined;
      });
      await this.#refresh;
    }
    return this.#text;
  }

  async #fetch(): Promise<void> {
    const closed = this.#client.closedConnections;
    const text = await this.#client.readAbout({ path: "/flags", isOfServer: true });
    this.#closed = closed;
    const isText = typeof text === "string";
    this.#dueAtMs = this.#clock.monotonicMs() + (isText ? refreshMs : refreshAfterFailureMs);
    if (isText) this.#text = text;
    else this.#log.debug({ message: text.message }, "the store's flags cannot be read");
  }
}
