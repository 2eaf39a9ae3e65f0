import { isIPv6 } from "node:net";

/** As often as a name is looked up. Unchecked, a dead server would be tried again and again. */
export const serverCheck = "check inter 5s fall 1 rise 1";

/** For servers of one backend, which stand in for each other. */
export const standIn = ["balance roundrobin", "option redispatch 1", "retries 3"];

/** As long as a WebSocket may be silent, also for `0s`, which is no limit. */
const longestTimeoutMs = 3_600_000;

/** The limit for HAProxy, in ms. */
export function serverTimeoutMs(ms: number): number {
  return ms === 0 ? longestTimeoutMs : Math.min(ms, longestTimeoutMs);
}

export function serverAddress(address: string, port: number): string {
  return isIPv6(address) ? `ipv6@[${address}]:${port}` : `ipv4@${address}:${port}`;
}
