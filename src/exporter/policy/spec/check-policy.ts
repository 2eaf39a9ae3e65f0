import { knownInstead, suggestion } from "../../../base/documents/closest.ts";
import { schemaAt, unknownKeys } from "../../../base/documents/json-schema.ts";
import { checkSchema, show } from "../../../base/documents/schema-issue.ts";
import { type DocumentPath, isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { checkSink } from "./check-sink.ts";
import { checkSource, isSelectorName } from "./check-source.ts";
import { choices } from "./choice.ts";
import { asErrors, type DocumentFault, errorAt } from "./document-fault.ts";
import { relabelSizeFaults, withoutRelabel } from "./relabel-size.ts";
import { metadataSchema, specJsonSchema } from "./schema.ts";
import { policyLimits } from "./schema-fields.ts";
import type { ExportPolicy, PolicyRef, PolicySink, PolicySource } from "./types.ts";

/** A checked ExportPolicy: its runnable parts and all of its faults. */
export interface CheckedPolicy {
  readonly ref: PolicyRef;
  readonly generation: number;
  /** The valid parts; absent when nothing can run. */
  readonly policy: ExportPolicy | undefined;
  /** See {@link ExportPolicy.paused}; also of a policy that cannot run. */
  readonly paused: ExportPolicy["paused"];
  /** Every sink of the spec, in spec order. */
  readonly sinks: readonly CheckedSink[];
  /** All faults, including those of the sinks. */
  readonly faults: readonly DocumentFault[];
  /** Each sink's checkpoint (Unix ms) from the policy's status; a directory's manifests cannot set it. */
  readonly reported: ReadonlyMap<string, number>;
}

/** A sink, checked once for everybody who asks: admission, `validate`, the plan, the conditions. */
export interface CheckedSink {
  /** As written, or `sinks[2]` where the name is not text. */
  readonly name: string;
  /** Errors in the sink's own fields. */
  readonly faults: readonly DocumentFault[];
  /** Errors in its list of sources, and in the sources it names. */
  readonly sourceFaults: readonly DocumentFault[];
  /** Undefined when it has a fault of either kind. */
  readonly sink: PolicySink | undefined;
}

export interface PolicyCheckOptions {
  /** Control plane of origin: "directory", or a project. */
  readonly plane: string;
  /** An error in `validate` and admission; a warning at run time, so that a newer policy still runs. */
  readonly unknownFields: "error" | "warning";
  /** Replaces the metadata's: a directory has neither. */
  readonly identity?: { readonly uid: string; readonly generation: number };
  /** The label forced on the queries of the plane's project, if any; its policies must not name it. */
  readonly tenantLabel?: string | undefined;
}

/** Whether nothing of the policy is left out. */
export function isWhole({ policy, sinks }: CheckedPolicy): boolean {
  return policy !== undefined && sinks.every(({ sink }) => sink !== undefined);
}

/** Shared by all policies that have none of these, as most do, to save memory (bench/small-policies.ts). */
const nothing = { faults: [], paused: new Set<string>(), reported: new Map<string, number>() } as const;

const apiVersionPattern = /^telemetry\.([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)\/v1alpha1$/;

/**
 * Checks one ExportPolicy (plain JSON) and extracts its valid parts. Never throws.
 *
 * @returns every fault, and the policy, which is absent when it cannot be identified
 */
export function checkExportPolicy(
  document: Readonly<Record<string, unknown>>,
  options: PolicyCheckOptions,
): { checked: CheckedPolicy | undefined; faults: readonly DocumentFault[] } {
  const json = withoutNulls(document) as Record<string, unknown>;
  const envelope = checkEnvelope(json, options);
  const spec = checkSpec(json["spec"], options);
  const paused = pausedSinks(json, envelope.groupDomain, spec.sinks);
  const faults = orNothing([...envelope.faults, ...spec.faults, ...paused.faults]);
  if (envelope.ref === undefined) return { checked: undefined, faults };
  const { ref, generation } = envelope;
  const runs = spec.usable && !envelope.faults.some((fault) => fault.severity === "error");
  const policy: ExportPolicy | undefined = runs
    ? { ref, generation, sources: spec.goodSources, sinks: goodSinks(spec.sinks), paused: paused.paused }
    : undefined;
  const reported = options.identity === undefined ? reportedCheckpoints(json["status"]) : nothing.reported;
  const checked = { ref, generation, policy, paused: paused.paused, sinks: spec.sinks, faults, reported };
  return { checked, faults };
}

function reportedCheckpoints(status: unknown): Map<string, number> {
  const reported = new Map<string, number>();
  const sinks = isObject(status) ? status["sinks"] : undefined;
  for (const sink of Array.isArray(sinks) ? sinks : []) {
    const { name, checkpoint } = isObject(sink) ? sink : {};
    const ms = Date.parse(String(checkpoint));
    if (typeof name === "string" && !Number.isNaN(ms)) reported.set(name, ms);
  }
  return reported;
}

interface Envelope {
  readonly ref: PolicyRef | undefined;
  readonly generation: number;
  readonly groupDomain: string;
  readonly faults: DocumentFault[];
}

function checkEnvelope(json: Record<string, unknown>, options: PolicyCheckOptions): Envelope {
  const faults: DocumentFault[] = [];
  const version = typeof json["apiVersion"] === "string" ? apiVersionPattern.exec(json["apiVersion"]) : null;
  if (version === null) {
    const message = `must be telemetry.<groupDomain>/v1alpha1, not ${show(json["apiVersion"])}`;
    faults.push({ severity: "error", path: ["apiVersion"], reason: "FieldValueNotSupported", message });
  }
  const metadata = checkSchema(metadataSchema, json["metadata"], ["metadata"]);
  faults.push(...asErrors(metadata.issues));
  for (const key of Object.keys(json)) {
    if (["apiVersion", "kind", "metadata", "spec", "status"].includes(key)) continue;
    const message = `is not a field${knownInstead(key, ["metadata", "spec", "status"])}`;
    faults.push({
      severity: options.unknownFields,
      path: [key],
      reason: "FieldValueInvalid",
      message,
      atName: true,
    });
  }
  const groupDomain = version?.[1] ?? "";
  if (metadata.issues !== undefined) return { ref: undefined, generation: 1, groupDomain, faults };
  const { name, namespace, uid, generation } = metadata.value;
  const identity = options.identity ?? { uid: uid ?? "-", generation: generation ?? 1 };
  const ref = { plane: options.plane, namespace, name, uid: identity.uid };
  return { ref, generation: identity.generation, groupDomain, faults };
}

interface CheckedSpec {
  readonly usable: boolean;
  readonly sinks: readonly CheckedSink[];
  readonly goodSources: readonly PolicySource[];
  readonly faults: DocumentFault[];
}

function checkSpec(spec: unknown, { unknownFields, tenantLabel }: PolicyCheckOptions): CheckedSpec {
  const faults: DocumentFault[] = [];
  if (!isObject(spec)) {
    const reason = spec === undefined ? "FieldValueRequired" : "FieldValueTypeInvalid";
    const message = spec === undefined ? "is required" : `must be an object, not ${show(spec)}`;
    faults.push(errorAt(["spec"], reason, message));
    return { usable: false, sinks: [], goodSources: [], faults };
  }
  const rawSources = checkList(spec["sources"], ["spec", "sources"], policyLimits.sources, faults);
  const wholeSinks = checkList(spec["sinks"], ["spec", "sinks"], policyLimits.sinks, faults);
  const tooLarge = relabelSizeFaults(wholeSinks);
  const rawSinks = wholeSinks.map((raw, index) => (tooLarge.has(index) ? withoutRelabel(raw) : raw));
  const usable = faults.length === 0;
  faults.push(...unknownFieldFaults(tooLarge.size > 0 ? { ...spec, sinks: rawSinks } : spec, unknownFields));

  const sources = rawSources.map((raw, index) => checkSource(raw, ["spec", "sources", index], tenantLabel));
  markDuplicates(rawSources, "sources", sources);
  const sinks = rawSinks.map((raw, index) => {
    const fault = tooLarge.get(index);
    const sink = checkSink(raw, ["spec", "sinks", index], rawSources, sources, tenantLabel);
    if (fault !== undefined) sink.faults.push(fault);
    return sink;
  });
  markDuplicates(rawSinks, "sinks", sinks);
  faults.push(...sources.flatMap((source) => source.faults));
  faults.push(...sinks.flatMap((sink) => [...sink.faults, ...sink.listFaults]));
  return {
    usable,
    sinks: sinks.map(({ name, value, faults: own, listFaults, namedFaults }) => {
      const sourceFaults = orNothing([...listFaults, ...namedFaults]);
      const sink = own.length + sourceFaults.length === 0 ? value : undefined;
      return { name, faults: orNothing(own), sourceFaults, sink };
    }),
    goodSources: kept(
      sources.flatMap((source) =>
        source.value !== undefined && source.faults.length === 0 ? [source.value] : [],
      ),
    ),
    faults: faults.map(withMeaning),
  };
}

function goodSinks(sinks: readonly CheckedSink[]): readonly PolicySink[] {
  return kept(sinks.flatMap(({ sink }) => sink ?? []));
}

/** Copies a list at its exact length: a list that was appended to keeps spare capacity. */
function kept<T>(list: readonly T[]): readonly T[] {
  return list.slice();
}

function orNothing(faults: readonly DocumentFault[]): readonly DocumentFault[] {
  return faults.length === 0 ? nothing.faults : faults;
}

/** Explains a missing field by its description. */
function withMeaning(fault: DocumentFault): DocumentFault {
  const about = schemaAt(specJsonSchema, fault.path.slice(1))?.description;
  const explained = fault.message === "is required" && about !== undefined;
  return explained ? { ...fault, message: `is required: ${about}` } : fault;
}

function checkList(
  value: unknown,
  path: DocumentPath,
  max: number,
  faults: DocumentFault[],
): readonly unknown[] {
  if (value === undefined) faults.push(errorAt(path, "FieldValueRequired", "is required"));
  else if (!Array.isArray(value)) {
    faults.push(errorAt(path, "FieldValueTypeInvalid", `must be a list, not ${show(value)}`));
  } else if (value.length === 0)
    faults.push(errorAt(path, "FieldValueRequired", "must have at least 1 item"));
  else if (value.length > max) {
    faults.push(errorAt(path, "FieldValueTooMany", `must have at most ${max} items, not ${value.length}`));
  } else return value;
  return [];
}

function unknownFieldFaults(spec: Record<string, unknown>, severity: "error" | "warning"): DocumentFault[] {
  return unknownKeys(spec, specJsonSchema, ["spec"]).flatMap(({ path, key, known }): DocumentFault[] => {
    const parent = String(path.at(-2));
    const reported = parent in choices || (path[1] === "sources" && isSelectorName(key));
    if (reported) return [];
    const message = `is not a field${knownInstead(key, known)}`;
    return [{ severity, path, reason: "FieldValueInvalid", message, atName: true }];
  });
}

/**
 * Adds a fault to every item that repeats an earlier item's name, and to the users of the earlier one, since
 * the name is ambiguous.
 */
function markDuplicates(
  raw: readonly unknown[],
  list: string,
  checks: readonly { name: string; faults: DocumentFault[] }[],
): void {
  const first = new Map<string, number>();
  for (const [index, check] of checks.entries()) {
    const item = raw[index];
    if (!isObject(item) || typeof item["name"] !== "string" || item["name"] === "") continue;
    const earlier = first.get(check.name);
    if (earlier === undefined) first.set(check.name, index);
    else {
      const message = `is the name of spec.${list}[${earlier}] too; each needs its own`;
      check.faults.push(errorAt(["spec", list, index, "name"], "FieldValueDuplicate", message));
    }
  }
}

function pausedSinks(
  json: Record<string, unknown>,
  groupDomain: string,
  sinks: readonly CheckedSink[],
): { paused: ExportPolicy["paused"]; faults: DocumentFault[] } {
  const annotation = `telemetry.${groupDomain}/paused`;
  const path: DocumentPath = ["metadata", "annotations", annotation];
  const text = valueAt(json, path);
  if (typeof text !== "string") return { paused: nothing.paused, faults: [] };
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "false");
  if (names.includes("true")) return { paused: "all", faults: [] };
  const known = sinks.map((sink) => sink.name);
  const faults = names
    .filter((name) => !known.includes(name))
    .map((name): DocumentFault => {
      const message = `names ${show(name)}, which is no sink${suggestion(name, known)}; "true" pauses them all`;
      return { severity: "warning", path, reason: "FieldValueNotFound", message };
    });
  return { paused: new Set(names), faults };
}

/** Kubernetes treats null as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}
