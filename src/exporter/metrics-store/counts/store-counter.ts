import type { Clock } from "../../../base/core/clock.ts";
import type { FairSemaphore } from "../../../base/core/fair-semaphore.ts";
import { untilAborted, withEither } from "../../../base/core/signals.ts";
import { scope } from "../../metricsql/analysis/scope.ts";
import type { Selector } from "../../metricsql/ast/ast.ts";
import { MetricsqlSyntaxError, parse } from "../../metricsql/parse/parser.ts";
import { print } from "../../metricsql/print/printer.ts";
import { promqlSelector } from "../client/external-labels.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";
import type { StoreClient } from "../client/store-client.ts";
import type { StoreDedup } from "../client/store-dedup.ts";
import type { StoreLabels } from "../client/store-labels.ts";
import { pointValue, storageWarning } from "../expressions/query-response.ts";
import { queryRange } from "../expressions/store-query.ts";
import type { CountOutcome, CountRequest, SampleCounter } from "../ports/sample-counter.ts";
import { endSeconds, seconds, tenantFilter } from "../victoriametrics/victoriametrics-reader.ts";
import {
  alternatives,
  countQuery,
  hasNames,
  namedAlternatives,
  selectorsOfNames,
  withoutMixedNames,
} from "./count-query.ts";

/** A response serves equal requests for this long. */
const shareMs = 20_000;
/** Names of a selector's metrics, at most: each hundred of them is a query. */
const maxNames = 100_000;
const maxNamesBytes = 16 * 2 ** 20;

interface ScopedCount extends Omit<CountRequest, "selector"> {
  readonly selector: Selector;
}

/** What is known of a store that a count depends on. */
interface StoreFacts {
  readonly labels: StoreLabels;
  readonly dedup: StoreDedup;
}

/** Counts by the store's query API. Each request takes a place of the reads' semaphore. */
export class StoreCounter implements SampleCounter {
  readonly #client: StoreClient;
  readonly #facts: StoreFacts;
  readonly #semaphore: FairSemaphore;
  readonly #clock: Clock;
  readonly #shared = new Map<string, { readonly atMs: number; readonly outcome: Promise<CountOutcome> }>();

  constructor(client: StoreClient, facts: StoreFacts, semaphore: FairSemaphore, clock: Clock) {
    this.#client = client;
    this.#facts = facts;
    this.#semaphore = semaphore;
    this.#clock = clock;
  }

  async count(request: CountRequest, signal: AbortSignal): Promise<CountOutcome> {
    signal.throwIfAborted();
    const scoped = scopedCount(request);
    if (scoped.kind === "failed") return scoped;
    const outcome = this.#sharedCount(scoped.count);
    const first = await withEither([signal], (either) => Promise.race([outcome, untilAborted(either)]));
    signal.throwIfAborted();
    return first ?? outcome;
  }

  #sharedCount(count: ScopedCount): Promise<CountOutcome> {
    const { selector, tenant, window, stepMs, of } = count;
    const key = JSON.stringify([print(selector), tenant, window.fromMs, window.toMs, stepMs, of]);
    const nowMs = this.#clock.monotonicMs();
    for (const [old, { atMs }] of this.#shared) {
      if (nowMs - atMs <= shareMs) break;
      this.#shared.delete(old);
    }
    const present = this.#shared.get(key);
    if (present !== undefined) return present.outcome;
    // Not one caller's signal: others may share the response. The store client limits its time.
    const outcome = this.#countOnce(count, neverAborted);
    this.#shared.set(key, { atMs: nowMs, outcome });
    outcome.catch(() => this.#shared.delete(key));
    return outcome;
  }

