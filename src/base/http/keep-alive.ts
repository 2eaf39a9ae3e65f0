/** Margin for network latency: no request may be in flight when the server's timeout expires. */
const marginMs = 2_000;
const longestMs = 60_000;

/**
 * The idle time allowed by the `timeout` of the server's `Keep-Alive` header (seconds; RFC 2068, section
 * 19.7.1.1), minus a margin, and bounded.
 *
 * @returns 0 when the connection must not be reused
 */
export function keepAliveMs(header: string | string[] | undefined, otherwiseMs: number): number {
  if (header === undefined) return otherwiseMs;
  const seconds = /(?:^|[\s,;])timeout\s*=\s*"?(\d{1,9})/i.exec(String(header))?.[1];
  if (seconds === undefined) return otherwiseMs;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - marginMs, longestMs));
}
