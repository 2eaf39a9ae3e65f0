import type { Clock } from "../../../base/core/clock.ts";
import { withEither, withLimit } from "../../../base/core/signals.ts";
import type { StoreMetadata } from "../../metrics-store/sink-store.ts";
import type { Destination } from "../../remote-write/destination.ts";
import type { FamilyMetadata } from "../../remote-write/encoding/metadata-request.ts";
import type { EndpointState } from "../../remote-write/endpoint/endpoint-state.ts";
import type { MetadataOutcome } from "../../remote-write/send/metadata-outcome.ts";
import { legalizeMetricName } from "../../series/label-name.ts";
import { MetricNames } from "./metric-names.ts";

/** As Prometheus sends it (`metadata_config.send_interval`). */
const everyMs = 60_000;
/** A cycle ends at the latest this long after its samples were delivered. */
const sendLimitMs = 5_000;

/**
 * Decides when a sink's metadata is sent: once a minute, and when the store's has changed. Idle sinks stay
 * small: names are collected in one cycle, and forgotten at its end.
 */
export class SinkMetadata {
  #sentAtMs = Number.NEGATIVE_INFINITY;
  /** Of the store's metadata when it was last sent. */
  #sentVersion = 0;
  #isPlanChanged = false;

  /** The sink's plan has changed: its metadata is due, even to a receiver that has refused it. */
  change(): void {
    this.#sentAtMs = Number.NEGATIVE_INFINITY;
    this.#isPlanChanged = true;
  }

  /**
   * @param nowMs of a monotonic clock
   * @returns collects the names of a cycle's series; undefined when nothing is to be sent after it
   */
  begin(store: StoreMetadata, endpoint: EndpointState, nowMs: number): MetricNames | undefined {
    const version = store.version();
    if (this.#isPlanChanged) endpoint.forgetMetadataRefusal();
    this.#isPlanChanged = false;
    const isDue = version !== this.#sentVersion || nowMs - this.#sentAtMs >= everyMs;
    return version > 0 && isDue && endpoint.takesMetadata(nowMs) ? new MetricNames() : undefined;
  }

  /**
   * Sends the metadata of the names' families, once: whatever the outcome, the next minute is next.
   *
   * @returns undefined when there is nothing to send
   */
  async send(
    names: MetricNames,
    store: StoreMetadata,
    destination: Destination,
    clock: Clock,
    signals: readonly AbortSignal[],
  ): Promise<MetadataOutcome | undefined> {
    this.#sentAtMs = clock.monotonicMs();
    this.#sentVersion = store.version();
    const families = familiesOf(names, store, destination.state);
    const sender = destination.metadataSender?.();
    if (families.length === 0 || sender === undefined) return undefined;
    // The receiver may have turned out to speak 2.0 in this cycle, which carries metadata in the series.
    if (!destination.state.takesMetadata(this.#sentAtMs)) return undefined;
    return withEither(signals, (ended) =>
      withLimit(ended, sendLimitMs, (limited) => sender.send(families, limited)),
    );
  }
}

/** Without those whose name the endpoint does not get: under `names: legacy` it is made another one. */
function familiesOf(names: MetricNames, store: StoreMetadata, endpoint: EndpointState): FamilyMetadata[] {
  const families = new Map<string, FamilyMetadata>();
  for (const [sent, inStore] of names.entries()) {
    const found = store.lookup(inStore);
    const isSent = endpoint.names === "utf8" || legalizeMetricName(sent) === sent;
    if (found === undefined || !isSent) continue;
    const family = sent === inStore ? found.family : familyOf(sent, inStore.slice(found.family.length));
    if (!families.has(family)) families.set(family, { ...found, family });
  }
  return [...families.values()];
}

/** The family of a series that relabelling has renamed. @param suffix of its name in the store, such as `_bucket` */
function familyOf(sent: string, suffix: string): string {
  const isKept = sent.endsWith(suffix) && sent.length > suffix.length;
  return isKept ? sent.slice(0, sent.length - suffix.length) : sent;
}
