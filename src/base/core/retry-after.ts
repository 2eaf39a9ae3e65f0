/** An upper limit by default: a receiver cannot stop a sink for a day by a header. */
const hourMs = 3_600_000;

/**
 * Parses a `Retry-After` header (RFC 9110, section 10.2.3): seconds, or an HTTP date. A date is relative to
 * the response's own `Date` if present, so that clock differences do not matter.
 *
 * @returns ms to wait, at most `longestMs` (by default an hour); undefined when the header is absent or
 *   invalid
 */
export function retryAfterMs(
  value: string | undefined,
  responseDate: string | undefined,
  nowMs: number,
  longestMs = hourMs,
): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1_000, longestMs);
  const untilMs = httpDateMs(text);
  if (untilMs === undefined) return undefined;
  const fromMs = responseDate === undefined ? nowMs : (httpDateMs(responseDate) ?? nowMs);
  return Math.min(Math.max(0, untilMs - fromMs), longestMs);
}

const imfFixdate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The only format that servers may send today. Date.parse alone accepts nearly anything as a date. */
function httpDateMs(text: string): number | undefined {
  if (!imfFixdate.test(text.trim())) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
