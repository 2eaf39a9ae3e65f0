import { isObject } from "../../../base/documents/yaml/document-path.ts";
import { each, first, JsonScanner } from "../client/json-scanner.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";

/** A store's metadata of a metric family. */
export interface MetricMetadata {
  /** The family's name: that of its series without their suffixes. */
  readonly family: string;
  readonly type: "counter" | "gauge" | "histogram" | "gaugehistogram" | "summary" | "info" | "stateset";
  readonly help: string;
  readonly unit: string;
}

/** By the family's name. */
export type MetricFamilies = ReadonlyMap<string, MetricMetadata>;

const types: ReadonlySet<string> = new Set<MetricMetadata["type"]>([
  "counter",
  "gauge",
  "histogram",
  "gaugehistogram",
  "summary",
  "info",
  "stateset",
]);

/** Maximum number of families; further ones are left out. */
export const maxFamilies = 100_000;
/** Maximum length of all texts that are kept; families beyond it are left out. */
const maxTextLength = 2 ** 25;
/** Families with a longer name are left out. */
export const maxNameLength = 1_024;
/** Help and unit are cut to this length. */
export const maxHelpLength = 4_096;
/**
 * Decodes the body of `/api/v1/metadata` (https://prometheus.io/docs/prometheus/latest/querying/api/) as it
 * arrives: `{"status":"success","data":{"up":[{"type":"gauge","help":"…","unit":""}]}}`. Takes the first
 * description of each family, and leaves out families without a known type.
 */
export class MetadataDecoder {
  readonly #previous: MetricFamilies;
  readonly #families = new Map<string, MetricMetadata>();
  #textLength = 0;
  #hasChanges = false;
  #hasData = false;
  readonly #scanner = new JsonScanner([
    { path: ["data", each, first], onValue: (value, keys) => this.#describe(keys[2], value) },
    {
      path: ["data"],
      onEnd: (isObject) => {
        this.#hasData ||= isObject;
      },
    },
  ]);

  /** @param previous of an earlier response: equal families are taken from it */
  constructor(previous: MetricFamilies = new Map()) {
    this.#previous = previous;
  }

  /** Whether the families so far differ from the previous ones. */
  get hasChanges(): boolean {
    return this.#hasChanges || this.#families.size !== this.#previous.size;
  }

  /** @returns false when the body is malformed */
  take(chunk: Buffer): boolean {
    return this.#scanner.take(chunk);
  }

  /** Call at the end of the body. */
  finish(): MetricFamilies | ReadFailure {
    if (!this.#scanner.isComplete) {
      return failure("malformed_answer", "the store's metadata is not JSON");
    }
    if (!this.#hasData) return failure("malformed_answer", "the store's metadata has no data");
    return this.#families;
  }

  #describe(family: unknown, description: unknown): void {
    if (typeof family !== "string" || family.length > maxNameLength) return;
    if (!isObject(description) || !types.has(String(description["type"]))) return;
    const help = keptText(description["help"]);
    const unit = keptText(description["unit"]);
    this.#textLength += family.length + help.length + unit.length;
    if (this.#textLength > maxTextLength) return;
    if (this.#families.size >= maxFamilies && !this.#families.has(family)) return;
    const type = String(description["type"]) as MetricMetadata["type"];
    const before = this.#previous.get(family);
    const isEqual = before?.type === type && before.help === help && before.unit === unit;
    if (!isEqual) this.#hasChanges = true;
    this.#families.set(family, isEqual ? before : { family, type, help, unit });
  }
}

/**
 * A short text of valid Unicode, as the encoders need it. A cut one gets memory of its own: a slice would
 * keep the whole text.
 */
function keptText(value: unknown): string {
  if (typeof value !== "string") return "";
  if (value.length <= maxHelpLength && !hasSurrogate.test(value)) return value;
  return Buffer.from(value.slice(0, maxHelpLength)).toString("utf8");
}

const hasSurrogate = /[\ud800-\udfff]/;
