import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { Label } from "../../series/series.ts";
import { externalLabelsIn } from "./external-labels.ts";
import type { ReadFailure, ReadFailureReason } from "./read-failure.ts";
import type { StoreClient } from "./store-client.ts";

interface KnownLabels {
  readonly kind: "labels";
  /** None where the store has none, or does not serve them. */
  readonly labels: readonly Label[];
}

const refreshMs = 10 * 60_000;
const refreshAfterFailureMs = 60_000;
/** After a sign of change: a connection was closed, or a series has another value. */
const refreshAfterSignMs = 15_000;
/** Labels that return within this time are those of another server at the same address. */
const alternatingMs = 3_600_000;

/** Failures that mean that the store does not serve its configuration. Mimir, for one, has no such labels. */
const isNotServed: ReadonlySet<ReadFailureReason> = new Set([
  "not_found",
  "unauthorized",
  "bad_request",
  "redirected",
  "unexpected_status",
]);

/**
 * The external labels of a Prometheus, from `/api/v1/status/config`. Remote read adds them to each series
 * after it has matched; PromQL does not know them.
 *
 * Also notices several servers behind one address: their labels alternate.
 */
export class StoreLabels {
  readonly #client: StoreClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  #labels: readonly Label[] | undefined;
  #dueAtMs = -Infinity;
  #soonestAtMs = -Infinity;
  #closed = 0;
  #refresh: Promise<KnownLabels | ReadFailure> | undefined;
  /** The labels seen, by their text, with the time when they were last current. */
  readonly #seen = new Map<string, { readonly labels: readonly Label[]; atMs: number }>();
  #alternating: { readonly message: string; readonly atMs: number } | undefined;

  constructor(client: StoreClient, clock: Clock, log: Logger) {
    this.#client = client;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * The labels, or the reason that they cannot be known now: a filter on one would select something else.
   *
   * @throws the signal's reason
   */
  async current(signal: AbortSignal): Promise<KnownLabels | ReadFailure> {
    const nowMs = this.#clock.monotonicMs();
    const isDue = nowMs >= this.#dueAtMs;
    const hasSign = this.#closed !== this.#client.closedConnections && nowMs >= this.#soonestAtMs;
    if (this.#labels !== undefined && !isDue && !hasSign) return { kind: "labels", labels: this.#labels };
    // Shared by all reads that need it; one caller's signal must not end it for the others.
    this.#refresh ??= this.#fetch().finally(() => {
      this.#refresh = undefined;
    });
    const found = await this.#refresh;
    signal.throwIfAborted();
    return found;
  }

  /** Call with the labels of a series of a response: other values than known mean that the store has changed. */
  observe(labelOf: (name: string) => string | undefined): void {
    if (this.#labels?.some(({ name, value }) => labelOf(name) !== value)) {
      this.#dueAtMs = Math.min(this.#dueAtMs, this.#soonestAtMs);
    }
  }

  /** What to do about several servers at the store's address; undefined when there is one. */
  warning(): string | undefined {
    const found = this.#alternating;
    if (found === undefined || this.#clock.monotonicMs() - found.atMs > alternatingMs) return undefined;
    return found.message;
  }

  async #fetch(): Promise<KnownLabels | ReadFailure> {
    const closed = this.#client.closedConnections;
    const text = await this.#client.readAbout({ path: "/api/v1/status/config" });
    const nowMs = this.#clock.monotonicMs();
    this.#closed = closed;
    this.#soonestAtMs = nowMs + refreshAfterSignMs;
    this.#dueAtMs = nowMs + (typeof text === "string" ? refreshMs : refreshAfterFailureMs);
    if (typeof text === "string") this.#set(externalLabelsIn(text), nowMs);
    else {
      this.#log.debug({ message: text.message }, "the store's external labels could not be read");
      if (this.#labels === undefined && !isNotServed.has(text.reason)) return text;
    }
    this.#labels ??= [];
    return { kind: "labels", labels: this.#labels };
  }

  #set(labels: readonly Label[], nowMs: number): void {
    const before = this.#labels;
    this.#labels = labels;
    const key = JSON.stringify(labels);
    const earlier = this.#seen.get(key);
    if (before !== undefined && earlier !== undefined && JSON.stringify(before) !== key) {
      if (nowMs - earlier.atMs <= alternatingMs) this.#noteAlternating(before, labels, nowMs);
    }
    if (this.#seen.size >= maxSeen) this.#seen.clear();
    this.#seen.set(key, { labels, atMs: nowMs });
  }

  #noteAlternating(before: readonly Label[], labels: readonly Label[], nowMs: number): void {
    const names = [...before, ...labels]
      .filter(({ name, value }) => [before, labels].some((set) => valueIn(set, name) !== value))
      .map(({ name }) => name);
    const list = [...new Set(names)].sort().join(", ");
    const isNew = this.warning() === undefined;
    this.#alternating = { message: alternatingMessage(list), atMs: nowMs };
    if (isNew) this.#log.warn({ labels: list }, alternatingMessage(list));
  }
}

/** Different sets of labels to remember. */
const maxSeen = 16;

function valueIn(labels: readonly Label[], wanted: string): string | undefined {
  return labels.find(({ name }) => name === wanted)?.value;
}

function alternatingMessage(labels: string): string {
  return (
    `several Prometheus servers respond at metrics.url: their external labels alternate (${labels}), so ` +
    `that each series arrives with gaps; set metrics.url to one of them, or dropLabels: [${labels}] for the endpoint`
  );
}
