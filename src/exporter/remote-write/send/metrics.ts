import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { RetryReason, Verdict } from "../transport/classify-response.ts";
import type { MetadataOutcome } from "./metadata-outcome.ts";

/** The value of the label `outcome` for each verdict. The values are public: dashboards query them. */
const outcomeLabels: Readonly<Record<Verdict["kind"], string>> = {
  delivered: "delivered",
  retry: "retry",
  rejected: "refused",
  limited: "refused",
  suspended: "suspended",
  forbidden: "forbidden",
  aborted: "aborted",
};

const metadataOutcomes: readonly MetadataOutcome["kind"][] = ["delivered", "refused", "failed"];

const neverConnected: ReadonlySet<RetryReason> = new Set(["dns", "connect", "tls"]);

/**
 * Metrics of all senders of the process, in a separate registry. There is no series per sink: that would be a
 * histogram for each of thousands of sinks. Metrics of a sink are kept by its exporter.
 */
export class RemoteWriteMetrics {
  readonly registry = new Registry();
  readonly #requests = new Counter({
    name: "telemetryd_remote_write_requests_total",
    help: "Remote-write requests by what became of them; each attempt counts.",
    labelNames: ["outcome"],
    registers: [this.registry],
  });
  readonly #retries = new Counter({
    name: "telemetryd_remote_write_retries_total",
    help: "Attempts that failed in a way that calls for the same request again, by reason.",
    labelNames: ["reason"],
    registers: [this.registry],
  });
  readonly #sentBytes = new Counter({
    name: "telemetryd_remote_write_sent_bytes_total",
    help: "Bytes of request bodies, compressed, as given to the network; each attempt counts.",
    registers: [this.registry],
  });
  readonly #duration = new Histogram({
    name: "telemetryd_remote_write_request_duration_seconds",
    help: "Time of one remote-write request from its start to its outcome.",
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.registry],
  });
  readonly #metadataRequests = new Counter({
    name: "telemetryd_remote_write_metadata_requests_total",
    help: "Requests of metadata alone (protocol 1.0) by what became of them; none is repeated.",
    labelNames: ["outcome"],
    registers: [this.registry],
  });
  readonly #metadataFamilies = new Counter({
    name: "telemetryd_remote_write_metadata_families_total",
    help: "Metric families in the requests of metadata that receivers accepted.",
    registers: [this.registry],
  });

  readonly #rejectedBytes = new Gauge({
    name: "telemetryd_rejected_store_bytes",
    help: "Size of the rejected store.",
    registers: [this.registry],
  });
  readonly #rejectedEvicted = new Counter({
    name: "telemetryd_rejected_store_evicted_total",
    help: "Entries that left the rejected store unseen, by the limit that they had to make room for.",
    labelNames: ["limit"],
    registers: [this.registry],
  });

  constructor() {
    // A counter that appears with its first event has no rate for that event.
    for (const outcome of Object.values(outcomeLabels)) {
      if (outcome !== outcomeLabels.forbidden) this.#requests.inc({ outcome }, 0);
    }
    for (const outcome of metadataOutcomes) this.#metadataRequests.inc({ outcome }, 0);
  }

  rejectedStored(bytes: number): void {
    this.#rejectedBytes.set(bytes);
  }

  rejectedEvicted(limit: "age" | "size"): void {
    this.#rejectedEvicted.inc({ limit });
  }

  attempt(verdict: Verdict, durationMs: number, bytes: number): void {
    this.#requests.inc({ outcome: outcomeLabels[verdict.kind] });
    this.#duration.observe(durationMs / 1_000);
    if (verdict.kind === "retry") this.#retries.inc({ reason: verdict.reason });
    if (wasSent(verdict)) this.#sentBytes.inc(bytes);
  }

  /** @param families of the request */
  metadataAttempt(outcome: MetadataOutcome["kind"], verdict: Verdict, bytes: number, families: number): void {
    this.#metadataRequests.inc({ outcome });
    if (outcome === "delivered") this.#metadataFamilies.inc(families);
    if (wasSent(verdict)) this.#sentBytes.inc(bytes);
  }
}

function wasSent(verdict: Verdict): boolean {
  if (verdict.kind === "retry") return !neverConnected.has(verdict.reason);
  return verdict.kind !== "forbidden";
}
