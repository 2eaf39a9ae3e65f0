/** What lies between the server's clock and ours: a request must not be on its way when the server's time ends. */
const marginMs = 2_000;
const longestMs = 60_000;

/**
 * How long a connection may be idle, by the `timeout` of the server's `Keep-Alive` header (seconds; RFC 2068, section
 * 19.7.1.1): somewhat shorter than that, and not without end.
 *
 * @returns 0 where it must not be used again
 */
export function keepAliveMs(header: string | string[] | undefined, otherwiseMs: number): number {
  if (header === undefined) return otherwiseMs;
  const seconds = /(?:^|[\s,;])timeout\s*=\s*"?(\d{1,9})/i.exec(String(header))?.[1];
  if (seconds === undefined) return otherwiseMs;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - marginMs, longestMs));
}
