import type { ProgramRule, Retry } from "../../routing/route-program.ts";
import { innerLines, sectionHeader, unlessLeaving } from "./inner-hop.ts";
import { word } from "./quote.ts";
import { serverTimeoutMs, standIn } from "./server-lines.ts";

/**
 * HAProxy tries requests again by settings of a section, not of a rule. A rule with retries therefore has a
 * section of its own, to which its program's section sends the requests: all that the program does to them is
 * done before.
 */

export function retrySectionName(gateway: string, rule: number): string {
  return `retry-${gateway}-${rule}`;
}

/** Methods that have the same effect if they arrive twice (RFC 9110, section 9.2.2). */
const idempotent = "{ method GET HEAD OPTIONS PUT DELETE }";

/** Limits of an attempt without one of its own, and of what comes between two, in ms. */
const attemptMs = 60_000;
const betweenMs = 6_000;

/** How long a rule's requests may take; with retries, all attempts together. */
export function totalTimeoutMs({ timeoutMs, retry }: ProgramRule): number | undefined {
  if (retry === undefined || timeoutMs !== undefined) return timeoutMs;
  return (retry.attempts + 1) * (serverTimeoutMs(retry.timeoutMs ?? attemptMs) + betweenMs);
}

const isHop = "{ var(txn.hop) -m found }";

/** In the program's section. @param chosen condition of the rule's requests */
export function retryHopLines(
  gateway: string,
  { retry }: ProgramRule,
  index: number,
  chosen: string,
): string[] {
  if (retry === undefined) return [];
  return [
    // A leaving worker tries once.
    `http-request set-var(txn.hop) bool(true) if ${chosen} ${unlessLeaving}`,
    `http-request set-header ${sectionHeader} ${retrySectionName(gateway, index)} if ${chosen} ${isHop}`,
  ];
}

/** The server that leads to the section of retries, for what {@link retryHopLines} have chosen. */
export function retryServer(index: number, socket: string): string[] {
  return [
    `use-server retry-${index} if { var(txn.rule) -m int ${index} } ${isHop}`,
    `server retry-${index} ${word(`unix@${socket}`)} weight 0`,
  ];
}

/** The section of a rule with retries. @param servers lines of the backend's servers */
export function retrySection(
  gateway: string,
  { retry }: ProgramRule,
  index: number,
  servers: readonly string[],
): string[][] {
  if (retry === undefined) return [];
  return [
    [
      `backend ${retrySectionName(gateway, index)}`,
      ...retryLines(retry),
      ...(servers.length > 1 ? standIn.filter((line) => !line.startsWith("retries ")) : []),
      ...servers,
    ],
  ];
}

function retryLines({ attempts, codes, timeoutMs }: Retry): string[] {
  return [
    ...innerLines,
    // A connection that fails is tried again all the same: nothing was sent.
    `http-request disable-l7-retry unless ${idempotent}`,
    // What has not arrived as a whole when it is sent is not tried again.
    "http-request wait-for-body time 60s if { method PUT DELETE }",
    ...(timeoutMs === undefined ? [] : [`timeout server ${serverTimeoutMs(timeoutMs)}ms`]),
    `retries ${attempts}`,
    `retry-on ${["conn-failure", "empty-response", "response-timeout", ...codes].join(" ")}`,
  ];
}
