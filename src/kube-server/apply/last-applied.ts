import { identityText, isJsonObject, type Json, type KubeObject } from "../api/object.ts";
import type { Schema } from "../api/schema.ts";
import { difference, emptySet, type FieldSet, unionOf } from "./field-set.ts";
import type { Writer } from "./managers.ts";
import { compareFields, fieldsOf } from "./typed-value.ts";

/** Annotation in which client-side `kubectl apply` stores the applied configuration. */
export const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";
/** The only manager that takes over the fields of client-side apply and updates its annotation. */
const kubectlManager = "kubectl";

/**
 * Fields that client-side apply set last and that are unchanged since: server-side apply by kubectl may
 * change them although another manager owns them.
 */
export function lastAppliedFields(live: KubeObject, writer: Writer, schema: Schema): FieldSet {
  if (writer.manager !== kubectlManager || writer.operation !== "Apply") return emptySet;
  const last = parsedObject(live.metadata.annotations?.[lastAppliedAnnotation]);
  if (last?.["apiVersion"] !== live.apiVersion) return emptySet;
  const { changed, removed } = compareFields(last, live, schema);
  return difference(fieldsOf(last, schema), unionOf([changed, removed]));
}

function parsedObject(text: unknown): { [field: string]: Json } | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Annotations updated with the configuration that kubectl's server-side apply just applied, so that a later
 * client-side apply starts from it. Only if the annotation exists, and as long as it fits.
 *
 * @param maxBytes limit for all annotations together
 */
export function renewedAnnotations(
  object: KubeObject,
  configuration: KubeObject,
  manager: string,
  maxBytes: number,
): { [key: string]: string } | undefined {
  const { annotations } = object.metadata;
  if (manager !== kubectlManager || (annotations?.[lastAppliedAnnotation] ?? "") === "") return annotations;
  const { [lastAppliedAnnotation]: _, ...others } = annotations ?? {};
  const { annotations: given, ...metadata } = configuration.metadata;
  const { [lastAppliedAnnotation]: __, ...kept } = given ?? {};
  const applied = {
    ...configuration,
    metadata: given === undefined ? metadata : { ...metadata, annotations: kept },
  };
  const renewed = { ...others, [lastAppliedAnnotation]: `${identityText(applied)}\n` };
  return annotationBytes(renewed) > maxBytes ? others : renewed;
}

function annotationBytes(annotations: { readonly [key: string]: string }): number {
  return Object.entries(annotations).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}
