import type { RouteProgram } from "../../routing/route-program.ts";
import { word } from "./quote.ts";

/**
 * A connection is for the host that TLS named (SNI), and so for one listener: requests for hosts of another
 * one get 421 (RFC 9110, section 15.5.20). The frontend compares the programs of both hosts, a program's
 * section their listeners.
 */

export const misdirected = [421, "the connection is for another host"] as const;

/** Conditions of a request for a host that no program has, on a connection for one that a program has. */
export const isForeign = "{ var(txn.foreign) -m found }";

/** Sets `txn.sni` to the section of the connection's host, if there is one. @param entry variable of its entry */
export function sniLines(entry: string): string[] {
  const isPlain = `{ var(${entry}) -m sub '|' }`;
  return [
    `http-request set-var(txn.sni) var(${entry}),field(1,|) if { var(${entry}) -m found }`,
    // A section knows whether such a host would be its listener's; plain programs have no such listeners.
    `http-request set-var(txn.foreign) bool(true) if { var(txn.sni) -m found } !${isPlain} !${hasSection}`,
    `http-request set-var(txn.section) var(txn.sni) if ${isForeign}`,
  ];
}

const hasSection = "{ var(txn.section) -m found }";

/** Sets two variables to the listeners of the connection and of the request, and says if they differ. */
export function listenerLines({ tlsListeners = [] }: RouteProgram): string[] {
  if (tlsListeners.length === 0) return [];
  const listenerOf = (variable: string, host: string): string[] => {
    const unless = `if !{ var(${variable}) -m found }`;
    return [
      ...tlsListeners.map((name, place) => {
        const isWildcard = name.startsWith("*.");
        const pattern = `-m ${isWildcard ? "end" : "str"} -- ${word(isWildcard ? name.slice(1) : name)}`;
        return `http-request set-var(${variable}) int(${place}) ${unless} { var(${host}) ${pattern} }`;
      }),
      // One without a hostname has all others.
      `http-request set-var(${variable}) int(${tlsListeners.length}) ${unless}`,
    ];
  };
  return [
    "http-request set-var(txn.server) ssl_fc_sni,lower,rtrim(.) if { ssl_fc_sni -m found }",
    ...listenerOf("txn.server_listener", "txn.server"),
    ...listenerOf("txn.host_listener", "txn.host"),
  ];
}

/** Condition of a request that is for another listener than its connection; see {@link listenerLines}. */
export const isOtherListener =
  "{ var(txn.server) -m len gt 0 } !{ var(txn.server_listener),sub(txn.host_listener) eq 0 }";
