import { print } from "../../metricsql/print/printer.ts";
import { failure } from "../client/read-failure.ts";
import type { StoreClient } from "../client/store-client.ts";
import type { StoreDedup } from "../client/store-dedup.ts";
import type { ReadEnd, SampleReceiver, ScopedRead, ScopedReader, Tenant } from "../ports/scoped-reader.ts";
import type { LabelCache } from "../samples/label-cache.ts";
import { ExportLineDecoder } from "./export-lines.ts";

/** Reads from VictoriaMetrics by `/api/v1/export`: every raw sample as stored. */
export class VictoriaMetricsReader implements ScopedReader {
  readonly #client: StoreClient;
  readonly #cache: LabelCache;
  readonly #dedup: StoreDedup;

  constructor(client: StoreClient, cache: LabelCache, dedup: StoreDedup) {
    this.#client = client;
    this.#cache = cache;
    this.#dedup = dedup;
  }

  async read(read: ScopedRead, receiver: SampleReceiver, signal: AbortSignal): Promise<ReadEnd> {
    const decoder = new ExportLineDecoder(this.#cache, read.window, (series, samples) =>
      receiver.onSeries(series, samples),
    );
    const form = exportForm(read, this.#client.timeouts.readMs, await this.#dedup.intervalMs());
    const response = await this.#client.request(
      { path: "/api/v1/export", form },
      (chunk) => {
        receiver.onBytes(chunk.length);
        const wantsMore = () => decoder.fault === undefined && receiver.wantsMore();
        return decoder.push(chunk)?.then(wantsMore) ?? wantsMore();
      },
      signal,
    );
    for (const [reason, lines] of decoder.invalid) {
      receiver.onInvalid(reason, lines, decoder.lastInvalid ?? reason);
    }
    // A fault in the received data is more specific than the end of the connection.
    const fault = response.kind === "response" && response.whole ? decoder.finish() : decoder.fault;
    if (fault !== undefined) return failure(fault.reason, fault.message);
    if (response.kind !== "response") return response;
    if (!response.whole) return { kind: "stopped" };
    return { kind: "complete", series: decoder.series, samples: decoder.samples };
  }
}

/**
 * The form fields of a raw export. The window's start is exclusive, the store's `start` is inclusive.
 *
 * Never with `reduce_mem_usage`, although it is faster: when such an export is aborted, VictoriaMetrics
 * 1.79.5 mixes its samples into other clients' responses in the following seconds.
 */
export function exportForm(
  { selector, tenant, window }: ScopedRead,
  timeoutMs: number,
  dedupMs = 0,
): URLSearchParams {
  // The store deduplicates what it exports: of an interval that is cut off it would give another sample.
  const endMs = dedupMs > 0 ? Math.ceil(window.toMs / dedupMs) * dedupMs : window.toMs;
  const form = new URLSearchParams({
    start: seconds(window.fromMs + 1),
    end: endSeconds(endMs),
    timeout: `${Math.ceil(timeoutMs / 1_000)}s`,
  });
  // An older store knows no `or` within a selector; a series that several select is exported once.
  for (const group of selector.groups) form.append("match[]", print({ ...selector, groups: [group] }));
  // The selector is already confined; this confines it even if the store parses it differently.
  if (tenant !== undefined) form.set("extra_filters[]", tenantFilter(tenant));
  return form;
}

/** The tenant's filter as a selector, as `extra_filters[]` takes it. */
export function tenantFilter({ label, value }: Tenant): string {
  return print({ type: "selector", groups: [[{ label, op: "=", value }]], pos: 0 });
}

/**
 * Unix seconds with three decimals. VictoriaMetrics (1.79) reads them as a double, multiplies by 1000 and
 * truncates: exact from 2004 to 2038. Elsewhere the result may be a millisecond less; as a start, that only
 * adds samples that the decoder drops.
 */
export function seconds(ms: number): string {
  const whole = Math.floor(ms / 1_000);
  return `${whole}.${String(ms - whole * 1_000).padStart(3, "0")}`;
}

/** Unix seconds for an end: a fourth decimal compensates for truncation, which would lose samples. */
export function endSeconds(ms: number): string {
  const text = seconds(ms);
  return Math.trunc(Number(text) * 1e3) < ms ? `${text}1` : text;
}
