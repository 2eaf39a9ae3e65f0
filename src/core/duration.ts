/** Nanoseconds are below what we can wait for; they are read because Kubernetes writes them. */
const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const wholePattern = /^([-+]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const partPattern = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/**
 * Reads a duration as Kubernetes writes them (Go's `time.ParseDuration`): `250ms`, `5s`, `1m30s`, `1.5h`, `0`.
 *
 * @returns milliseconds, possibly with a fraction, or undefined when the text is not a duration
 */
export function parseDuration(text: string): number | undefined {
  if (/^[-+]?0$/.test(text)) return 0;
  const match = wholePattern.exec(text);
  if (match === null) return undefined;
  let totalMs = 0;
  for (const [, amount, unit] of (match[2] ?? "").matchAll(partPattern)) {
    totalMs += Number(amount) * (unitsMs[unit ?? ""] ?? Number.NaN);
  }
  // 5s must be 5000 exactly, not 5000.000000001: sums of fractions are rounded to the microsecond.
  totalMs = Math.round(totalMs * 1e3) / 1e3;
  return match[1] === "-" ? -totalMs : totalMs;
}

/** Writes a duration as Kubernetes does: `1m30s`, `250ms`, `0s`; the inverse of {@link parseDuration}. */
export function formatDuration(durationMs: number): string {
  if (durationMs === 0) return "0s";
  const sign = durationMs < 0 ? "-" : "";
  let restMs = Math.abs(durationMs);
  if (restMs < 1_000) return `${sign}${restMs}ms`;
  const hours = Math.floor(restMs / 3_600_000);
  restMs -= hours * 3_600_000;
  const minutes = Math.floor(restMs / 60_000);
  restMs -= minutes * 60_000;
  const seconds = Math.round(restMs * 1e6) / 1e9;
  return `${sign}${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${seconds > 0 ? `${seconds}s` : ""}`;
}
