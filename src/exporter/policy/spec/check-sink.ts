import { defined } from "../../../base/core/defined.ts";
import { suggestion } from "../../../base/documents/closest.ts";
import { checkSchema, show } from "../../../base/documents/schema-issue.ts";
import { type DocumentPath, isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { tenantLabelFault } from "../../relabel/check-rule.ts";
import type { RelabelRule } from "../../relabel/rule.ts";
import { authenticationSpec } from "./authentication.ts";
import { nameOf, type SourceCheck } from "./check-source.ts";
import { choiceFaults, withoutMissingChoices } from "./choice.ts";
import { asErrors, type DocumentFault, errorAt } from "./document-fault.ts";
import { headerValues } from "./headers.ts";
import { sinkSchema } from "./schema.ts";
import type { PolicySink } from "./types.ts";

/** One checked sink. */
interface SinkCheck {
  readonly name: string;
  readonly value: PolicySink | undefined;
  readonly faults: DocumentFault[];
  /** Faults in its list of sources. */
  readonly listFaults: readonly DocumentFault[];
  /** Faults of the sources it names; they belong to those sources. */
  readonly namedFaults: readonly DocumentFault[];
}

export function checkSink(
  raw: unknown,
  path: DocumentPath,
  rawSources: readonly unknown[],
  sources: readonly SourceCheck[],
  tenantLabel?: string,
): SinkCheck {
  const name = nameOf(raw, path);
  const checked = checkSchema(sinkSchema, raw, path);
  const issues = asErrors(checked.issues);
  const ofList = (fault: DocumentFault) => fault.path[path.length] === "sources";
  const named = valueAt(raw, ["sources"]);
  const namedList = Array.isArray(named) ? named : [];
  const listFaults = [
    ...issues.filter(ofList),
    ...checkReferences(namedList, [...path, "sources"], rawSources),
  ];
  const namedFaults = sources
    .filter((source) => namedList.includes(source.name))
    .flatMap((source) => source.faults);
  const distinct = withoutMissingChoices([
    ...issues.filter((fault) => !ofList(fault)),
    ...choiceFaults(raw, path, [["target"], ["target", "prometheusRemoteWrite", "authentication"]]),
  ]);
  if (checked.issues !== undefined)
    return { name, value: undefined, faults: distinct, listFaults, namedFaults };
  const remoteWrite = checked.value.target.prometheusRemoteWrite;
  const value: PolicySink = {
    name,
    sources: checked.value.sources,
    endpoint: remoteWrite.endpoint,
    ...defined({
      authentication: authenticationSpec(remoteWrite.authentication),
      headers: headerValues(remoteWrite.headers),
      compression: remoteWrite.compression,
    }),
    batch: {
      timeoutMs: remoteWrite.batch.timeout,
      maxSize: remoteWrite.batch.maxSize,
      maxBytes: remoteWrite.batch.maxBytes,
    },
    retry: {
      maxAttempts: remoteWrite.retry.maxAttempts,
      backoffMs: remoteWrite.retry.backoffDuration,
      ...defined({
        onExhausted: remoteWrite.retry.onExhausted,
        maxBackfillMs: remoteWrite.retry.maxBackfill,
        order: remoteWrite.retry.order,
        retryOn429: remoteWrite.retry.retryOn429,
      }),
    },
    ...defined({ relabel: remoteWrite.relabel }),
  };
  const forgeries = relabelForgeries(remoteWrite.relabel ?? [], path, tenantLabel);
  return { name, value, faults: [...distinct, ...forgeries], listFaults, namedFaults };
}

function relabelForgeries(
  rules: readonly RelabelRule[],
  path: DocumentPath,
  tenantLabel: string | undefined,
): DocumentFault[] {
  if (tenantLabel === undefined) return [];
  return rules.flatMap((rule, index) => {
    const fault = tenantLabelFault(rule, tenantLabel);
    if (fault === undefined) return [];
    const [field, message] = fault;
    const place = [...path, "target", "prometheusRemoteWrite", "relabel", index, field];
    return [errorAt(place, "FieldValueForbidden", message)];
  });
}

function checkReferences(
  named: readonly unknown[],
  path: DocumentPath,
  rawSources: readonly unknown[],
): DocumentFault[] {
  const known = rawSources.flatMap((source) =>
    isObject(source) && typeof source["name"] === "string" ? [source["name"]] : [],
  );
  const seen = new Set<string>();
  return named.flatMap((name, index) => {
    if (typeof name !== "string") return [];
    if (seen.has(name))
      return [
        errorAt([...path, index], "FieldValueDuplicate", `names ${show(name)} a second time; keep one`),
      ];
    seen.add(name);
    // Without a usable list of sources, an unknown name is not a fault of its own.
    if (known.includes(name) || rawSources.length === 0) return [];
    const message = `names ${show(name)}, which is none of spec.sources${suggestion(name, known)}`;
    return [errorAt([...path, index], "FieldValueNotFound", message)];
  });
}
