import type { Clock } from "../../../base/core/clock.ts";
import { parseDuration } from "../../../base/core/duration.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { StoreClient } from "./store-client.ts";

const refreshMs = 10 * 60_000;
const refreshAfterFailureMs = 60_000;

/**
 * The interval in which the store keeps only the last sample of each series: `-dedup.minScrapeInterval` of
 * VictoriaMetrics, from its `/flags`, unless it is configured. Where the flags cannot be read there is none.
 */
export class StoreDedup {
  readonly #client: StoreClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  #intervalMs = 0;
  #dueAtMs = -Infinity;
  #closed = 0;
  #refresh: Promise<void> | undefined;

  constructor(client: StoreClient, clock: Clock, log: Logger) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  /** In ms; 0 if the store keeps all samples. Never fails. */
  async intervalMs(): Promise<number> {
    const configuredMs = this.#client.configuredDedupMs;
    if (configuredMs > 0) return configuredMs;
    const flavor = this.#client.knownFlavor();
    if (flavor !== "victoriametrics") return flavor === undefined ? this.#intervalMs : 0;
    const isOther = this.#closed !== this.#client.closedConnections;
    if (this.#clock.monotonicMs() >= this.#dueAtMs || (isOther && this.#intervalMs > 0)) {
      this.#refresh ??= this.#fetch().finally(() => {
        this.#refresh = undefined;
      });
      await this.#refresh;
    }
    return this.#intervalMs;
  }

  async #fetch(): Promise<void> {
    const closed = this.#client.closedConnections;
    const text = await this.#client.readAbout({ path: "/flags", isOfServer: true });
    this.#closed = closed;
    const pauseMs = typeof text === "string" ? refreshMs : refreshAfterFailureMs;
    this.#dueAtMs = this.#clock.monotonicMs() + pauseMs;
    if (typeof text !== "string") {
      this.#log.debug({ message: text.message }, "the store's flags cannot be read");
      return;
    }
    const intervalMs = dedupIntervalIn(text);
    if (intervalMs !== this.#intervalMs) {
      const message = "the store deduplicates samples; windows end at multiples of its interval";
      if (intervalMs > 0) this.#log.info({ seconds: intervalMs / 1_000 }, message);
    }
    this.#intervalMs = intervalMs;
  }
}

/**
 * `-dedup.minScrapeInterval="1m0s"` in the text of `/flags`, in ms. Up to a millisecond, only samples of
 * equal times are removed.
 */
export function dedupIntervalIn(flags: string): number {
  const [, text = ""] = /^-?dedup\.minScrapeInterval="?([^"\s]*)"?\s*$/m.exec(flags) ?? [];
  const intervalMs = parseDuration(text) ?? 0;
  return intervalMs > 1 && Number.isInteger(intervalMs) ? intervalMs : 0;
}
