import snappy from "snappy";
import { matcher } from "../../metricsql/analysis/matcher.ts";
import type { Selector } from "../../metricsql/ast/ast.ts";
import { print } from "../../metricsql/print/printer.ts";
import type { Label, Series } from "../../series/series.ts";
import { remoteReadSelector } from "../client/external-labels.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";
import type { StoreClient } from "../client/store-client.ts";
import type { StoreLabels } from "../client/store-labels.ts";
import type {
  ReadEnd,
  ReadTotals,
  SampleReceiver,
  ScopedRead,
  ScopedReader,
  Tenant,
} from "../ports/scoped-reader.ts";
import type { LabelCache } from "../samples/label-cache.ts";
import { ReadBody, type WholeResponseLimits } from "./read-body.ts";
import { encodeReadRequest, type ReadForm } from "./read-request.ts";
import { ReadResponseDecoder, type SeriesToRead } from "./read-response.ts";

const limits: WholeResponseLimits = { maxCompressedBytes: 32 * 2 ** 20, maxBytes: 128 * 2 ** 20 };

/**
 * A refused read is repeated in halves down to this length. Chunks mostly span some minutes: a shorter read
 * touches no fewer.
 */
const shortestPartMs = 60_000;

/**
 * Reads from Prometheus by remote read (`/api/v1/read`): every raw sample as stored, staleness markers
 * included. Requests a stream of chunks; also accepts all samples in one message, and reads the window in
 * halves where that message would be too large. Series with chunks in an unknown encoding are requested
 * again, as samples.
 *
 * Mimir (chunks) and Cortex (samples) respond likewise. PromQL's staleness and look-behind do not apply.
 *
 * Prometheus adds its external labels after it has matched. So filters on these are evaluated here, and every
 * series is checked against the whole selector, the tenant's filter included: once, as the result stays with
 * the series.
 */
export class PrometheusReader implements ScopedReader {
  readonly #client: StoreClient;
  readonly #cache: LabelCache;
  readonly #labels: StoreLabels;
  readonly #tests = new Map<string, SeriesTest>();

  constructor(client: StoreClient, cache: LabelCache, labels: StoreLabels) {
    this.#client = client;
    this.#cache = cache;
    this.#labels = labels;
  }

  async read(read: ScopedRead, receiver: SampleReceiver, signal: AbortSignal): Promise<ReadEnd> {
    if (read.selector.groups.some((group) => group.some(({ label }) => label === "__graphite__"))) {
      return failure("unsupported_selector", "the filter __graphite__ is VictoriaMetrics', not Prometheus'");
    }
    const external = await this.#labels.current(signal);
    if (external.kind === "failed") return external;
    const selector = remoteReadSelector(read.selector, external.labels);
    const whole = { ...read, selector, isSelected: this.#testOf(read.selector) };
    const setAside: SeriesToRead = new Map();
    const first = await this.#readInParts({ ...whole, form: "chunks", setAside }, receiver, signal);
    if (first.kind !== "complete" || setAside.size === 0) return first;
    const rest = await this.#readInParts({ ...whole, form: "samples", only: setAside }, receiver, signal);
    return sum(first, rest);
  }

  /** One function for equal selectors, so that its results stay with the series. */
  #testOf(selector: Selector): SeriesTest {
    const key = print(selector);
    const known = this.#tests.get(key);
    if (known !== undefined) return known;
    const matches = matcher(selector);
    const test: SeriesTest = (labels) => matches(new Map(labels.map(({ name, value }) => [name, value])));
    if (this.#tests.size >= maxTests) this.#tests.clear();
    this.#tests.set(key, test);
    return test;
  }

  /** Reads in halves, recursively, when the whole window is too large for one response, or may be. */
  async #readInParts(read: RemoteRead, receiver: SampleReceiver, signal: AbortSignal): Promise<ReadEnd> {
    const ended = await this.#readWindow(read, receiver, signal);
    const { fromMs, toMs } = read.window;
    if (ended !== "too_large" && (!mayBeLimit(ended) || toMs - fromMs <= shortestPartMs)) return ended;
    if (read.isWhole === true) return ended === "too_large" ? this.#tooLarge("of the time read") : ended;
    if (toMs - fromMs <= 1) {
      return this.#tooLarge("of one millisecond");
    }
    const middleMs = Math.floor((fromMs + toMs) / 2);
    const first = await this.#readInParts({ ...read, window: { fromMs, toMs: middleMs } }, receiver, signal);
    if (first.kind !== "complete") return first;
    const second = await this.#readInParts({ ...read, window: { fromMs: middleMs, toMs } }, receiver, signal);
    return sum(first, second);
  }

