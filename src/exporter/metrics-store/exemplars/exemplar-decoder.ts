import { isObject } from "../../../base/documents/yaml/document-path.ts";
import type { Exemplar } from "../../series/exemplar.ts";
import { type Label, Series } from "../../series/series.ts";
import { each, JsonScanner } from "../client/json-scanner.ts";
import { pointValue } from "../expressions/query-response.ts";
import type { Window } from "../ports/window.ts";

/** Maximum number of exemplars in one response; further ones are left out. */
export const maxExemplars = 10_000;
/** Maximum number of series and exemplars to look at, invalid ones included. */
const maxItems = 3 * maxExemplars;
/** A chunk is decoded in pieces of this size, so that a body of nothing but tiny values is soon refused. */
const pieceBytes = 16 * 1_024;
/** Maximum length of all names and values of an exemplar's labels, in code points (OpenMetrics 1.0). */
export const maxLabelsLength = 128;

/** Receives a series and its exemplars in time order. */
export type ExemplarConsumer = (series: Series, exemplars: readonly Exemplar[]) => void;

/**
 * Decodes the body of `/api/v1/query_exemplars`
 * (https://prometheus.io/docs/prometheus/latest/querying/api/#querying-exemplars) as it arrives:
 * `{"status":"success","data":[{"seriesLabels":{…},"exemplars":[{"labels":{…},"value":"6","timestamp":1.5}]}]}`
 *
 * Leaves out exemplars outside of the span, and invalid ones: without labels (they refer to nothing, and some
 * receivers reject them), with too long ones, or with a value or time that is no number.
 */
export class ExemplarDecoder {
  /** Exemplars passed on. */
  count = 0;
  /** Invalid exemplars. */
  invalid = 0;
  readonly #span: Window;
  readonly #consumer: ExemplarConsumer;
  readonly #scanner: JsonScanner;
  #isSuccess = false;
  #labels: Label[] | undefined;
  #exemplars: Exemplar[] = [];
  #held = 0;
  #items = 0;

  constructor(span: Window, consumer: ExemplarConsumer) {
    this.#span = span;
    this.#consumer = consumer;
    this.#scanner = new JsonScanner([
      { path: ["status"], onValue: (status) => this.#setStatus(status) },
      { path: ["data", each, "seriesLabels"], onValue: (labels) => this.#setLabels(labels) },
      { path: ["data", each, "exemplars", each], onValue: (exemplar) => this.#add(exemplar) },
      { path: ["data", each], onEnd: () => this.#endSeries() },
    ]);
  }

  /** Whether it has as many exemplars, or as much else, as a response may have. */
  get isFull(): boolean {
    return this.#held >= maxExemplars || this.#items >= maxItems;
  }

  /** @returns whether more is wanted */
  take(chunk: Buffer): boolean {
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      if (!this.#scanner.take(chunk.subarray(at, at + pieceBytes)) || this.isFull) return false;
    }
    return true;
  }

  /** Call at the end of the body. @returns whether it was a complete response */
  finish(): boolean {
    return this.#scanner.isComplete && this.#isSuccess;
  }

  #setStatus(status: unknown): void {
    this.#isSuccess = status === "success";
  }

  #setLabels(labels: unknown): void {
    this.#labels = labelsOf(labels);
  }

  #add(value: unknown): void {
    if (this.isFull) return;
    this.#items++;
    const exemplar = exemplarOf(value);
    if (exemplar === undefined) {
      this.invalid++;
      return;
    }
    const { fromMs, toMs } = this.#span;
    if (exemplar.timestampMs <= fromMs || exemplar.timestampMs > toMs) return;
    this.#held++;
    this.#exemplars.push(exemplar);
    if (this.isFull) this.#endSeries();
  }

  #endSeries(): void {
    this.#items++;
    const labels = this.#labels;
    const exemplars = this.#exemplars;
    this.#labels = undefined;
    this.#exemplars = [];
    if (exemplars.length === 0) return;
    if (labels === undefined) {
      this.invalid += exemplars.length;
      return;
    }
    this.count += exemplars.length;
    exemplars.sort((a, b) => a.timestampMs - b.timestampMs);
    this.#consumer(new Series(labels), exemplars);
  }
}

function exemplarOf(value: unknown): Exemplar | undefined {
  if (!isObject(value)) return undefined;
  const labels = labelsOf(value["labels"]);
  const { timestamp: seconds, value: text } = value;
  if (labels === undefined || labels.length === 0 || !fits(labels)) return undefined;
  if (typeof seconds !== "number" || typeof text !== "string") return undefined;
  const number = pointValue(text);
  const timestampMs = Math.round(seconds * 1_000);
  if (number === undefined || !Number.isSafeInteger(timestampMs)) return undefined;
  return { labels, value: number, timestampMs };
}

/** Sorted, without empty values; undefined when they are no labels. */
function labelsOf(value: unknown): Label[] | undefined {
  if (!isObject(value)) return undefined;
  const labels: Label[] = [];
  for (const [name, text] of Object.entries(value)) {
    if (typeof text !== "string" || name === "") return undefined;
    if (text !== "") labels.push({ name, value: text });
  }
  return labels.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether the labels of an exemplar are short enough, and valid Unicode. */
function fits(labels: readonly Label[]): boolean {
  let text = "";
  for (const { name, value } of labels) {
    text += name + value;
    // A code point has at most two code units.
    if (text.length > 2 * maxLabelsLength || surrogate.test(name) || surrogate.test(value)) return false;
  }
  return [...text].length <= maxLabelsLength;
}

/** Matches an unpaired surrogate, which cannot be encoded as UTF-8. */
const surrogate = /\p{Surrogate}/u;
