import type { LookupAddress } from "node:dns";
import { promises } from "node:dns";
import { errnoCode } from "../../core/errors.ts";
import type { NameOutcome } from "./name-outcome.ts";

/** The part of `dns.promises.Resolver` used by a query. */
export type AddressResolver = Pick<promises.Resolver, "resolve4" | "resolve6" | "cancel">;

/** Per question and name server; each is tried twice. */
const timeoutMs = 2_000;
/** Per name and family: a response may hold thousands. */
const maxAddresses = 32;
const noSuchName = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/** @param servers `address` or `address:port`; the system's when empty */
export function createResolver(servers: readonly string[]): AddressResolver {
  const resolver = new promises.Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

/**
 * Resolves the first of the names that has an address. When a name server fails for a name, the names after
 * it are not used instead.
 */
export async function queryAddresses(
  resolver: AddressResolver,
  names: readonly string[],
): Promise<NameOutcome> {
  for (const name of names) {
    const outcome = await queryName(resolver, name);
    if (outcome.kind !== "unknown") return outcome;
  }
  return { kind: "unknown" };
}

/** One family is enough: a name server that fails for the other does not fail the lookup. */
async function queryName(resolver: AddressResolver, name: string): Promise<NameOutcome> {
  const responses = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const addresses: LookupAddress[] = [];
  let ttlMs = Number.POSITIVE_INFINITY;
  let failure: string | undefined;
  for (const [index, response] of responses.entries()) {
    if (response.status === "rejected") {
      const code = errnoCode(response.reason) ?? "";
      if (!noSuchName.has(code)) failure ??= describeFailure(code);
      continue;
    }
    for (const { address, ttl } of response.value.slice(0, maxAddresses)) {
      addresses.push({ address, family: index === 0 ? 4 : 6 });
      ttlMs = Math.min(ttlMs, ttl * 1_000);
    }
  }
  if (addresses.length > 0) return { kind: "found", addresses, ttlMs };
  return failure === undefined ? { kind: "unknown" } : { kind: "failed", message: failure };
}

function describeFailure(code: string): string {
  switch (code) {
    case "ETIMEOUT":
    case "ECANCELLED":
      return "the name server did not respond in time";
    case "ECONNREFUSED":
      return "no name server can be reached";
    case "ESERVFAIL":
      return "the name server could not find it out (SERVFAIL)";
    case "EREFUSED":
      return "the name server refused the query";
    default:
      return `the name server's response cannot be used (${code || "no code"})`;
  }
}
