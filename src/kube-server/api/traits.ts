import type { KindDefinition } from "./kind.ts";
import { type LabelRequirement, matchesLabels } from "./label-selector.ts";
import type { KubeObject } from "./object.ts";
import { type FieldRequirement, matchesFields } from "./selectors.ts";

/** What selectors see of an object. */
export interface Traits {
  readonly labels: Readonly<Record<string, string>>;
  /** Text of a selectable field; "" if the object does not have it. */
  field(name: string): string;
}

/** The requirements of `labelSelector` and `fieldSelector`; a match meets all of them. */
export interface Selector {
  readonly labels: readonly LabelRequirement[];
  readonly fields: readonly FieldRequirement[];
}

export function selects({ labels, fields }: Selector, traits: Traits): boolean {
  return matchesLabels(labels, traits.labels) && matchesFields(fields, (field) => traits.field(field));
}

export function selectsObject(selector: Selector, object: KubeObject, kind: KindDefinition): boolean {
  return selects(selector, traitsOf(object, kind));
}

export function traitsOf(object: KubeObject, kind: KindDefinition): Traits {
  const { metadata } = object;
  return {
    labels: metadata.labels ?? {},
    field(name) {
      if (name === "metadata.name") return metadata.name ?? "";
      if (name === "metadata.namespace") return metadata.namespace ?? "";
      return kind.selectableFields[name]?.(object) ?? "";
    },
  };
}
