import type { Fault } from "../../../base/core/fault.ts";
import { isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { type Overlap, overlapOf } from "../../metricsql/analysis/overlap.ts";
import { rangeRemarks } from "../../metricsql/analysis/range-remarks.ts";
import { warnings } from "../../metricsql/analysis/warnings.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { caret } from "../../metricsql/parse/syntax-error.ts";
import { secretsOf } from "../spec/credentials.ts";
import type { DocumentFault } from "../spec/document-fault.ts";
import type { CheckedManifest } from "../spec/manifest.ts";
import type { ExportPolicy } from "../spec/types.ts";
import { type Candidate, duplicateFault, objectKey } from "./directory-contents.ts";

/**
 * Checks manifests against each other, and warns of valid settings that are probably unintended.
 *
 * @param areSecretsElsewhere whether Secrets may be in other places than these manifests
 */
export function checkTogether(
  manifests: readonly CheckedManifest[],
  { areSecretsElsewhere = false } = {},
): Fault[] {
  return [
    ...duplicates(manifests),
    ...(areSecretsElsewhere ? [] : missingSecrets(manifests)),
    ...overlaps(manifests),
    ...costs(manifests),
  ];
}

function duplicates(manifests: readonly CheckedManifest[]): Fault[] {
  const first = new Map<string, Candidate>();
  const faults: Fault[] = [];
  for (const manifest of manifests) {
    for (const item of [...manifest.policies, ...manifest.secrets]) {
      const key = objectKey(item.object.kind, "secret" in item ? item.secret : item.checked.ref);
      const earlier = first.get(key);
      const candidate: Candidate = { key, item: item.object };
      if (earlier === undefined) first.set(key, candidate);
      else faults.push(duplicateFault(candidate, earlier));
    }
  }
  return faults;
}

function missingSecrets(manifests: readonly CheckedManifest[]): Fault[] {
  const known = new Set(
    manifests.flatMap((manifest) =>
      manifest.secrets.map(({ secret }) => `${secret.namespace}/${secret.name}`),
    ),
  );
  return manifests.flatMap((manifest) =>
    manifest.policies.flatMap(({ checked, object }) =>
      (checked.policy?.sinks ?? []).flatMap((sink) =>
        secretsOf(sink).flatMap(({ name, path }) => {
          if (known.has(`${checked.ref.namespace}/${name}`)) return [];
          const place = ["target", "prometheusRemoteWrite", ...path];
          const message = `names the Secret "${name}", which is not in the files given; it must be in namespace ${checked.ref.namespace}`;
          return [
            object.place.locate(sinkWarning(checked.sinks, sink.name, place, "FieldValueNotFound", message)),
          ];
        }),
      ),
    ),
  );
}

/** Warnings about expressions that are costly for a store, or that behave differently than in a graph. */
function costs(manifests: readonly CheckedManifest[]): Fault[] {
  return manifests.flatMap((manifest) =>
    manifest.policies.flatMap(({ checked, object }) =>
      (checked.policy?.sources ?? []).flatMap(({ name, metricsql }) => {
        const expr = parse(metricsql);
        // Selecting all of a job's metrics is the purpose of raw export; in an expression it is mostly an
        // oversight.
        const nameless = expr.type !== "selector";
        const remarks = [...warnings(expr, { nameless }), ...rangeRemarks(expr)];
        const path = ["spec", "sources", sourceIndex(object.json, name), "metrics", "metricsql"];
        return remarks.map(({ message, pos }) =>
          object.place.locate({
            severity: "warning",
            path,
            reason: "FieldValueInvalid",
            message,
            excerpt: caret(metricsql, { message: "", offset: pos }).trimEnd(),
          }),
        );
      }),
    ),
  );
}

function sourceIndex(json: Readonly<Record<string, unknown>>, name: string): number {
  const sources = valueAt(json, ["spec", "sources"]);
  if (!Array.isArray(sources)) return 0;
  return sources.findIndex((source: unknown) => isObject(source) && source["name"] === name);
}

/** Warnings about sinks of which several sources select the same series. Expressions make series of their own. */
function overlaps(manifests: readonly CheckedManifest[]): Fault[] {
  return manifests.flatMap((manifest) =>
    manifest.policies.flatMap(({ checked, object }) => {
      if (checked.policy === undefined) return [];
      const overlapOfSources = overlapsOf(checked.policy);
      return checked.policy.sinks.flatMap(({ name, sources }) =>
        overlapMessages(sources, overlapOfSources).map((message) => {
          const warning = sinkWarning(checked.sinks, name, ["sources"], "FieldValueInvalid", message);
          return object.place.locate(warning);
        }),
      );
    }),
  );
}

/** Pairs to name in a warning. */
const maxNamed = 3;

function overlapMessages(sources: readonly string[], overlapOfSources: OverlapOfSources): string[] {
  const pairs = sources.flatMap((a, index) => sources.slice(index + 1).map((b) => [a, b] as const));
  const messages: string[] = [];
  const possible: string[] = [];
  for (const [a, b] of pairs) {
    const overlap = overlapOfSources(a, b);
    if (overlap.kind === "possible") possible.push(`${a} and ${b}`);
    if (overlap.kind !== "certain") continue;
    const [wide, narrow] = overlap.wide === "first" ? [a, b] : [b, a];
    messages.push(`names ${wide} and ${narrow}: ${wide} selects all that ${narrow} selects; ${consequence}`);
  }
  if (possible.length === 0) return messages;
  const more = possible.length > maxNamed ? `, and ${possible.length - maxNamed} more pairs` : "";
  const named = possible.slice(0, maxNamed).join(", ") + more;
  return [...messages, `names ${named}, which may select the same series; ${consequence}`];
}

const consequence = "a sample of several sources is sent once for each";

type OverlapOfSources = (a: string, b: string) => Overlap;

/** Of a policy's sources by name; each pair is compared once, since sinks mostly have the same sources. */
function overlapsOf(policy: ExportPolicy): OverlapOfSources {
  const exprs = new Map(policy.sources.map((source) => [source.name, parse(source.metricsql)]));
  const known = new Map<string, Overlap>();
  return (a, b) => {
    const key = JSON.stringify([a, b]);
    const before = known.get(key);
    if (before !== undefined) return before;
    const [first, second] = [exprs.get(a), exprs.get(b)];
    const areRaw = first?.type === "selector" && second?.type === "selector";
    const overlap: Overlap = areRaw ? overlapOf(first, second) : { kind: "impossible" };
    known.set(key, overlap);
    return overlap;
  };
}

function sinkWarning(
  sinks: readonly { readonly name: string }[],
  sink: string,
  place: DocumentFault["path"],
  reason: DocumentFault["reason"],
  message: string,
): DocumentFault {
  const index = sinks.findIndex((each) => each.name === sink);
  return { severity: "warning", path: ["spec", "sinks", index, ...place], reason, message };
}
