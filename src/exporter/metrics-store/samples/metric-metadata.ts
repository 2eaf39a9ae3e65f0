import { nextDelay } from "../../../base/core/backoff.ts";
import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/core/log.ts";
import { runLoop, type Service } from "../../../base/core/service.ts";
import { isObject } from "../../../base/documents/document-path.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";
import type { StoreClient } from "../client/store-client.ts";

/** What a store knows about a metric beside its samples. */
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
/** The shortest pause between two requests: after the first failure, and when a name without metadata has appeared. */
const shortestPauseMs = 15_000;
const afterFailure = { baseMs: shortestPauseMs, maxMs: refreshEveryMs, jitter: 0 };
/** Names without metadata that are remembered; more of them wait for the next regular refresh. */
const maxNames = 10_000;
const maxResponseBytes = 64 * 2 ** 20;
/** What the series of a family have behind its name (OpenMetrics, "Suffixes"). */
const suffix = /_(?:bucket|sum|count|total|created|info|gsum|gcount)$/;

/**
 * The metadata of all metrics, fetched from the store's `/api/v1/metadata` (Prometheus has it; a store that does not has none):
 * every ten minutes, soon after a failure, and soon after a name without metadata was looked up for the first time. Metadata is a
 * courtesy to receivers: without it everything goes on.
 */
export class MetricMetadataCache implements Service {
  readonly name = "metric metadata";
  readonly #client: Pick<StoreClient, "request">;
  readonly #clock: Clock;
  readonly #log: Logger;
  #families: ReadonlyMap<string, MetricMetadata> = new Map();
  #dueAtMs = 0;
  #failures = 0;
  /** Names that were looked up in vain: metrics that have no metadata, and new ones. */
  readonly #missing = new Set<string>();
  /** One of them has come since the last request. */
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
    const options = { clock: this.#clock, log: this.#log, pauseAfterErrorMs: shortestPauseMs };
    await runLoop(this.name, (turn) => this.tick(turn), options, signal);
  }

  /** Asks the store if it is time to. @returns when to call it again, in ms. @throws the signal's reason */
  async tick(signal: AbortSignal): Promise<number> {
    const isDue = this.#clock.monotonicMs() >= this.#dueAtMs;
    if (isDue && this.#missing.size >= maxNames) this.#missing.clear();
    // After a failure nobody knows whether the name has no metadata: the pause after it counts.
    if (isDue || (this.#hasNewName && this.#failures === 0)) await this.#refresh(signal);
    return shortestPauseMs;
  }

  /** By the name of a series, which may be that of its family with a suffix. */
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

/** Reads the body of `/api/v1/metadata`. Of a metric that several targets describe differently, the first one counts. */
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
