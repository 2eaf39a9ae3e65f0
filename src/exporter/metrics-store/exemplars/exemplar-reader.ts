import type { Clock } from "../../../base/core/clock.ts";
import { withLimit } from "../../../base/core/signals.ts";
import type { Logger } from "../../../base/log/log.ts";
import { print } from "../../metricsql/print/printer.ts";
import { type Label, Series } from "../../series/series.ts";
import { promqlSelector, withExternalLabels } from "../client/external-labels.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";
import type { StoreClient } from "../client/store-client.ts";
import type { StoreLabels } from "../client/store-labels.ts";
import type { StoreFlavor } from "../client/store-settings.ts";
import { alternatives } from "../counts/count-query.ts";
import type { ScopedRead } from "../ports/scoped-reader.ts";
import type { SourceMetrics } from "../ports/source-metrics.ts";
import { endSeconds, seconds } from "../victoriametrics/victoriametrics-reader.ts";
import { type ExemplarConsumer, ExemplarDecoder } from "./exemplar-decoder.ts";
import { ExemplarPauses } from "./exemplar-pauses.ts";

/** Maximum time of a request: samples wait for it. */
const longestMs = 3_000;
const maxBytes = 16 * 2 ** 20;

interface ExemplarReaderDeps {
  readonly client: StoreClient;
  readonly labels: StoreLabels;
  readonly metrics: SourceMetrics;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A read of samples with the exemplars after `fromMs` and up to the end of its window. */
interface ExemplarRead extends ScopedRead {
  readonly exemplarsFromMs: number;
}

/**
 * Reads exemplars of a Prometheus (`/api/v1/query_exemplars`; without `--enable-feature=exemplar-storage` it
 * has none). They are optional: a failure is counted, logged once, and followed by a pause.
 */
export class ExemplarReader {
  readonly #deps: ExemplarReaderDeps;
  readonly #pauses = new ExemplarPauses();
  #hasToldOfFlavor = false;

  constructor(deps: ExemplarReaderDeps) {
    this.#deps = deps;
  }

  /**
   * Passes the exemplars of a read to the consumer, as they arrive.
   *
   * @throws the signal's reason
   */
  async read(
    read: ExemplarRead,
    flavor: StoreFlavor,
    owner: string,
    consumer: ExemplarConsumer,
    signal: AbortSignal,
  ): Promise<void> {
    const { clock } = this.#deps;
    if (flavor !== "prometheus") {
      this.#tellOfFlavor();
      return;
    }
    if (!this.#pauses.mayAsk(owner, clock.monotonicMs())) return;
    const failed = await this.#attempt(read, consumer, signal);
    if (failed === undefined) this.#pauses.succeeded(owner);
    else this.#noteFailure(owner, failed);
  }

  async #attempt(
    read: ExemplarRead,
    consumer: ExemplarConsumer,
    signal: AbortSignal,
  ): Promise<ReadFailure | undefined> {
    try {
      return await withLimit(signal, longestMs, (limited) => this.#request(read, consumer, limited));
    } catch (error) {
      signal.throwIfAborted();
      if (!isTimeout(error)) throw error;
      return failure("timeout", `the store did not finish its response within ${longestMs} ms`);
    }
  }

  async #request(
    read: ExemplarRead,
    consumer: ExemplarConsumer,
    signal: AbortSignal,
  ): Promise<ReadFailure | undefined> {
    const { client, metrics } = this.#deps;
    const known = await this.#deps.labels.current(signal);
    if (known.kind === "failed") return known;
    const external = known.labels;
    const { tenant, window, exemplarsFromMs } = read;
    let isForeign = false;
    const span = { fromMs: exemplarsFromMs, toMs: window.toMs };
    const decoder = new ExemplarDecoder(span, (own, exemplars) => {
      const series = new Series(withExternalLabels(own.labels, external));
      isForeign ||= tenant !== undefined && series.label(tenant.label) !== tenant.value;
      if (!isForeign) consumer(series, exemplars);
    });
    let received = 0;
    const response = await client.request(
      { path: "/api/v1/query_exemplars", form: exemplarsForm(read, external) },
      (chunk) => {
        received += chunk.length;
        return received <= maxBytes && decoder.take(chunk) && !isForeign;
      },
      signal,
    );
    metrics.exemplarsRead(decoder.count, decoder.invalid);
    if (response.kind === "failed") return response;
    if (isForeign) {
      return failure("tenant_violation", "the store gave exemplars of a series of another tenant");
    }
    if (received > maxBytes || decoder.isFull) {
      // Those that fit are used: no reason for a pause.
      metrics.exemplarsFailed("answer_too_large");
      return undefined;
    }
    return decoder.finish()
      ? undefined
      : failure("malformed_answer", "the store's exemplars cannot be understood");
  }

  #noteFailure(owner: string, { reason, message }: ReadFailure): void {
    const { metrics, clock, log } = this.#deps;
    metrics.exemplarsFailed(reason);
    const level = this.#pauses.isFailing ? "debug" : "info";
    this.#pauses.failed(owner, reason, clock.monotonicMs());
    log[level](
      { reason, message },
      "exemplars cannot be read; samples are exported without them (metrics.exemplars: false turns them off)",
    );
  }

  #tellOfFlavor(): void {
    if (this.#hasToldOfFlavor) return;
    this.#hasToldOfFlavor = true;
    this.#deps.log.info("metrics.exemplars has no effect: VictoriaMetrics has no exemplars");
  }
}

/** PromQL has no `or` within a selector: the query is an expression of several. */
function exemplarsForm(
  { selector, window, exemplarsFromMs }: ExemplarRead,
  external: readonly Label[],
): URLSearchParams {
  const selectors = alternatives(promqlSelector(selector, external));
  return new URLSearchParams({
    query: selectors.map((one) => print(one, "promql")).join(" or "),
    start: seconds(exemplarsFromMs + 1),
    end: endSeconds(window.toMs),
  });
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === "TimeoutError";
}
