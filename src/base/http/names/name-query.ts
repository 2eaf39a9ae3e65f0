import type { LookupAddress } from "node:dns";
import { promises } from "node:dns";
import { errnoCode } from "../../core/errors.ts";
import type { NameOutcome } from "./name-outcome.ts";

/** The part of `dns.promises.Resolver` that a query takes. */
export type AddressResolver = Pick<promises.Resolver, "resolve4" | "resolve6" | "cancel">;

/** For one question to one name server; it is asked twice. */
const timeoutMs = 2_000;
/** Of one name and one family: a response may have thousands. */
const maxAddresses = 32;
const noSuchName = new Set(["ENOTFOUND", "ENODATA", "EBADNAME"]);

/** @param servers `address` or `address:port`; those of the system where there are none */
export function createResolver(servers: readonly string[]): AddressResolver {
  const resolver = new promises.Resolver({ timeout: timeoutMs, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

/**
 * Asks for the addresses of the first of the names that has any. Where a name server does not say whether a name exists,
 * none of those after it is taken in its place.
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

/** One family is enough: a name server that fails for the other one stops nobody. */
async function queryName(resolver: AddressResolver, name: string): Promise<NameOutcome> {
  const answers = await Promise.allSettled([
    resolver.resolve4(name, { ttl: true }),
    resolver.resolve6(name, { ttl: true }),
  ]);
  const addresses: LookupAddress[] = [];
  let ttlMs = Number.POSITIVE_INFINITY;
  let failure: string | undefined;
  for (const [index, answer] of answers.entries()) {
    if (answer.status === "rejected") {
      const code = errnoCode(answer.reason) ?? "";
      if (!noSuchName.has(code)) failure ??= describeFailure(code);
      continue;
    }
    for (const { address, ttl } of answer.value.slice(0, maxAddresses)) {
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
      return "the name server refused to tell it";
    default:
      return `the name server's response cannot be used (${code || "no code"})`;
  }
}