  async #countOnce(count: ScopedCount, signal: AbortSignal): Promise<CountOutcome> {
    const startedMs = this.#clock.monotonicMs();
    const found = await this.#client.flavor(signal);
    if (found.kind === "failed") return found;
    const counts =
      found.flavor === "victoriametrics"
        ? await this.#countAtVictoriaMetrics(count, signal)
        : await this.#countAtPrometheus(count, signal);
    if (!isCounts(counts)) return counts;
    return { kind: "counts", counts, startedMs };
  }

  /** For one request at a time: a count of many names must not keep reads waiting. */
  async #inPlace<T>(owner: string, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    await this.#semaphore.acquire(owner, signal);
    try {
      return await request();
    } finally {
      this.#semaphore.release(owner);
    }
  }

  /** Its ranges include their end, not their start. */
  async #countAtVictoriaMetrics(count: ScopedCount, signal: AbortSignal): Promise<Counts> {
    const { selector, stepMs, of } = count;
    const rollup = of === "samples" ? "count_over_time" : "stale_samples_over_time";
    const whole = await this.#sum([[withoutMixedNames(selector)]], rollup, stepMs, count, signal);
    if (isCounts(whole)) return whole;
    // The store limits the series of a query far below those of an export.
    const isTooMany = /maxUniqueTimeseries|more than -search/.test(whole.message);
    // An older store knows no `or` within a selector.
    const isUnknown = whole.reason === "bad_request" && selector.groups.length > 1;
    if (!isTooMany && !isUnknown) return whole;
    return this.#sumOfNames(rollup, stepMs, count, signal);
  }

  /** Ranges include their start before version 3. It does not count staleness markers. */
  async #countAtPrometheus(
    count: ScopedCount,
    signal: AbortSignal,
  ): Promise<Counts | { readonly kind: "unsupported" }> {
    if (count.of === "staleMarkers") return { kind: "unsupported" };
    const external = await this.#facts.labels.current(signal);
    if (external.kind === "failed") return external;
    const selector = promqlSelector(count.selector, external.labels);
    const { stepMs } = count;
    const rangeMs = (await this.#client.promql(signal)) < 3 ? stepMs - 1 : stepMs;
    if (!hasNames(selector))
      return this.#sumOfNames("count_over_time", rangeMs, { ...count, selector }, signal);
    return this.#sum([alternatives(selector)], "count_over_time", rangeMs, count, signal);
  }

  async #sumOfNames(
    rollup: string,
    rangeMs: number,
    count: ScopedCount,
    signal: AbortSignal,
  ): Promise<Counts> {
    const names = await this.#namesOf(count, signal);
    if ("kind" in names) return names;
    return this.#sum(selectorsOfNames(count.selector, names), rollup, rangeMs, count, signal);
  }

  /** The sum of several queries, each about a group of selectors. */
  async #sum(
    groups: readonly (readonly Selector[])[],
    rollup: string,
    rangeMs: number,
    { tenant, window, stepMs, owner }: ScopedCount,
    signal: AbortSignal,
  ): Promise<Counts> {
    const sums = new Array<number>((window.toMs - window.fromMs) / stepMs).fill(0);
    const dedupMs = await this.#facts.dedup.intervalMs();
    // As for a read: the store deduplicates what it counts.
    const cutMs = dedupMs > 0 ? Math.ceil(window.toMs / dedupMs) * dedupMs - window.toMs : 0;
    const lastMs = window.toMs + Math.ceil(cutMs / stepMs) * stepMs;
    const grid = { firstMs: window.fromMs + stepMs, lastMs, stepMs };
    for (const selectors of groups) {
      const expr = parse(countQuery(selectors, rollup, `${rangeMs}ms`));
      const flavor = await this.#client.flavor(signal);
      if (flavor.kind === "failed") return flavor;
      const onBytes = () => true;
      const response = await this.#inPlace(owner, signal, () =>
        queryRange(this.#client, flavor.flavor, { expr, tenant }, grid, onBytes, signal),
      );
      if (response === "stopped") return failure("malformed_answer", "the store's count was cut off");
      if (response.kind === "failed") return response;
      for (const { timestampMs, text } of response.series.flatMap(({ points }) => points)) {
        if (timestampMs > window.toMs) continue;
        const step = (timestampMs - grid.firstMs) / stepMs;
        const value = pointValue(text);
        if (!Number.isInteger(value) || !(step in sums)) {
          return failure("malformed_answer", "the store's count is no whole number at the steps asked for");
        }
        sums[step] = (sums[step] ?? 0) + (value ?? 0);
      }
    }
    return sums;
  }

  /** The names of the metrics that the selector matches. */
  async #namesOf(
    { selector, tenant, window, owner }: ScopedCount,
    signal: AbortSignal,
  ): Promise<readonly string[] | ReadFailure> {
    const found = await this.#client.flavor(signal);
    if (found.kind === "failed") return found;
    const dialect = found.flavor === "prometheus" ? "promql" : "metricsql";
    const times = { start: seconds(window.fromMs), end: endSeconds(window.toMs) };
    const query = new URLSearchParams({ ...times, partial_response: "false" });
    for (const alternative of namedAlternatives(selector)) {
      query.append("match[]", print(alternative, dialect));
    }
    if (tenant !== undefined) query.append("extra_filters[]", tenantFilter(tenant));
    const pieces: Buffer[] = [];
    let held = 0;
    const path = `/api/v1/label/__name__/values?${query}`;
    const take = (chunk: Buffer): boolean => {
      held += chunk.length;
      pieces.push(Buffer.from(chunk));
      return held <= maxNamesBytes;
    };
    const response = await this.#inPlace(owner, signal, () => this.#client.request({ path }, take, signal));
    if (response.kind === "failed") return response;
    const names = response.whole ? namesIn(Buffer.concat(pieces)) : undefined;
    if (names === undefined) {
      return failure("malformed_answer", "the store's list of metric names cannot be understood");
    }
    if (names.length > maxNames) {
      return failure("answer_too_large", `the selector has more than ${maxNames} metric names to count`);
    }
    return names;
  }
}

const neverAborted = new AbortController().signal;

type Counts = readonly number[] | ReadFailure;

function isCounts(counts: Counts | { readonly kind: "unsupported" }): counts is readonly number[] {
  return Array.isArray(counts);
}

function namesIn(body: Buffer): readonly string[] | undefined {
  try {
    const response = JSON.parse(body.toString("utf8")) as Record<string, unknown> | null;
    const names = response?.["data"];
    if (response?.["status"] !== "success" || response["isPartial"] === true) return undefined;
    if (storageWarning(response["warnings"]) !== undefined) return undefined;
    return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : undefined;
  } catch {
    return undefined;
  }
}

/** Parses a request and confines it to its tenant. */
function scopedCount(
  request: CountRequest,
): { readonly kind: "scoped"; readonly count: ScopedCount } | ReadFailure {
  try {
    const expr = parse(request.selector);
    const scoped = request.tenant === undefined ? expr : scope(expr, [request.tenant]);
    if (scoped.type !== "selector") return failure("unsupported_selector", "only a selector is counted");
    return { kind: "scoped", count: { ...request, selector: scoped } };
  } catch (error) {
    if (error instanceof MetricsqlSyntaxError) return failure("unsupported_selector", error.message);
    throw error;
  }
}
