import { nextDelay } from "../../../base/core/backoff.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { logErrors, runLoop } from "../../../base/core/loop.ts";
import type { Service } from "../../../base/core/service.ts";
import type { Logger } from "../../../base/log/log.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";
import type { StoreClient } from "../client/store-client.ts";
import {
  MetadataDecoder,
  type MetricFamilies,
  type MetricMetadata,
  maxNameLength,
} from "./metadata-decoder.ts";

const refreshEveryMs = 10 * 60_000;
/**
 * Minimum pause between two requests: after the first failure or empty response, and after a new name without
 * metadata.
 */
const shortestPauseMs = 15_000;
const afterFailure = { baseMs: shortestPauseMs, maxMs: refreshEveryMs, jitter: 0 };
/** Maximum names without metadata to remember; further ones wait for the next regular refresh. */
const maxNames = 10_000;
const maxResponseBytes = 64 * 2 ** 20;
/** The suffixes of a family's series (OpenMetrics, "Suffixes"). */
const suffix = /_(?:bucket|sum|count|total|created|info|gsum|gcount)$/;

/**
 * The metadata of all metrics, fetched from the store's `/api/v1/metadata` (Prometheus has it, and
 * VictoriaMetrics in later versions): every ten minutes, soon after a failure or an empty response, and soon
 * after the first lookup of a name without metadata. Metadata is optional for receivers: delivery does not
 * depend on it.
 */
export class MetricMetadataCache implements Service {
  readonly name = "metric metadata";
  readonly #client: Pick<StoreClient, "request">;
  readonly #clock: Clock;
  readonly #log: Logger;
  #families: MetricFamilies = new Map();
  #version = 0;
  #dueAtMs = 0;
  #failures = 0;
  /** Names without metadata that were looked up: metrics that have none, and new ones. */
  readonly #missing = new Set<string>();
  /** Whether one was added since the last request. */
  #hasNewName = false;

  constructor(options: {
    readonly client: Pick<StoreClient, "request">;
    readonly clock: Clock;
    readonly log: Logger;
  }) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  async run(signal: AbortSignal): Promise<void> {
    const onError = logErrors(this.name, this.#log);
    const options = { clock: this.#clock, pauseAfterErrorMs: shortestPauseMs, onError };
    await runLoop((turn) => this.tick(turn), options, signal);
  }

  /** Fetches the metadata if it is due. @returns ms until the next call @throws the signal's reason */
  async tick(signal: AbortSignal): Promise<number> {
    const isDue = this.#clock.monotonicMs() >= this.#dueAtMs;
    if (isDue && this.#missing.size >= maxNames) this.#missing.clear();
    // After a failure the name may have metadata, so the pause after a failure applies.
    if (isDue || (this.#hasNewName && this.#failures === 0)) await this.#refresh(signal);
    return shortestPauseMs;
  }

  /** The number of changes so far; 0 while there is no metadata. */
  version(): number {
    return this.#version;
  }

  /** Looks up a series' name, which may be its family's name with a suffix. */
  lookup(metricName: string): MetricMetadata | undefined {
    if (metricName.length > maxNameLength) return undefined;
    const found = this.#families.get(metricName) ?? this.#families.get(metricName.replace(suffix, ""));
    if (found === undefined && this.#missing.size < maxNames && !this.#missing.has(metricName)) {
      this.#missing.add(metricName);
      this.#hasNewName = true;
    }
    return found;
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    this.#hasNewName = false;
    const decoder = new MetadataDecoder(this.#families);
    const families = await this.#fetch(decoder, signal);
    // Empty: a store that has just started, or one that keeps no metadata.
    if ("kind" in families || families.size === 0) {
      this.#failures++;
      this.#dueAtMs = this.#clock.monotonicMs() + nextDelay(this.#failures, afterFailure, 0);
      const message = "kind" in families ? families.message : "the response is empty";
      this.#log.debug({ message }, "the store serves no metadata");
      return;
    }
    this.#failures = 0;
    this.#dueAtMs = this.#clock.monotonicMs() + refreshEveryMs;
    if (!decoder.hasChanges) return;
    this.#families = families;
    this.#version++;
  }

  /** Decoding a chunk takes about a millisecond, and the client yields to the event loop between chunks. */
  async #fetch(decoder: MetadataDecoder, signal: AbortSignal): Promise<MetricFamilies | ReadFailure> {
    let received = 0;
    const response = await this.#client.request(
      { path: "/api/v1/metadata?limit_per_metric=1" },
      (chunk) => {
        received += chunk.length;
        return received <= maxResponseBytes && decoder.take(chunk);
      },
      signal,
    );
    if (response.kind !== "response") return response;
    if (received > maxResponseBytes) {
      return failure("answer_too_large", `the store's metadata exceeds ${maxResponseBytes} bytes`);
    }
    return decoder.finish();
  }
}
