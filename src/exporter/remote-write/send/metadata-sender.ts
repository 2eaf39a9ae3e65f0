import type { Clock } from "../../../base/core/clock.ts";
import { type FamilyMetadata, metadataRequests } from "../encoding/metadata-request.ts";
import type { EndpointState } from "../endpoint/endpoint-state.ts";
import { type MetadataOutcome, metadataOutcome } from "./metadata-outcome.ts";
import type { RemoteWriteMetrics } from "./metrics.ts";
import type { AttemptSender } from "./outcome.ts";

interface MetadataSenderDeps {
  readonly clock: Clock;
  readonly metrics: RemoteWriteMetrics;
  readonly state: EndpointState;
}

/**
 * Sends metadata to a receiver of remote write 1.0, in requests of its own as Prometheus does; 2.0 has it in
 * each series. Each request has one attempt: the next minute's replaces it. A refusal is remembered in the
 * endpoint's state.
 */
export class MetadataSender {
  readonly #inner: AttemptSender;
  readonly #deps: MetadataSenderDeps;

  constructor(inner: AttemptSender, deps: MetadataSenderDeps) {
    this.#inner = inner;
    this.#deps = deps;
  }

  /** Sends families until a request is not delivered. Never rejects because of the network or a receiver. */
  async send(families: Iterable<FamilyMetadata>, signal: AbortSignal): Promise<MetadataOutcome> {
    const { clock, metrics, state } = this.#deps;
    for (const { request, families: count } of metadataRequests(families)) {
      const verdict = await this.#inner.attempt(request, signal);
      const outcome = metadataOutcome(verdict);
      metrics.metadataAttempt(outcome.kind, verdict, request.payload.length, count);
      if (outcome.kind === "refused") state.refuseMetadata(clock.monotonicMs());
      if (outcome.kind !== "delivered") return outcome;
    }
    return { kind: "delivered" };
  }
}
