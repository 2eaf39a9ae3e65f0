/** Units of at least a millisecond, in ms; integral amounts of them are exact. */
const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const unitsNs: Readonly<Record<string, number>> = { ns: 1, us: 1_000, µs: 1_000, μs: 1_000 };

const wholePattern = /^([-+]?)((?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+)$/;
const partPattern = /(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/g;

/**
 * Parses a duration in the form Kubernetes uses (Go's `time.ParseDuration`): `250ms`, `5s`, `1m30s`, `1.5h`,
 * `0`. Exact to the nanosecond; smaller parts are truncated.
 *
 * @returns milliseconds, possibly with a fraction, or undefined when the text is not a duration
 */
export function parseDuration(text: string): number | undefined {
  if (/^[-+]?0$/.test(text)) return 0;
  const match = wholePattern.exec(text);
  if (match === null) return undefined;
  let wholeMs = 0;
  let restNs = 0;
  for (const [, whole = "", fraction = "", unit = ""] of (match[2] ?? "").matchAll(partPattern)) {
    const unitMs = unitsMs[unit] ?? 0;
    const unitNs = unitsNs[unit] ?? unitMs * 1e6;
    if (unitMs > 0) wholeMs += Number(whole) * unitMs;
    else restNs += Number(whole) * unitNs;
    // As Go parses a fraction, so that 1.005s is exact. Digits beyond a number's precision change nothing.
    const digits = fraction.slice(0, 15);
    restNs += Math.floor(Number(digits) * (unitNs / 10 ** digits.length));
  }
  const totalMs = wholeMs + restNs / 1e6;
  return match[1] === "-" ? -totalMs : totalMs;
}

/** Formats a duration as Kubernetes does: `1m30s`, `250ms`, `0s`; the inverse of {@link parseDuration}. */
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
  const parts = [
    [hours, "h"],
    [minutes, "m"],
    [seconds, "s"],
  ] as const;
  return sign + parts.map(([amount, unit]) => (amount > 0 ? `${amount}${unit}` : "")).join("");
}
