import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { type EgressGuard, EgressRefusedError } from "./egress.ts";

/** The addresses of a name, at least one, for a tenant's connection. Rejects where there is none. */
export type Lookup = (hostname: string, tenant: string) => Promise<readonly LookupAddress[]>;

/**
 * Resolves a name to those of its addresses that may be connected to. A connection looks a name up once and is made to an
 * address of that very response, so that a name server cannot give a harmless address to a check and another one to the
 * connection.
 */
export function guardedLookup(guard: EgressGuard, lookup: Lookup, tenant: string): LookupFunction {
  return (hostname, options, callback) => {
    const pick = (found: readonly LookupAddress[]) => {
      const allowed: LookupAddress[] = [];
      let reason: string | undefined;
      for (const one of found) {
        const refusal = guard.refusal(one.address);
        if (refusal === undefined) allowed.push(one);
        else reason ??= refusal;
      }
      const [first] = allowed;
      if (first === undefined) {
        callback(new EgressRefusedError(`${hostname}: ${reason ?? "the name has no address"}`), "");
      } else if (options.all === true) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    };
    lookup(hostname, tenant).then(pick, (error: Error) => callback(error, ""));
  };
}
