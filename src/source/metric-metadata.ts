import type { Clock } from "../core/clock.ts";
import { isObject } from "../core/document-path.ts";
import type { Logger } from "../core/log.ts";
import { runLoop, type Service } from "../core/service.ts";
import { failure, type ReadFailure } from "./read-failure.ts";
import type { StoreClient } from "./store-client.ts";

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
const maxAnswerBytes = 64 * 2 ** 20;
/** What the series of a family have behind its name (OpenMetrics, "Suffixes"). */
const suffix = /_(?:bucket|sum|count|total|created|info|gsum|gcount)$/;

/**
 * The metadata of all metrics, fetched now and then from the store's `/api/v1/metadata` (Prometheus has it; a store that does
 * not has none). Metadata is a courtesy to receivers: without it everything goes on.
 */
export class MetricMetadataCache implements Service {
  readonly name = "metric metadata";
  readonly #client: StoreClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  #families: ReadonlyMap<string, MetricMetadata> = new Map();

  constructor(options: { readonly client: StoreClient; readonly clock: Clock; readonly log: Logger }) {
    this.#client = options.client;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  async run(signal: AbortSignal): Promise<void> {
    const options = { clock: this.#clock, log: this.#log, pauseAfterErrorMs: refreshEveryMs };
    await runLoop(this.name, (turn) => this.refresh(turn), options, signal);
  }

  /** @returns when to do it again, in ms. @throws the signal's reason */
  async refresh(signal: AbortSignal): Promise<number> {
    const pieces: Buffer[] = [];
    let held = 0;
    const answer = await this.#client.request(
      { path: "/api/v1/metadata" },
      (chunk) => {
        held += chunk.length;
        pieces.push(Buffer.from(chunk));
        return held <= maxAnswerBytes;
      },
      signal,
    );
    const parsed = answer.kind === "answered" ? parseMetadata(Buffer.concat(pieces)) : answer;
    if ("kind" in parsed)
      this.#log.debug({ message: parsed.message }, "the store tells no metadata of its metrics");
    else this.#families = parsed;
    return refreshEveryMs;
  }

  /** By the name of a series, which may be that of its family with a suffix. */
  lookup(metricName: string): MetricMetadata | undefined {
    return this.#families.get(metricName) ?? this.#families.get(metricName.replace(suffix, ""));
  }
}

/** Reads the body of `/api/v1/metadata`. Of a metric that several targets describe differently, the first one counts. */
export function parseMetadata(body: Buffer): ReadonlyMap<string, MetricMetadata> | ReadFailure {
  let answer: unknown;
  try {
    answer = JSON.parse(body.toString("utf8"));
  } catch {
    return failure("malformed_answer", "the store's metadata is not JSON");
  }
  const data = isObject(answer) ? answer["data"] : undefined;
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
