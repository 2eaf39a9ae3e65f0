import { TelemetrydError } from "../../../base/core/errors.ts";
import type { NoStore, SinkStore } from "../../metrics-store/sink-store.ts";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";
import type { CycleEnd } from "../cycle.ts";
import { Interruption } from "../dispatch/interruption.ts";
import { Exporter, type ExporterDeps } from "../exporter.ts";
import type { StateStore } from "../state/sink-state.ts";
import type { SinkStats } from "../stats/sink-stats.ts";

/** The span to export: after `fromMs`, up to and including `toMs` (Unix ms). */
export interface BackfillSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface BackfillProgress {
  readonly sink: string;
  /** Everything up to here is delivered. */
  readonly reachedMs: number;
  readonly stats: SinkStats;
}

/**
 * The factor by which windows may exceed `delivery.maxWindow` where reads are quick. A store keeps samples in
 * chunks of about an hour, and a window has a cost per series on both sides: short windows make a backfill
 * slower.
 */
const windowGrowth = 12;

/**
 * Exports one span of one sink and ends. It runs the daemon's own exporter over a state in memory, with a
 * store clock fixed at the end of the span.
 *
 * @param state a fresh store: a backfill neither reads nor moves the daemon's checkpoints
 * @throws TelemetrydError DELIVERY_FAILED or SOURCE_FAILED, naming the time up to which everything was
 * delivered
 */
export async function backfill(
  plan: SinkPlan,
  span: BackfillSpan,
  deps: ExporterDeps & { readonly state: StateStore },
  onProgress: (progress: BackfillProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const key = sinkKey(plan.policy, plan.name);
  for (const { name } of plan.sources) await deps.state.setCheckpoint(key, name, span.fromMs);
  const exporter = new Exporter(withoutBackfillLimit(plan), {
    ...deps,
    // Nobody is there later to look for late samples.
    late: undefined,
    storeOf: (of) => withClockAt(deps.storeOf(of), span.toMs),
    settings: {
      ...deps.settings,
      delayMs: 0,
      expressionDelayMs: 0,
      windowGridMs: 1,
      firstWindowMs: deps.settings.maxWindowMs,
      maxWindowMs: windowGrowth * deps.settings.maxWindowMs,
      maxBackfillMs: Infinity,
    },
  });
  const timer = setInterval(() => onProgress(progressOf(exporter, span)), 250);
  try {
    const end = await exporter.cycle(new Interruption(), signal);
    onProgress(progressOf(exporter, span));
    if (end === "up-to-date") return;
    signal.throwIfAborted();
    const reached = new Date(progressOf(exporter, span).reachedMs).toISOString();
    const remedy = `; everything up to ${reached} is delivered, continue with --from ${reached}`;
    throw cycleError(exporter, end, remedy);
  } finally {
    clearInterval(timer);
    exporter.close();
  }
}

/** Why a cycle has not delivered everything. @param remark follows the reason */
export function cycleError(exporter: Exporter, end: CycleEnd, remark = ""): TelemetrydError {
  const { deliveryState, sources } = exporter.snapshot();
  const failed = sources.flatMap(({ name, error }) => (error === undefined ? [] : [`${name}: ${error}`]));
  const cause = deliveryState.kind === "delivering" ? failed.join("; ") : deliveryState.message;
  return new TelemetrydError(
    end === "source-failed" ? "SOURCE_FAILED" : "DELIVERY_FAILED",
    `${exporter.key}: ${cause}${remark}`,
  );
}

function withClockAt(store: SinkStore | NoStore, nowMs: number): SinkStore | NoStore {
  if (store.kind === "none") return store;
  const { reader } = store;
  return {
    ...store,
    reader: {
      read: (request, consumer, signal) => reader.read(request, consumer, signal),
      storeNowMs: () => nowMs,
    },
  };
}

function progressOf(exporter: Exporter, span: BackfillSpan): BackfillProgress {
  const { sources, stats } = exporter.snapshot();
  const reachedMs = Math.min(...sources.map(({ checkpointMs }) => checkpointMs ?? span.fromMs));
  return { sink: exporter.key, reachedMs, stats };
}

/** The plan for spans that somebody asks for, however old, in the order of time. */
export function withoutBackfillLimit(plan: SinkPlan): SinkPlan {
  return { ...plan, retry: { ...plan.retry, maxBackfillMs: undefined, order: undefined } };
}
