import { type Clock, systemClock } from "../../base/core/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { print } from "../metricsql/print/printer.ts";
import type { Exemplar } from "../series/exemplar.ts";
import type { SampleBuffer, Series } from "../series/series.ts";
import { type AnyRead, keyOf, queryOf, scopedRead, violationOf } from "./any-read.ts";
import type { ReadFailure } from "./client/read-failure.ts";
import type { StoreClient } from "./client/store-client.ts";
import { StoreDedup } from "./client/store-dedup.ts";
import { StoreFlags } from "./client/store-flags.ts";
import { StoreLabels } from "./client/store-labels.ts";
import { StoreRetention } from "./client/store-retention.ts";
import type { StoreFlavor } from "./client/store-settings.ts";
import { StoreCounter } from "./counts/store-counter.ts";
import { ExemplarReader } from "./exemplars/exemplar-reader.ts";
import { ExpressionReader } from "./expressions/expression-reader.ts";
import type { SampleCounter } from "./ports/sample-counter.ts";
import type { ReadConsumer, ReadOutcome, ReadRequest, SampleReader } from "./ports/sample-reader.ts";
import type { SampleReceiver, ScopedEvaluation, ScopedReader, ThinnedRead } from "./ports/scoped-reader.ts";
import type { SourceMetrics } from "./ports/source-metrics.ts";
import { PrometheusReader } from "./prometheus/prometheus-reader.ts";
import { forgetEveryMs, type ReadLimits } from "./read-limits.ts";
import type { ReadPlace } from "./read-place.ts";
import { LabelCache } from "./samples/label-cache.ts";
import { SharedRead } from "./shared-read.ts";
import { ThinnedReader } from "./thinned/thinned-reader.ts";
import { VictoriaMetricsReader } from "./victoriametrics/victoriametrics-reader.ts";

/** Clocks that differ by more are reported. */
const largestSkewMs = 30_000;

interface StoreReaderOptions {
  readonly client: StoreClient;
  readonly limits: ReadLimits;
  readonly log: Logger;
  readonly clock?: Clock;
}

/**
 * Reads from the store of one client. The number of open reads is limited (`ReadPlace`); callers that
 * request the same selector, tenant and window before the read opens share it.
 *
 * States of a read: `waiting` (for its place; others may join) -> `open` -> complete, failed, or
 * abandoned by all its consumers.
 */
export class StoreReader implements SampleReader {
  readonly metrics: SourceMetrics;
  /** Counts in the same store, under the same limit of open reads. */
  readonly counter: SampleCounter;
  readonly #client: StoreClient;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #limits: ReadLimits;
  readonly #cache: LabelCache;
  readonly #labels: StoreLabels;
  readonly #dedup: StoreDedup;
  readonly #retention: StoreRetention;
  readonly #exemplars: ExemplarReader;
  readonly #readers: Readonly<Record<StoreFlavor, ScopedReader>>;
  readonly #thinned: Readonly<Record<StoreFlavor, ScopedReader<ThinnedRead>>>;
  readonly #evaluators: Readonly<Record<StoreFlavor, ScopedReader<ScopedEvaluation>>>;
  readonly #waiting = new Map<string, SharedRead>();
  #forgotAtMs: number;
  #hasWarnedOfClock = false;

