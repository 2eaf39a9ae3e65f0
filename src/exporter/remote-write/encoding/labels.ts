import { hash } from "node:crypto";
import { spendTurn } from "../../../base/core/turn-work.ts";
import type { RelabelResult } from "../../relabel/relabel.ts";
import type { RelabelRule } from "../../relabel/rule.ts";
import { LabelBlocks } from "../../series/label-blocks.ts";
import { legalizeLabelName } from "../../series/label-name.ts";
import type { EncodedSeries, Label, LabelsHash, Relabelled, Series } from "../../series/series.ts";
import { SeriesHashTable } from "../../series/series-hash-table.ts";
import {
  compareNames,
  hasLoneSurrogate,
  legalLabels,
  metricNameLabel,
  type Names,
  sortedByName,
} from "./label-names.ts";
import { encodeLabels } from "./labels-field.ts";
import { ShapeRules } from "./shape-rules.ts";

export type Protocol = "1.0" | "2.0";

/** The changes made to the labels of every series sent to an endpoint. */
export interface LabelShape {
  /**
   * Added where the series has no label of that name: a series' own label wins, as in Prometheus. Dropped
   * labels are removed first, so that a label in both lists has its value replaced.
   */
  readonly externalLabels: Readonly<Record<string, string>>;
  readonly dropLabels: readonly string[];
  /**
   * `metrics.tenantLabel`, for exports of a tenant: a series with another label whose name becomes this one
   * once it is made legal is rejected, whatever {@link names} are: a receiver may make names legal itself.
   */
  readonly tenantLabel?: string | undefined;
  /** 2.0 needs the labels one by one, and has histograms that 1.0 does not have. */
  readonly protocol: Protocol;
  /** Absent: `utf8`. */
  readonly names?: Names;
  /** The sink's rules, applied to the labels in the store, without the tenant label. */
  readonly relabel?: readonly RelabelRule[] | undefined;
  /** The operator's rules, applied after the external labels, without the tenant label. */
  readonly endpointRelabel?: readonly RelabelRule[] | undefined;
}

export type InvalidReason =
  | "too_many_labels"
  | "label_too_long"
  | "labels_too_large"
  | "invalid_utf8"
  | "no_name"
  | "empty_label_name"
  | "name_collision"
  | "tenant_label"
  | "custom_buckets"
  | "relabel_cost";

/** An invalid series, or some of its samples: no request may carry them; the rest of the window is sent. */
export interface InvalidSeries {
  readonly kind: "invalid";
  readonly reason: InvalidReason;
  readonly message: string;
}

/** A series that is not sent, since a relabelling rule drops it: a choice, not a loss. */
export interface DroppedSeries {
  readonly kind: "dropped";
  readonly reason: "relabel";
  readonly message: string;
}

const droppedSeries: DroppedSeries = {
  kind: "dropped",
  reason: "relabel",
  message: "a relabelling rule drops the series",
};

/** A series with more labels is a fault of its source, and any receiver would reject or truncate it. */
export const maxLabels = 1_000;
export const maxLabelBytes = 65_536;
/** Limit for all names and values together; it also limits the memory used for encoding. */
const maxLabelsBytes = 1_048_576;
/** Hashes that a shape remembers (25 MB); beyond, the series of each window are compared. */
const maxSent = 2 ** 20;
const maxIdentity = 2 ** 32 - 1;
const maxima = { maxLabels, maxLength: maxLabelBytes };

/** What a series is to an endpoint. */
export type SeriesForm = EncodedSeries | InvalidSeries | DroppedSeries;

/**
 * Encodes series in the wire format of one label shape. Each series is encoded once: the result is stored in
 * it as its form `formIndex`, for all sinks of this shape.
 */
export class SeriesEncoder {
  readonly shape: LabelShape;
  readonly formIndex: number;
  readonly #external: readonly Label[];
  readonly #dropped: ReadonlySet<string>;
  readonly #rules: ShapeRules | undefined;
  readonly #blocks = new LabelBlocks();
  #mayCollide = false;
  /** Of the labels as sent, a part of their series' identity; only with rules. */
  #sent = new SeriesHashTable();

  constructor(shape: LabelShape, formIndex: number) {
    this.shape = shape;
    this.formIndex = formIndex;
    const external = Object.entries(shape.externalLabels).filter(([, value]) => value !== "");
    this.#external = external.map(([name, value]) => ({ name, value }));
    this.#dropped = new Set(shape.dropLabels);
    const hasRules = shape.relabel !== undefined || shape.endpointRelabel !== undefined;
    if (hasRules) this.#rules = new ShapeRules({ ...shape, externalLabels: this.#external });
  }

