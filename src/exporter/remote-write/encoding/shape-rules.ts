import { LabelBuilder } from "../../relabel/label-builder.ts";
import { type RelabelBounds, Relabelling, type RelabelResult } from "../../relabel/relabel.ts";
import type { RelabelRule } from "../../relabel/rule.ts";
import type { Label } from "../../series/series.ts";
import { sortedByName } from "./label-names.ts";

interface ShapeRulesOptions {
  readonly relabel?: readonly RelabelRule[] | undefined;
  readonly endpointRelabel?: readonly RelabelRule[] | undefined;
  readonly dropLabels: readonly string[];
  readonly externalLabels: readonly Label[];
  readonly tenantLabel?: string | undefined;
}

/**
 * The way of a series' labels through a shape with relabelling rules: the sink's rules, dropped labels,
 * external labels, the operator's rules. The operator comes last: a tenant cannot undo what the operator
 * sets. Rules never see the tenant label; it is taken off before and put on again.
 */
export class ShapeRules {
  readonly #options: ShapeRulesOptions;
  readonly #ofSink: Relabelling;
  readonly #ofEndpoint: Relabelling;

  constructor(options: ShapeRulesOptions) {
    this.#options = options;
    this.#ofSink = new Relabelling(options.relabel ?? []);
    this.#ofEndpoint = new Relabelling(options.endpointRelabel ?? []);
  }

  async prepare(): Promise<void> {
    await this.#ofSink.prepare();
    await this.#ofEndpoint.prepare();
  }

  /**
   * @param own the labels in the store
   * @returns the labels to send, sorted; a series without any label is dropped, as in Prometheus
   */
  apply(own: readonly Label[], bounds: RelabelBounds): readonly Label[] | Exclude<RelabelResult, "kept"> {
    const { dropLabels, externalLabels, tenantLabel } = this.#options;
    let tenant = own.find(({ name }) => name === tenantLabel);
    const labels = new LabelBuilder(
      sortedByName(own).filter(({ name }) => name !== tenantLabel),
      tenantLabel,
    );
    const ofSink = this.#ofSink.apply(labels, bounds);
    if (ofSink !== "kept") return ofSink;
    for (const name of dropLabels) {
      labels.delete(name);
      if (name === tenantLabel) tenant = undefined;
    }
    for (const external of externalLabels) {
      const { name, value } = external;
      if (name === tenantLabel) tenant ??= external;
      else if (labels.get(name) === "") labels.set(name, value);
    }
    const ofEndpoint = this.#ofEndpoint.apply(labels, bounds);
    if (ofEndpoint !== "kept") return ofEndpoint;
    if (labels.size === 0) return "dropped";
    return sortedByName(tenant === undefined ? labels.labels() : [...labels.labels(), tenant]);
  }
}