  #tooLarge(what: string): ReadFailure {
    return failure(
      "answer_too_large",
      `the store's samples ${what} are more than ${limits.maxBytes} bytes; it does not stream chunks`,
    );
  }

  async #readWindow(
    read: RemoteRead,
    receiver: SampleReceiver,
    signal: AbortSignal,
  ): Promise<ReadEnd | "too_large"> {
    const { selector, tenant, window, setAside, only, isSelected } = read;
    const totals = { kind: "complete" as const, series: 0, samples: 0 };
    const decoder = new ReadResponseDecoder(
      { cache: this.#cache, window, queries: selector.groups.length, setAside, only },
      (series, samples) => {
        if (totals.series === 0) this.#labels.observe((name) => series.label(name));
        // A series of another tenant is not left out in silence: the receiver fails the read.
        if (!series.fulfils(isSelected) && isOfTenant(series, tenant)) return undefined;
        totals.series++;
        totals.samples += samples.length;
        return receiver.onSeries(series, samples);
      },
    );
    const body = new ReadBody(decoder, limits, (bytes) => receiver.onBytes(bytes));
    const response = await this.#client.request(
      { path: "/api/v1/read", body: { bytes: compressedRequest(read), headers: requestHeaders } },
      (chunk, headers) => {
        const wantsMore = () => body.fault === undefined && receiver.wantsMore();
        return body.push(chunk, headers)?.then(wantsMore) ?? wantsMore();
      },
      signal,
    );
    const isWhole = response.kind === "response" && response.whole;
    const fault = isWhole ? await body.finish(response.headers) : body.fault;
    if (fault === "too_large") return fault;
    for (const [reason, series] of decoder.invalid) {
      receiver.onInvalid(reason, series, decoder.lastInvalid ?? reason);
    }
    // A fault in the received data is more specific than the end of the connection.
    if (fault !== undefined) return fault;
    if (response.kind !== "response") return withRemedy(response);
    if (!response.whole) return { kind: "stopped" };
    return totals;
  }
}

/** Whether the store may have refused the read for a limit. They all say so with 400, without a code for it. */
function mayBeLimit(ended: ReadEnd): boolean {
  return ended.kind === "failed" && (ended.reason === "answer_too_large" || ended.reason === "bad_request");
}

function withRemedy(failed: ReadFailure): ReadFailure {
  if (failed.reason !== "not_found") return failed;
  return { ...failed, message: `${failed.message} ${noRemoteRead}` };
}

const noRemoteRead =
  "Raw samples are read by remote read (/api/v1/read): Mimir and Cortex serve it below /prometheus, Thanos " +
  "Querier does not; set metrics.url to the Prometheus beside a Thanos sidecar, or select with an expression";

function isOfTenant(series: Series, tenant: Tenant | undefined): boolean {
  return tenant === undefined || series.label(tenant.label) === tenant.value;
}

/** Selectors to keep the tests of. */
const maxTests = 10_000;

type SeriesTest = (labels: readonly Label[]) => boolean;

interface RemoteRead extends ScopedRead {
  /** Whether a series is one of the read's; `selector` may select more. */
  readonly isSelected: SeriesTest;
  readonly form: ReadForm;
  readonly setAside?: SeriesToRead;
  readonly only?: SeriesToRead;
}

function sum(first: ReadTotals, second: ReadEnd): ReadEnd {
  if (second.kind !== "complete") return second;
  const series = first.series + second.series;
  return { kind: "complete", series, samples: first.samples + second.samples };
}

const requestHeaders = {
  "content-type": "application/x-protobuf",
  "content-encoding": "snappy",
  "x-prometheus-remote-read-version": "0.1.0",
};

function compressedRequest({ selector, window, form }: RemoteRead): Buffer {
  return snappy.compressSync(encodeReadRequest(selector, window, form), { copyOutputData: true });
}