  constructor(options: StoreReaderOptions) {
    this.#client = options.client;
    this.#log = options.log;
    this.#clock = options.clock ?? systemClock;
    this.#limits = options.limits;
    this.metrics = options.limits.metrics;
    this.#labels = new StoreLabels(options.client, this.#clock, options.log);
    const flags = new StoreFlags(options.client, this.#clock, options.log);
    this.#dedup = new StoreDedup(options.client, flags, options.log);
    this.#retention = new StoreRetention(options.client, flags, this.#clock);
    const facts = { labels: this.#labels, dedup: this.#dedup };
    this.counter = new StoreCounter(options.client, facts, options.limits.semaphore, this.#clock);
    this.#cache = new LabelCache(options.limits.labels);
    this.#forgotAtMs = this.#clock.monotonicMs();
    this.#readers = {
      victoriametrics: new VictoriaMetricsReader(options.client, this.#cache, this.#dedup),
      prometheus: new PrometheusReader(options.client, this.#cache, this.#labels),
    };
    this.#thinned = {
      victoriametrics: new ThinnedReader(this.#readers.victoriametrics),
      prometheus: new ThinnedReader(this.#readers.prometheus),
    };
    this.#evaluators = {
      victoriametrics: new ExpressionReader(options.client, this.#cache, "victoriametrics"),
      prometheus: new ExpressionReader(options.client, this.#cache, "prometheus"),
    };
    const { client, log } = options;
    this.#exemplars = new ExemplarReader({
      client,
      labels: this.#labels,
      metrics: this.#limits.metrics,
      clock: this.#clock,
      log,
    });
  }

  storeNowMs(): number | undefined {
    return this.#client.storeNowMs();
  }

  async read(request: ReadRequest, consumer: ReadConsumer, signal: AbortSignal): Promise<ReadOutcome> {
    signal.throwIfAborted();
    const read = scopedRead(request);
    if (read.kind === "failed") {
      this.metrics.readEnded("failed", undefined, read.reason);
      return read;
    }
    const key = keyOf(read);
    const waiting = this.#waiting.get(key);
    if (waiting !== undefined && !waiting.signal.aborted) return waiting.attach(consumer, signal);
    const owner = request.owner ?? "";
    const place = this.#limits.place(owner);
    const shared = new SharedRead((longMs) => place.pause(longMs));
    this.#waiting.set(key, shared);
    this.#limits.waitingReads++;
    const outcome = shared.attach(consumer, signal);
    this.#run(key, shared, read, owner, place).catch((error) => shared.fail(error));
    return outcome;
  }

  /** Requests a response, so that the store's time is known. @returns the failure's message, or undefined */
  async probe(signal: AbortSignal): Promise<string | undefined> {
    const response = await this.#client.probe(signal);
    this.#limits.trouble.note(response);
    return response.kind === "failed" ? response.message : undefined;
  }

  /** The store keeps one sample of each such interval; 0: all of them. Never fails. */
  dedupIntervalMs(): Promise<number> {
    return this.#dedup.intervalMs();
  }

  /** How long the store keeps samples, as far as that is known. Never waits. */
  retentionMs(): number | undefined {
    return this.#retention.knownMs();
  }

  /** What is wrong with the store although it can be read: a sentence each, for the operator. */
  warnings(): readonly string[] {
    return [this.#labels.warning(), this.#clockWarning()].filter((warning) => warning !== undefined);
  }

  /** Frees the memory of the labels. */
  close(): void {
    this.#cache.clear();
  }

  #clockWarning(): string | undefined {
    const skewMs = this.#client.clockSkewMs() ?? 0;
    if (Math.abs(skewMs) <= largestSkewMs) return undefined;
    const seconds = Math.round(Math.abs(skewMs) / 1_000);
    return skewMs < 0
      ? `the store's clock is ${seconds} s behind; newer samples are not exported before it shows their time`
      : `the store's clock is ${seconds} s ahead of this machine's; samples are exported by the earlier of both`;
  }

  #noteClock(): void {
    const skewMs = this.#client.clockSkewMs();
    if (skewMs !== undefined) this.metrics.clockSkew(skewMs / 1_000);
    const warning = this.#clockWarning();
    if (warning !== undefined && !this.#hasWarnedOfClock) this.#log.warn({ skewMs }, warning);
    if (warning === undefined && this.#hasWarnedOfClock) this.#log.info("the store's clock is right again");
    this.#hasWarnedOfClock = warning !== undefined;
  }

  async #run(key: string, shared: SharedRead, read: AnyRead, owner: string, place: ReadPlace): Promise<void> {
    try {
      await place.acquire(shared.signal);
    } catch {
      return;
    } finally {
      this.#limits.waitingReads--;
      if (this.#waiting.get(key) === shared) this.#waiting.delete(key);
    }
    const startMs = this.#clock.monotonicMs();
    try {
      const outcome = await this.#readOnce(shared, read, owner, startMs);
      const reason = outcome.kind === "failed" ? outcome.reason : undefined;
      this.metrics.readEnded(outcome.kind, this.#clock.monotonicMs() - startMs, reason);
      if (outcome.kind !== "detached") this.#limits.trouble.note(outcome);
      shared.end(outcome);
    } finally {
      place.release();
      this.#noteClock();
      this.#forgetIdle();
    }
  }

  async #readOnce(shared: SharedRead, read: AnyRead, owner: string, startMs: number): Promise<ReadOutcome> {
    const delivery = new Delivery(shared, read, this.#log);
    try {
      const found = await this.#client.flavor(shared.signal);
      if (found.kind === "failed") return found;
      // A store that does not say how long it keeps samples must not delay reading them.
      void this.#retention.refresh();
      const exemplarsMs = await this.#readExemplars(read, found.flavor, owner, delivery, shared.signal);
      const ended = await this.#readAs(found.flavor, read, delivery, shared.signal);
      if (delivery.violation !== undefined) return delivery.violation;
      if (ended.kind === "stopped") return { kind: "detached" };
      if (ended.kind === "failed") return ended;
      const durationMs = this.#clock.monotonicMs() - startMs - exemplarsMs;
      const { bytes, invalidLines } = delivery;
      return { ...ended, bytes, durationMs, invalidLines };
    } catch (error) {
      if (shared.signal.aborted) return { kind: "detached" };
      throw error;
    } finally {
      this.metrics.passedOn(delivery.series, delivery.samples, delivery.bytes);
      for (const [reason, lines] of delivery.invalid) this.metrics.invalid(reason, lines);
    }
  }

  #readAs(flavor: StoreFlavor, read: AnyRead, receiver: SampleReceiver, signal: AbortSignal) {
    switch (read.kind) {
      case "raw":
        return this.#readers[flavor].read(read, receiver, signal);
      case "thinned":
        return this.#thinned[flavor].read(read, receiver, signal);
      case "expression":
        return this.#evaluators[flavor].read(read, receiver, signal);
    }
  }

  /** @returns the time it took, in ms */
  async #readExemplars(
    read: AnyRead,
    flavor: StoreFlavor,
    owner: string,
    delivery: Delivery,
    signal: AbortSignal,
  ): Promise<number> {
    if (read.kind !== "raw" || read.exemplarsFromMs === undefined) return 0;
    const startMs = this.#clock.monotonicMs();
    const consumer = delivery.onExemplars.bind(delivery);
    const { exemplarsFromMs } = read;
    await this.#exemplars.read({ ...read, exemplarsFromMs }, flavor, owner, consumer, signal);
    return this.#clock.monotonicMs() - startMs;
  }

  #forgetIdle(): void {
    this.#limits.forgetIdleOwners();
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#forgotAtMs < forgetEveryMs) return;
    this.#forgotAtMs = nowMs;
    this.#cache.nextGeneration();
  }
}

/** Sits between a store's series and the consumers: checks the tenant, and counts for one read. */
class Delivery implements SampleReceiver {
  series = 0;
  samples = 0;
  bytes = 0;
  invalidLines = 0;
  readonly invalid = new Map<string, number>();
  violation: ReadFailure | undefined;
  readonly #shared: SharedRead;
  readonly #read: AnyRead;
  readonly #log: Logger;

  constructor(shared: SharedRead, read: AnyRead, log: Logger) {
    this.#shared = shared;
    this.#read = read;
    this.#log = log;
  }

  onSeries(series: Series, samples: SampleBuffer): Promise<void> | undefined {
    if (this.violation !== undefined) return undefined;
    this.violation = violationOf(series, this.#read);
    if (this.violation !== undefined) return undefined;
    this.series++;
    this.samples += samples.length;
    return this.#shared.onSeries(series, samples);
  }

  /** Their reader has checked the tenant. */
  onExemplars(series: Series, exemplars: readonly Exemplar[]): void {
    this.#shared.onExemplars(series, exemplars);
  }

  onBytes(bytes: number): void {
    this.bytes += bytes;
  }

  onInvalid(reason: string, lines: number, message: string): void {
    this.invalidLines += lines;
    this.invalid.set(reason, (this.invalid.get(reason) ?? 0) + lines);
    const selector = print(queryOf(this.#read));
    this.#log.warn({ reason, lines, selector, example: message }, "series were left out of a read");
  }

  wantsMore(): boolean {
    return this.violation === undefined && !this.#shared.signal.aborted;
  }
}
