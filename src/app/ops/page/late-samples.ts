import { type Html, html } from "../../../base/core/html.ts";
import { formatAge, formatCount, formatExactCount } from "../../../base/core/human.ts";
import { lateRejectedAdvice, type SinkView } from "../../../exporter/policy/status/status-view.ts";

type LateCounts = Pick<SinkView, "late" | "lateRejected" | "uncheckedSeconds">;

/** The headline figure of late samples; nothing while there are none. */
export function lateTile(sinks: readonly LateCounts[]): Html | false {
  if (!sinks.some(hasLate)) return false;
  const sum = (count: (sink: LateCounts) => number): number =>
    sinks.reduce((total, sink) => total + count(sink), 0);
  const late = sum((sink) => sink.late);
  const uncheckedSeconds = sum((sink) => sink.uncheckedSeconds);
  const advice = lateRejectedAdvice(sinks);
  const parts = [advice, uncheckedSeconds > 0 && uncheckedText(uncheckedSeconds)].filter(Boolean);
  return html`<div class="tile${advice !== undefined && " wide"}"><h2>Late, delivered</h2>
<p class="figure" title="${formatExactCount(late)}">${formatCount(late)}</p>
<p class="note"><bdi>${parts.length === 0 ? "none refused" : parts.join("; ")}</bdi></p></div>`;
}

/** A sink's late samples; undefined while there are none. */
export function lateText(sink: LateCounts): string | undefined {
  if (!hasLate(sink)) return undefined;
  const { late, lateRejected, uncheckedSeconds } = sink;
  const counts = `${formatExactCount(late)} delivered, ${formatExactCount(lateRejected)} refused`;
  return uncheckedSeconds === 0 ? counts : `${counts}, ${uncheckedText(uncheckedSeconds)}`;
}

/** What to do about refused late samples, and the receiver's response; undefined when none were refused. */
export function lateRejectionText(
  sink: Pick<SinkView, "lateRejected" | "lastLateRejection">,
  nowMs: number,
): string | undefined {
  const { lastLateRejection: last } = sink;
  const advice = lateRejectedAdvice([sink]);
  if (advice === undefined || last === undefined) return advice;
  return `${advice}. Its last response, ${formatAge(nowMs - Date.parse(last.at))} ago: ${last.message}`;
}

function hasLate({ late, lateRejected, uncheckedSeconds }: LateCounts): boolean {
  return late > 0 || lateRejected > 0 || uncheckedSeconds > 0;
}

function uncheckedText(seconds: number): string {
  return `${formatAge(seconds * 1_000)} not checked`;
}
