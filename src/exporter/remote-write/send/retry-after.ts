/** Longer than anyone means it: a receiver cannot stop a sink for a day by a header. */
const longestMs = 3_600_000;

/**
 * Reads a `Retry-After` header (RFC 9110, section 10.2.3): seconds, or an HTTP date. A date is taken relative to the
 * response's own `Date` where it has one, so that clocks that disagree do not matter.
 *
 * @returns ms to wait, at most an hour; undefined when there is no header or it cannot be read
 */
export function retryAfterMs(
  value: string | undefined,
  responseDate: string | undefined,
  nowMs: number,
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

/** The one form that servers may write today. Date.parse alone would take nearly anything for a date. */
function httpDateMs(text: string): number | undefined {
  if (!imfFixdate.test(text.trim())) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
