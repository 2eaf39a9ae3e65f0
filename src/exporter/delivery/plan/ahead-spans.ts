import type { Window } from "../../metrics-store/ports/window.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import type { OpenWindow, SinkState } from "../state/sink-state.ts";
import { withClosed } from "./planned-windows.ts";

/**
 * `retry.order: newestFirst`. A source that is far behind delivers a span that begins shortly before the
 * watermark, its span ahead, before the time between its checkpoint and that span. States of a source:
 *
 * - no span: windows begin at its checkpoint.
 * - a span: new samples extend it, and have precedence. Whatever time is left goes to the windows from the
 *   checkpoint to the span's start. What the checkpoint says is true throughout.
 * - they meet: the checkpoint moves to the end of the span, which is forgotten.
 *
 * Spans are kept as checkpoints under a key of their own: of each source, where its span ends, and, under a
 * name that no source can have, where it begins. Both only grow, so that replicas can merge them one by one.
 */
export interface PlannerState {
  readonly main: SinkState;
  /** Of the spans, with their open windows. */
  readonly ahead: SinkState;
}

const suffix = "@from";

/** The name under which the start of a source's span is kept. */
export function startOf(source: string): string {
  return source + suffix;
}

/** The source that a checkpoint of a span belongs to. */
export function sourceOf(name: string): string {
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

/**
 * The spans by source. One that the checkpoint has passed, or that was not begun in full, is none; one that
 * it has reached stays, with its open windows.
 */
export function aheadSpans({ main, ahead }: PlannerState): ReadonlyMap<string, Window> {
  const spans = new Map<string, Window>();
  for (const [name, toMs] of ahead.checkpoints) {
    const fromMs = ahead.checkpoints.get(startOf(name));
    const checkpointMs = main.checkpoints.get(name);
    if (fromMs === undefined || checkpointMs === undefined) continue;
    if (fromMs <= toMs && checkpointMs <= toMs) spans.set(name, { fromMs, toMs });
  }
  return spans;
}

/** The source's windows that are not closed. */
export function openWindowsOf({ windows }: SinkState, source: string): OpenWindow[] {
  return windows.filter(({ sources }) => sources.has(source));
}

/** The state after a window is closed for the sources of its group. */
export function afterClosing({ main, ahead }: PlannerState, closed: PlannedWindow): PlannerState {
  return closed.isAhead === true
    ? { main, ahead: withClosed(ahead, closed) }
    : { main: withClosed(main, closed), ahead };
}

/** What determines whether a source delivers its newest samples first. */
interface Backlog {
  readonly checkpointMs: number;
  readonly watermarkMs: number;
  /** Spans begin at multiples of this. */
  readonly gridMs?: number | undefined;
  /** The end of its last open window, which has to be run first. */
  readonly openToMs?: number | undefined;
  readonly span?: Window | undefined;
  /** Something of the span was acknowledged. */
  readonly hasSpanBegun?: boolean;
}

/**
 * Where a new span of a source begins, or undefined when it needs none. A span of which nothing was
 * acknowledged follows the watermark, since an outage may last.
 *
 * @param newestMs length of the time that is delivered first
 */
export function newSpanStart(backlog: Backlog, newestMs: number): number | undefined {
  const { checkpointMs, watermarkMs, gridMs = 1, openToMs = -Infinity, span, hasSpanBegun } = backlog;
  if (span !== undefined && (hasSpanBegun === true || span.toMs > span.fromMs)) return undefined;
  if (watermarkMs - (span?.fromMs ?? checkpointMs) <= 2 * newestMs) return undefined;
  const startMs = Math.ceil(Math.max(watermarkMs - newestMs, openToMs) / gridMs) * gridMs;
  return startMs < watermarkMs ? startMs : undefined;
}
