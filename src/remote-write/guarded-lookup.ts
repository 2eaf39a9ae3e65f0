import { type LookupAddress, type LookupOptions, lookup as systemLookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { type EgressGuard, EgressRefusedError } from "./egress.ts";

/** `dns.lookup`, or what a test has in its place. */
export type Lookup = typeof systemLookup;

/**
 * Resolves a name to those of its addresses that may be connected to. A connection looks a name up once and is made to an
 * address of that very answer, so that a name server cannot give a harmless address to a check and another one to the
 * connection.
 */
export function guardedLookup(guard: EgressGuard, lookup: Lookup = systemLookup): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, "");
        return;
      }
      const allowed: LookupAddress[] = [];
      let reason: string | undefined;
      for (const one of found) {
        const refusal = guard.refusal(one.address);
        if (refusal === undefined) allowed.push(one);
        else reason ??= refusal;
      }
      const first = allowed[0];
      if (first === undefined) {
        callback(new EgressRefusedError(`${hostname}: ${reason ?? "the name has no address"}`), "");
      } else if (options.all === true) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}
