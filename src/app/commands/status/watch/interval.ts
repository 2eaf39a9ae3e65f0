import { formatDuration, parseDuration } from "../../../../base/core/duration.ts";

export const defaultIntervalMs = 2_000;
const shortestMs = 500;
const longestMs = 3_600_000;

export const intervalRule = `It must be a duration from ${formatDuration(shortestMs)} to ${formatDuration(longestMs)}, such as 5s.`;

/** The pause between two refreshes in ms; undefined unless {@link intervalRule} holds. */
export function parseInterval(text: string): number | undefined {
  const intervalMs = parseDuration(text);
  if (intervalMs === undefined || intervalMs < shortestMs || intervalMs > longestMs) return undefined;
  return Math.round(intervalMs);
}
