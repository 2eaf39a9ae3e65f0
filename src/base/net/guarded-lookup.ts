import type { LookupAddress } from "node:dns";
import type { LookupFunction } from "node:net";
import { EgressBlockedError, type EgressGuard } from "./egress.ts";

/** The addresses of a name, at least one, for a tenant's connection. Rejects when there is none. */
export type Lookup = (hostname: string, tenant: string) => Promise<readonly LookupAddress[]>;

/**
 * Resolves a name to those of its addresses that connections are allowed to. A connection resolves its name
 * once and uses an address of that response, so a name server cannot return a harmless address for the check
 * and another for the connection.
 */
export function guardedLookup(guard: EgressGuard, lookup: Lookup, tenant: string): LookupFunction {
  return (hostname, options, callback) => {
    const pick = (found: readonly LookupAddress[]) => {
      const allowed: LookupAddress[] = [];
      let reason: string | undefined;
      for (const one of found) {
        const blocked = guard.blockReason(one.address);
        if (blocked === undefined) allowed.push(one);
        else reason ??= blocked;
      }
      const [first] = allowed;
      if (first === undefined) {
        callback(new EgressBlockedError(`${hostname}: ${reason ?? "the name has no address"}`), "");
      } else if (options.all === true) {
        callback(null, allowed);
      } else {
        callback(null, first.address, first.family);
      }
    };
    lookup(hostname, tenant).then(pick, (error: Error) => callback(error, ""));
  };
}
