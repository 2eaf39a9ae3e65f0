import { nextDelay } from "../../../base/core/backoff.ts";
import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/core/log.ts";
import { logErrors, runLoop } from "../../../base/core/loop.ts";
import type { Service } from "../../../base/core/service.ts";
import { isObject } from "../../../base/documents/document-path.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";
import type { StoreClient } from "../client/store-client.ts";

/** A store's metadata of a metric. */
export interface MetricMetadata {
  readonly type: "counter" | "gauge" | "histogram" | "gaugehistogram" | "summary" | "info" | "stateset";
  readonly help: string;
  readonly unit: string;
}

const types: ReadonlySet<string> = new Set<MetricMetadata["type"]>([
  "counter",
  "gauge",
  "histogram",
  "gaugehistogram",
  "summary",
  "info",
  "stateset",
]);

const refreshEveryMs = 10 * 60_000;
/** Minimum pause between two requests: after the first failure, and after a new name without metadata. */
const shortestPauseMs = 15_000;
const afterFailure = { baseMs: shortestPauseMs, maxMs: refreshEveryMs, jitter: 0 };
/** Maximum names without metadata to remember; further ones wait for the next regular refresh. */
const maxNames = 10_000;
const maxResponseBytes = 64 * 2 ** 20;
/** The suffixes of a family's series (OpenMetrics, "Suffixes"). */
const suffix = /_(?:bucket|sum|count|total|created|info|gsum|gcount)$/;

/**
 * The metadata of all metrics, fetched from the store's `/api/v1/metadata` (Prometheus has it; other stores
 * have no metadata): every ten minutes, soon after a failure, and soon after the first lookup of a name
 * without metadata. Metadata is optional for receivers: delivery does not depend on it.
 */
export class MetricMetadataCache implements Service {
  readonly name = "metric metadata";
  readonly #client: Pick<StoreClient, "request">;
  readonly #clock: Clock;
  readonly #log: Logger;
  #families: ReadonlyMap<string, MetricMetadata> = new Map();
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

  /** Looks up a series' name, which may be its family's name with a suffix. */
  lookup(metricName: string): MetricMetadata | undefined {
    const found = this.#families.get(metricName) ?? this.#families.get(metricName.replace(suffix, ""));
    if (found === undefined && this.#missing.size < maxNames && !this.#missing.has(metricName)) {
      this.#missing.add(metricName);
      this.#hasNewName = true;
    }
    return found;
  }

  async #refresh(signal: AbortSignal): Promise<void> {
    this.#hasNewName = false;
    const parsed = await this.#fetch(signal);
    if ("kind" in parsed) {
      this.#failures++;
      this.#dueAtMs = this.#clock.monotonicMs() + nextDelay(this.#failures, afterFailure, 0);
      this.#log.debug({ message: parsed.message }, "the store tells no metadata of its metrics");
      return;
    }
    this.#failures = 0;
    this.#dueAtMs = this.#clock.monotonicMs() + refreshEveryMs;
    this.#families = parsed;
  }

  async #fetch(signal: AbortSignal): Promise<ReadonlyMap<string, MetricMetadata> | ReadFailure> {
    const pieces: Buffer[] = [];
    let held = 0;
    const response = await this.#client.request(
      { path: "/api/v1/metadata?limit_per_metric=1" },
      (chunk) => {
        held += chunk.length;
        pieces.push(Buffer.from(chunk));
        return held <= maxResponseBytes;
      },
      signal,
    );
    return response.kind === "response" ? parseMetadata(Buffer.concat(pieces)) : response;
  }
}

/** Parses the body of `/api/v1/metadata`. If targets describe a metric differently, the first one counts. */
export function parseMetadata(body: Buffer): ReadonlyMap<string, MetricMetadata> | ReadFailure {
  let response: unknown;
  try {
    response = JSON.parse(body.toString("utf8"));
  } catch {
    return failure("malformed_answer", "the store's metadata is not JSON");
  }
  const data = isObject(response) ? response["data"] : undefined;
  if (!isObject(data)) return failure("malformed_answer", "the store's metadata has no data");
  const families = new Map<string, MetricMetadata>();
  for (const [name, descriptions] of Object.entries(data)) {
    const first: unknown = Array.isArray(descriptions) ? descriptions[0] : undefined;
    if (!isObject(first) || !types.has(String(first["type"]))) continue;
    const { type, help, unit } = first;
    families.set(name, {
      type: String(type) as MetricMetadata["type"],
      help: typeof help === "string" ? help : "",
      unit: typeof unit === "string" ? unit : "",
    });
  }
  return families;
}