  /**
   * True once two series may have received equal labels: a name was made legal, a label was dropped, or a
   * series had an external label with that very value itself. With rules, which change every series, only
   * once two have. Until then collisions need not be checked.
   */
  get mayCollide(): boolean {
    return this.#mayCollide;
  }

  get hasRules(): boolean {
    return this.#rules !== undefined;
  }

  /** Call it before the first series: what rules need is made then, in several turns of the event loop. */
  async prepare(): Promise<void> {
    await this.#rules?.prepare();
  }

  encode(series: Series): SeriesForm {
    const known = series.form(this.formIndex);
    // The registry assigned this index to this shape, so only this class writes at it.
    if (known !== undefined) return known as SeriesForm;
    const startMs = performance.now();
    const form = this.#encodeAnew(series);
    if (this.hasRules && form.kind === "series") this.#noteSent(form);
    spendTurn(performance.now() - startMs);
    series.keepForm(this.formIndex, form);
    return form;
  }

  /** Finds out whether two series have become equal: comparing those of each window costs as much as a sample. */
  #noteSent(form: EncodedSeries): void {
    if (this.#mayCollide) return;
    const { hashHigh, hashLow } = sentHash(form);
    const identity = (form.hashLow >>> 0) % maxIdentity;
    const present = this.#sent.add(hashHigh, hashLow, identity);
    if ((present === undefined || present === identity) && this.#sent.size <= maxSent) return;
    this.#mayCollide = true;
    this.#sent = new SeriesHashTable();
  }

  #encodeAnew(series: Series): SeriesForm {
    if (!series.isUtf8)
      return invalidSeries("invalid_utf8", "a label of the series is not valid UTF-8 in the store");
    const forged = this.#findForgery(series.labels);
    if (forged !== undefined) return forged;
    const labels = this.#rules?.apply(series.labels, maxima) ?? this.#finalLabels(series.labels);
    if (typeof labels === "string") return unsent(labels);
    const sent = this.shape.names === "legacy" ? legalLabels(labels) : labels;
    const fault = findFault(sent);
    if (fault !== undefined) return fault;
    const block = encodeLabels(sent);
    if (block === undefined)
      return invalidSeries("invalid_utf8", `a label of the series is not valid UTF-8: ${badNames(sent)}`);
    const sentHash = hashOf(block);
    const sentLabels = this.shape.protocol === "1.0" ? undefined : sent;
    const plainBlock = sent === labels ? block : encodeLabels(labels);
    const relabelled = this.#rules && plainBlock && this.#relabelled(series.labels, plainBlock);
    if (sent !== labels && plainBlock !== undefined) {
      if (!this.hasRules) this.#mayCollide = true;
      const own = relabelled?.own ?? hashOf(plainBlock);
      const place = this.#blocks.place(block);
      return { kind: "series", ...place, ...own, renamed: sentHash, ...relabelled?.field, sentLabels };
    }
    const { hashHigh, hashLow } = relabelled?.own ?? sentHash;
    const field = relabelled?.field;
    if (this.shape.protocol === "1.0" && !series.isEncoded)
      return series.keepEncoded(block, hashHigh, hashLow, field?.relabelled);
    return { kind: "series", ...this.#blocks.place(block), hashHigh, hashLow, ...field, sentLabels };
  }

  /** @returns undefined when the rules have changed nothing */
  #relabelled(
    labels: readonly Label[],
    block: Buffer,
  ): { readonly own: LabelsHash; readonly field: { readonly relabelled: Relabelled } } | undefined {
    const ownBlock = encodeLabels(sortedByName(labels.filter(({ value }) => value !== "")));
    if (ownBlock === undefined || ownBlock.equals(block)) return undefined;
    const storeName = labels.find(({ name }) => name === metricNameLabel)?.value ?? "";
    return { own: hashOf(ownBlock), field: { relabelled: { ...hashOf(block), storeName } } };
  }

  /**
   * @param own as the store returned them: a label dropped or added by the shape must not hide the forged one
   */
  #findForgery(own: readonly Label[]): InvalidSeries | undefined {
    const { tenantLabel } = this.shape;
    if (tenantLabel === undefined) return undefined;
    const forged = own.find(({ name }) => name !== tenantLabel && legalizeLabelName(name) === tenantLabel);
    if (forged === undefined) return undefined;
    return invalidSeries(
      "tenant_label",
      `label ${quote(forged.name)} of the series would become ${tenantLabel}, the label that distinguishes projects`,
    );
  }

  #finalLabels(own: readonly Label[]): readonly Label[] {
    let labels: readonly Label[] = own;
    if (this.#dropped.size > 0 || labels.some((label) => label.value === "")) {
      labels = own.filter((label) => label.value !== "" && !this.#dropped.has(label.name));
      if (labels.length < own.length) this.#mayCollide = true;
    }
    for (const external of this.#external) {
      const present = labels.find((label) => label.name === external.name);
      if (present === undefined) labels = [...labels, external];
      else if (present.value === external.value) this.#mayCollide = true;
    }
    return sortedByName(labels);
  }
}

