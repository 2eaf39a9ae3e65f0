import { createHash } from "node:crypto";
import type { Tenant } from "../../metrics-store/ports/sample-reader.ts";
import type { Window } from "../../metrics-store/ports/window.ts";
import { sourceKind } from "../../metrics-store/source-kind.ts";
import { intersectionOf } from "../../metricsql/analysis/overlap.ts";
import { parse } from "../../metricsql/parse/parser.ts";
import { print } from "../../metricsql/print/printer.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import type { StepCount } from "../state/sample-counts.ts";
import type { CountCheck } from "./count-check.ts";
import type { KnownStep } from "./known-counts.ts";
import type { SentMemory } from "./sent-memory.ts";

/** A source all of whose samples are read: of the others, none are late. */
export interface RawSource {
  readonly id: string;
  /** MetricsQL. */
  readonly query: string;
}

/** By name. */
export function rawSourcesOf({ sources, tenant }: SinkPlan): Map<string, RawSource> {
  const raw = sources.filter(
    (source) => source.intervalMs === undefined && sourceKind(source.metricsql) === "raw",
  );
  const id = tenant?.kind === "tenant" ? tenant.id : undefined;
  return new Map(raw.map(({ name, metricsql }) => [name, { id: identityOf(name, id), query: metricsql }]));
}

/** Another tenant of the store has other samples: what was sent of one says nothing about the other. */
function identityOf(source: string, tenant: string | undefined): string {
  const identity = tenant === undefined ? source : `${tenant}/${source}`;
  return createHash("sha1").update(identity).digest().toString("latin1", 0, 8);
}

/** Longest span of late samples that is read at once. */
const longestSpanMs = 5 * 60_000;

/**
 * Counts the samples of one source's steps, and corrects in the memory what is known of them where nothing
 * has to be read again.
 *
 * @returns the spans to read again, and whether the store has counted the samples, and the staleness markers
 */
export async function checkSource(
  name: string,
  { id, query: current }: RawSource,
  tenant: Tenant | undefined,
  steps: readonly KnownStep[],
  check: CountCheck,
  memory: SentMemory,
): Promise<{ spans: readonly PlannedWindow[]; hasSamples: boolean; hasMarkers: boolean }> {
  const result = { spans: [] as PlannedWindow[], hasSamples: true, hasMarkers: true };
  const { stepMs } = memory;
  // What was counted under another query is counted under that one again.
  const stepsOf = new Map<string, StepCount[]>();
  for (const step of steps) {
    const own = stepsOf.get(step.query) ?? [];
    own.push(step);
    stepsOf.set(step.query, own);
  }
  for (const [query, own] of stepsOf) {
    const { corrected, more, hasSamples, hasMarkers } = await check.run({ selector: query, tenant }, own);
    result.hasSamples &&= hasSamples;
    result.hasMarkers &&= hasMarkers;
    if (corrected.length > 0) {
      await memory.addLate(spanOf(corrected, stepMs), undefined, [{ source: id, counts: corrected }]);
    }
    const selector = intersection(query, current);
    for (const { counts, ...span } of spansOf(more, stepMs)) {
      result.spans.push({ ...span, sources: [name], open: undefined, late: { counts, selector } });
    }
  }
  return result;
}

/** Spans of neighbouring steps. */
function spansOf(steps: readonly StepCount[], stepMs: number) {
  const spans: Array<{ fromMs: number; toMs: number; counts: StepCount[] }> = [];
  for (const step of steps) {
    const last = spans.at(-1);
    if (last?.toMs === step.endMs - stepMs && step.endMs - last.fromMs <= longestSpanMs) {
      last.toMs = step.endMs;
      last.counts.push(step);
    } else {
      spans.push({ fromMs: step.endMs - stepMs, toMs: step.endMs, counts: [step] });
    }
  }
  return spans;
}

function spanOf(steps: readonly StepCount[], stepMs: number): Window {
  const ends = steps.map(({ endMs }) => endMs);
  return { fromMs: Math.min(...ends) - stepMs, toMs: Math.max(...ends) };
}

/** What both selectors select: an edited source sends nothing that it did not select at that time. */
function intersection(one: string, other: string): string {
  if (one === other) return one;
  const [first, second] = [parse(one), parse(other)];
  if (first.type !== "selector" || second.type !== "selector") return other;
  return print(intersectionOf(first, second));
}
