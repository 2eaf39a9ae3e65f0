import type { Fault } from "../../../base/core/fault.ts";
import { isObject, valueAt } from "../../../base/documents/document-path.ts";
import { rangeRemarks } from "../../metricsql/analysis/range-remarks.ts";
import { warnings } from "../../metricsql/analysis/warnings.ts";
import type { Expr, LabelFilter } from "../../metricsql/ast/ast.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { caret } from "../../metricsql/parse/syntax-error.ts";
import type { DocumentFault } from "../spec/document-fault.ts";
import type { CheckedManifest } from "../spec/manifest.ts";
import type { ExportPolicy } from "../spec/types.ts";
import { type Candidate, duplicateFault, objectKey } from "./directory-contents.ts";

/** Checks manifests against each other, and warns of valid settings that are probably unintended. */
export function checkTogether(manifests: readonly CheckedManifest[]): Fault[] {
  return [
    ...duplicates(manifests),
    ...missingSecrets(manifests),
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
      (checked.policy?.sinks ?? []).flatMap((sink) => {
        const name = sink.basicAuthSecret;
        if (name === undefined || known.has(`${checked.ref.namespace}/${name}`)) return [];
        const place = ["target", "prometheusRemoteWrite", "authentication", "basicAuth", "secretRef", "name"];
        const message = `names the Secret "${name}", which is not in the files given; it must be in namespace ${checked.ref.namespace}`;
        return [
          object.place.locate(sinkWarning(checked.sinks, sink.name, place, "FieldValueNotFound", message)),
        ];
      }),
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

function overlaps(manifests: readonly CheckedManifest[]): Fault[] {
  return manifests.flatMap((manifest) =>
    manifest.policies.flatMap(({ checked, object }) =>
      (checked.policy === undefined ? [] : overlappingSources(checked.policy)).map(
        ({ sink, wide, narrow }) => {
          const message = `names ${wide} and ${narrow}: ${wide} selects all that ${narrow} selects, which is sent twice`;
          return object.place.locate(
            sinkWarning(checked.sinks, sink, ["sources"], "FieldValueInvalid", message),
          );
        },
      ),
    ),
  );
}

function sinkWarning(
  sinks: readonly { readonly name: string }[],
  sink: string,
  place: readonly string[],
  reason: DocumentFault["reason"],
  message: string,
): DocumentFault {
  const index = sinks.findIndex((each) => each.name === sink);
  return { severity: "warning", path: ["spec", "sinks", index, ...place], reason, message };
}

interface Overlap {
  readonly sink: string;
  readonly wide: string;
  readonly narrow: string;
}

/**
 * Pairs of a sink's sources where one certainly selects everything the other does: its filters are among the
 * other's. Sources that only might overlap get no warning, since most do not.
 */
function overlappingSources(policy: ExportPolicy): Overlap[] {
  const exprs = new Map(policy.sources.map((source) => [source.name, parse(source.metricsql)]));
  return policy.sinks.flatMap((sink) =>
    sink.sources.flatMap((a, index) =>
      sink.sources.slice(index + 1).flatMap((b): Overlap[] => {
        const [exprA, exprB] = [exprs.get(a), exprs.get(b)];
        if (exprA === undefined || exprB === undefined) return [];
        if (covers(exprA, exprB)) return [{ sink: sink.name, wide: a, narrow: b }];
        return covers(exprB, exprA) ? [{ sink: sink.name, wide: b, narrow: a }] : [];
      }),
    ),
  );
}

/** Whether every group of `narrow` has all the filters of some group of `wide`. */
function covers(wide: Expr, narrow: Expr): boolean {
  if (wide.type !== "selector" || narrow.type !== "selector") return false;
  const wideGroups = wide.groups.map((group) => group.map(filterText));
  return narrow.groups.every((group) => {
    const filters = new Set(group.map(filterText));
    return wideGroups.some((wideGroup) => wideGroup.every((filter) => filters.has(filter)));
  });
}

function filterText({ label, op, value }: LabelFilter): string {
  return JSON.stringify([label, op, value]);
}
