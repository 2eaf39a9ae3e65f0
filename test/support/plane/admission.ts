import type { KindDefinition, ObjectReader } from "../../../src/kube-server/api/kind.ts";
import { apiVersionOf, isSameKind } from "../../../src/kube-server/api/kind.ts";
import {
  cloneJson,
  type Json,
  type JsonObject,
  type KubeObject,
} from "../../../src/kube-server/api/object.ts";
import { StatusError } from "../../../src/kube-server/api/status.ts";
import { admit } from "../../../src/kube-server/resources/admission.ts";

/** An object of a kind, in the namespace `default`. */
export function objectOf(kind: KindDefinition, name: string, fields: JsonObject): KubeObject {
  const { metadata, ...others } = fields;
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, namespace: "default", ...(metadata as JsonObject | undefined) },
    ...others,
  };
}

/** The object as the server completes it. @throws StatusError if it is invalid */
export function admitted(object: KubeObject, kind: KindDefinition, old?: KubeObject): KubeObject {
  const copy = cloneJson(object);
  admit(copy, old, kind);
  return copy;
}

/** The faults of an object, as `path: message`. */
export function faultsOf(object: KubeObject, kind: KindDefinition, old?: KubeObject): string[] {
  try {
    admitted(object, kind, old);
    return [];
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return (error.status.details?.causes ?? []).map(({ field, message }) => `${field}: ${message}`);
  }
}

/** A reader of some objects of some kinds. */
export function readerOf(...objects: readonly (readonly [KindDefinition, KubeObject])[]): ObjectReader {
  const of = (kind: KindDefinition) =>
    objects.flatMap(([each, object]) => (isSameKind(each, kind) ? [object] : []));
  const within = (kind: KindDefinition, namespace: string | undefined) =>
    of(kind).filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace);
  return {
    get: (kind, namespace, name) =>
      Promise.resolve(
        of(kind).find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
      ),
    async *each(kind, namespace) {
      yield* within(kind, namespace);
    },
    list: (kind, namespace) => Promise.resolve(within(kind, namespace)),
  };
}

/**
 * A copy with the value at a path replaced, or removed if it is undefined.
 *
 * @param path `spec.ports[0].name`
 */
export function changed<T extends Json>(object: T, path: string, value: Json | undefined): T {
  const copy = cloneJson(object);
  const steps = path.split(/[.[\]]+/).filter((step) => step !== "");
  const last = steps.pop() ?? "";
  // biome-ignore lint/suspicious/noExplicitAny: any path
  const parent = steps.reduce((each: any, step) => (each[step] ??= {}), copy);
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
