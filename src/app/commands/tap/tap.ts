import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { describeError, TelemetrydError } from "../../../base/core/errors.ts";
import type { LineSink } from "../../../base/log/log.ts";
import { matcher } from "../../../exporter/metricsql/analysis/matcher.ts";
import { parse } from "../../../exporter/metricsql/parse/parser.ts";
import {
  type BodySeries,
  describeSample,
  readBody,
} from "../../../exporter/remote-write/encoding/request-body.ts";
import { readTapped, type TappedRequest } from "../../../exporter/remote-write/tap.ts";
import { askDaemon, opsUrl } from "../ops-address.ts";
import { printedJsonLine } from "../printed-json.ts";
import { seriesText } from "../series-text.ts";
import { printable } from "../table.ts";

export interface TapOptions {
  /** A URL, or host:port. */
  readonly address: string;
  /** See `sinkName`. */
  readonly sink: string;
  /** MetricsQL. */
  readonly selector: string | undefined;
  /** Samples a second at most; 0 for all. */
  readonly rate: number;
  readonly json: boolean;
}

type Predicate = (labels: ReadonlyMap<string, string>) => boolean;

/**
 * `telemetryd tap`: prints the samples of a sink's requests until the signal aborts.
 *
 * @throws INVALID_ARGUMENT for a selector, or a sink that the daemon does not run; UNREACHABLE when no daemon
 *   responds, or when it ends the connection
 */
export async function tap(
  options: TapOptions,
  out: LineSink,
  notes: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const isShown = predicateOf(options.selector);
  const url = opsUrl(options.address, "api/v1/tap");
  url.searchParams.set("sink", options.sink);
  const shown = new ShownSamples(options, isShown, out, notes);
  try {
    const response = await askDaemon(url, "GET", signal);
    if (!response.ok || response.body === null) throw await refusal(response, url, options.sink);
    notes.write(`showing what ${options.sink} sends; Ctrl-C ends it\n`);
    for await (const request of readTapped(Readable.fromWeb(response.body as ReadableStream))) {
      shown.add(request, Date.now());
    }
    throw new Error("the daemon has ended the connection");
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof TelemetrydError) throw error;
    throw new TelemetrydError("UNREACHABLE", `${url.origin}: ${describeError(error)}`, { cause: error });
  } finally {
    shown.end();
  }
}

async function refusal(response: Response, { origin }: URL, sink: string): Promise<TelemetrydError> {
  const text = (await response.text()).trim().slice(0, 500);
  if (response.status === 404) {
    return new TelemetrydError(
      "INVALID_ARGUMENT",
      `${sink}: ${text === "not found" ? "this daemon exports nothing" : text}; telemetryd status names the sinks that run`,
    );
  }
  return new TelemetrydError("UNREACHABLE", `${origin} responds with HTTP ${response.status} (${text})`);
}

/** @throws INVALID_ARGUMENT */
function predicateOf(selector: string | undefined): Predicate {
  if (selector === undefined) return () => true;
  try {
    const tree = parse(selector);
    if (tree.type === "selector") return matcher(tree);
  } catch (cause) {
    throw new TelemetrydError("INVALID_ARGUMENT", `${selector}: ${describeError(cause)}`, { cause });
  }
  throw new TelemetrydError("INVALID_ARGUMENT", `${selector} is no series selector, such as {job="node"}`);
}

/** Prints samples, at most so many in each second; the rest is counted. */
class ShownSamples {
  readonly #options: TapOptions;
  readonly #isShown: Predicate;
  readonly #out: LineSink;
  readonly #notes: LineSink;
  #second = 0;
  #inSecond = 0;
  #leftOut = 0;

  constructor(options: TapOptions, isShown: Predicate, out: LineSink, notes: LineSink) {
    this.#options = options;
    this.#isShown = isShown;
    this.#out = out;
    this.#notes = notes;
  }

  add(request: TappedRequest, nowMs: number): void {
    const { missed, outcome, message } = request;
    if (missed > 0) this.#notes.write(`${missed} requests were not read in time\n`);
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.end();
      this.#second = second;
      this.#inSecond = 0;
    }
    if (outcome !== "delivered") this.#notes.write(`${outcome}: ${printable(message ?? "no response")}\n`);
    for (const { labels, samples } of readBody(request)) {
      if (!this.#isShown(namedLabels(labels))) continue;
      for (const sample of samples) this.#print(request, labels, sample);
    }
  }

  /** Says what was left out. */
  end(): void {
    if (this.#leftOut === 0) return;
    this.#notes.write(`${this.#leftOut} more samples; --rate 0 shows all\n`);
    this.#leftOut = 0;
  }

  #print(
    { outcome }: TappedRequest,
    labels: BodySeries["labels"],
    sample: BodySeries["samples"][number],
  ): void {
    const { rate, json } = this.#options;
    if (rate > 0 && this.#inSecond >= rate) {
      this.#leftOut++;
      return;
    }
    this.#inSecond++;
    const time = new Date(sample.timestampMs).toISOString();
    const value = describeSample(sample);
    this.#out.write(
      json
        ? printedJsonLine({ time, labels: Object.fromEntries(namedLabels(labels)), value, outcome })
        : `${printable(`${time} ${seriesText(labels)} ${value}`)}\n`,
    );
  }
}

function namedLabels(labels: BodySeries["labels"]): ReadonlyMap<string, string> {
  return new Map(labels.map(({ name, value }) => [name, value]));
}