/** Of the labels as they are sent. */
export function sentHash(form: EncodedSeries): LabelsHash {
  return form.renamed ?? form.relabelled ?? form;
}

function hashOf(block: Buffer): LabelsHash {
  const digest = hash("sha256", block, "buffer");
  return { hashHigh: digest.readInt32LE(0), hashLow: digest.readInt32LE(4) };
}

/** Of the shapes with these rules; they end with the rules. */
const encoders = new WeakMap<object, Map<string, SeriesEncoder>>();
const withoutRules: readonly RelabelRule[] = [];
const ruleIds = new WeakMap<object, number>();
let nextId = 0;

/**
 * The encoder of a shape. There is one for the whole process, so that sinks of equal shape share encoded
 * labels. Shapes without rules come from the operator's configuration, so there are few; an unused one is
 * never released. Lists of rules are compared by identity: a policy keeps its list until it is edited.
 */
export function seriesEncoderFor(shape: LabelShape): SeriesEncoder {
  const external = Object.entries(shape.externalLabels).sort(([a], [b]) => compareNames(a, b));
  const dropped = [...new Set(shape.dropLabels)].sort();
  const { protocol, names = "utf8", tenantLabel = "", relabel, endpointRelabel } = shape;
  const key = JSON.stringify([protocol, names, external, dropped, tenantLabel, idOf(endpointRelabel)]);
  const rules = relabel ?? endpointRelabel ?? withoutRules;
  let ofRules = encoders.get(rules);
  if (ofRules === undefined) {
    ofRules = new Map();
    encoders.set(rules, ofRules);
  }
  let encoder = ofRules.get(key);
  if (encoder === undefined) {
    encoder = new SeriesEncoder(shape, nextId++);
    ofRules.set(key, encoder);
  }
  return encoder;
}

function idOf(rules: readonly RelabelRule[] | undefined): number {
  if (rules === undefined) return -1;
  const id = ruleIds.get(rules) ?? nextId++;
  ruleIds.set(rules, id);
  return id;
}

/** Why rules leave nothing to send. */
function unsent(result: Exclude<RelabelResult, "kept">): DroppedSeries | InvalidSeries {
  switch (result) {
    case "dropped":
      return droppedSeries;
    case "too_long":
      return invalidSeries(
        "label_too_long",
        `relabelling gives the series a label of more than ${maxLabelBytes} characters`,
      );
    case "too_many":
      return invalidSeries("too_many_labels", `relabelling gives the series more than ${maxLabels} labels`);
    case "too_costly":
      return invalidSeries(
        "relabel_cost",
        "the labels of the series are too long for the relabelling rules; use shorter regular expressions",
      );
  }
}

/** @param labels sorted, so that equal names are neighbours */
function findFault(labels: readonly Label[]): InvalidSeries | undefined {
  if (labels.length > maxLabels) {
    return invalidSeries("too_many_labels", `the series has ${labels.length} labels, more than ${maxLabels}`);
  }
  let hasName = false;
  let total = 0;
  let before: string | undefined;
  for (const { name, value } of labels) {
    if (name === "") return invalidSeries("empty_label_name", "a label of the series has an empty name");
    if (name === before) {
      return invalidSeries(
        "name_collision",
        `two labels of the series have the same name once made legal: ${quote(name)}`,
      );
    }
    if (name.length > maxLabelBytes || value.length > maxLabelBytes) {
      const length = Math.max(name.length, value.length);
      return invalidSeries(
        "label_too_long",
        `label ${quote(name)} has ${length} characters, more than ${maxLabelBytes}`,
      );
    }
    if (name === metricNameLabel) hasName = true;
    total += name.length + value.length;
    before = name;
  }
  if (total > maxLabelsBytes) {
    return invalidSeries(
      "labels_too_large",
      `the labels of the series have ${total} characters, more than ${maxLabelsBytes}`,
    );
  }
  return hasName ? undefined : invalidSeries("no_name", "the series has no metric name");
}

function invalidSeries(reason: InvalidReason, message: string): InvalidSeries {
  return { kind: "invalid", reason, message };
}

function badNames(labels: readonly Label[]): string {
  const bad = labels.filter(({ name, value }) => hasLoneSurrogate(name) || hasLoneSurrogate(value));
  return bad.map(({ name }) => quote(name)).join(", ");
}

function quote(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}
