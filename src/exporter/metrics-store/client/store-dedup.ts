import { parseDuration } from "../../../base/core/duration.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { StoreClient } from "./store-client.ts";
import type { StoreFlags } from "./store-flags.ts";

/**
 * The interval in which the store keeps only the last sample of each series: `-dedup.minScrapeInterval` of
 * VictoriaMetrics, unless it is configured. Where the flags cannot be read there is none.
 */
export class StoreDedup {
  readonly #client: StoreClient;
  readonly #flags: StoreFlags;
  readonly #log: Logger;
  #intervalMs = 0;
  /** The flags that the interval is from. */
  #text: string | undefined;

  constructor(client: StoreClient, flags: StoreFlags, log: Logger) {
    this.#client = client;
    this.#flags = flags;
    this.#log = log;
  }

  /** In ms; 0 if the store keeps all samples. Never fails. */
  async intervalMs(): Promise<number> {
    const configuredMs = this.#client.configuredDedupMs;
    if (configuredMs > 0) return configuredMs;
    const flavor = this.#client.knownFlavor();
    if (flavor !== "victoriametrics") return flavor === undefined ? this.#intervalMs : 0;
    const text = await this.#flags.read(this.#intervalMs > 0);
    if (text !== undefined && text !== this.#text) this.#note(dedupIntervalIn(text));
    this.#text = text;
    return this.#intervalMs;
  }

  #note(intervalMs: number): void {
    if (intervalMs !== this.#intervalMs && intervalMs > 0) {
      const message = "the store deduplicates samples; windows end at multiples of its interval";
      this.#log.info({ seconds: intervalMs / 1_000 }, message);
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
