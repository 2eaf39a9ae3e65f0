import { type Html, html } from "../../../base/core/html.ts";
import { formatRate } from "../../../base/core/human.ts";

const slotSeconds = 10;
const height = 24;

/**
 * Delivered samples as a small chart, one unit wide per ten seconds. Each point is the mean of three slots: a
 * sink delivers once per cycle, so single slots would alternate between peaks and zeros.
 *
 * @param counts samples per slot, newest last
 */
export function sparklineSvg(counts: readonly number[]): Html {
  const smooth = counts.slice(2).map((_, index) => mean(counts.slice(index, index + 3)));
  const highest = Math.max(0, ...smooth);
  const width = Math.max(1, smooth.length - 1);
  const line = smooth
    .map((count, index) => `${index} ${highest === 0 ? height - 1 : yOf(count / highest)}`)
    .join("L");
  if (line === "") return html``;
  const now = formatRate(recentRate(counts));
  const label = `Delivered in the last ten minutes: now ${now}, at most ${formatRate(highest / slotSeconds)}`;
  return html`<svg class="spark" viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img">
<title>${label}</title>
<path class="area" d="M0 ${height}L${line}L${width} ${height}Z"/><path class="line" d="M${line}"/></svg>`;
}

/** Samples per second over the last minute. */
export function recentRate(counts: readonly number[]): number {
  return mean(counts.slice(-6)) / slotSeconds;
}

/** A margin of one pixel at both ends, so that the line is not clipped. */
function yOf(fraction: number): number {
  return Math.round((height - 1 - fraction * (height - 2)) * 10) / 10;
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
