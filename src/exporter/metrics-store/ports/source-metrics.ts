import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ReadFailureReason } from "../client/read-failure.ts";

/** The gauges' values, read at each scrape. */
interface SourceState {
  openReads(): number;
  waitingReads(): number;
  cachedSeries(): number;
  cacheBytes(): number;
}

/** The metrics of reading from the store. A read shared by several sinks counts once. */
export class SourceMetrics {
  readonly registry = new Registry();
  readonly #reads = new Counter({
    name: "telemetryd_source_reads_total",
    help: "Reads of the metrics store that ended, by outcome.",
    labelNames: ["outcome"],
    registers: [this.registry],
  });
  readonly #failures = new Counter({
    name: "telemetryd_source_read_failures_total",
    help: "Reads of the metrics store that failed, by reason.",
    labelNames: ["reason"],
    registers: [this.registry],
  });
  readonly #duration = new Histogram({
    name: "telemetryd_source_read_duration_seconds",
    help: "How long a read of the metrics store took, from its request to the end of the response.",
    buckets: [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
    registers: [this.registry],
  });
  readonly #bytes = new Counter({
    name: "telemetryd_source_read_bytes_total",
    help: "Bytes of the store's responses, decompressed.",
    registers: [this.registry],
  });
  readonly #samples = new Counter({
    name: "telemetryd_source_samples_read_total",
    help: "Samples read from the store.",
    registers: [this.registry],
  });
  readonly #series = new Counter({
    name: "telemetryd_source_series_read_total",
    help: "Series read from the store; one counts again in every read.",
    registers: [this.registry],
  });
  readonly #invalidLines = new Counter({
    name: "telemetryd_source_refused_lines_total",
    help: "Series of the store's responses that were left out, by reason: their samples are not exported.",
    labelNames: ["reason"],
    registers: [this.registry],
  });
  readonly #exemplars = new Counter({
    name: "telemetryd_source_exemplars_read_total",
    help: "Exemplars read from the store; one counts again in every read.",
    registers: [this.registry],
  });
  readonly #invalidExemplars = new Counter({
    name: "telemetryd_source_exemplars_invalid_total",
    help: "Exemplars of the store's responses that were left out: without labels, or with too long ones.",
    registers: [this.registry],
  });
  readonly #exemplarFailures = new Counter({
    name: "telemetryd_source_exemplar_read_failures_total",
    help: "Reads of exemplars that failed or were cut off, by reason; the samples were read all the same.",
    labelNames: ["reason"],
    registers: [this.registry],
  });
  readonly #clockSkew = new Gauge({
    name: "telemetryd_store_clock_skew_seconds",
    help: "How far the store's clock is ahead of this machine's; negative when it is behind.",
    registers: [this.registry],
  });

  constructor(state: SourceState) {
    for (const outcome of ["complete", "failed", "detached"]) this.#reads.inc({ outcome }, 0);
    this.#gauge("open_reads", "Reads of the store that are open.", () => state.openReads());
    this.#gauge("waiting_reads", "Reads that wait for one of the open ones to end.", () =>
      state.waitingReads(),
    );
    this.#gauge("cached_series", "Series whose labels are kept parsed.", () => state.cachedSeries());
    this.#gauge("cached_series_bytes", "Memory of the kept series, estimated.", () => state.cacheBytes());
  }

  /** The store's time minus ours. */
  clockSkew(seconds: number): void {
    this.#clockSkew.set(Math.round(seconds));
  }

  /** `durationMs` is undefined if the read never reached the store. */
  readEnded(
    outcome: "complete" | "failed" | "detached",
    durationMs: number | undefined,
    reason?: ReadFailureReason,
  ): void {
    this.#reads.inc({ outcome });
    if (reason !== undefined) this.#failures.inc({ reason });
    if (durationMs !== undefined) this.#duration.observe(durationMs / 1_000);
  }

  passedOn(series: number, samples: number, bytes: number): void {
    this.#series.inc(series);
    this.#samples.inc(samples);
    this.#bytes.inc(bytes);
  }

  invalid(reason: string, lines: number): void {
    this.#invalidLines.inc({ reason }, lines);
  }

  exemplarsRead(exemplars: number, invalid: number): void {
    this.#exemplars.inc(exemplars);
    this.#invalidExemplars.inc(invalid);
  }

  exemplarsFailed(reason: ReadFailureReason): void {
    this.#exemplarFailures.inc({ reason });
  }

  #gauge(name: string, help: string, value: () => number): void {
    new Gauge({
      name: `telemetryd_source_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(value());
      },
    });
  }
}
