import type { LookupAddress } from "node:dns";

/** The outcome of one lookup. */
export type NameOutcome =
  | { readonly kind: "found"; readonly addresses: readonly LookupAddress[]; readonly ttlMs: number }
  /** The name servers report no address for this name. */
  | { readonly kind: "unknown" }
  /** The name servers gave no usable response. */
  | { readonly kind: "failed"; readonly message: string };

/**
 * Its codes are those of getaddrinfo, as documented for `dns.lookup` ({@link
 * https://nodejs.org/api/dns.html}).
 */
export class NameError extends Error {
  readonly code: "ENOTFOUND" | "EAI_AGAIN";

  constructor(message: string, code: NameError["code"]) {
    super(message);
    this.code = code;
  }
}

/** @throws NameError when there is no address */
export function addressesOf(name: string, outcome: NameOutcome): readonly LookupAddress[] {
  if (outcome.kind === "found") return outcome.addresses;
  if (outcome.kind === "failed") {
    throw new NameError(`the address of ${name} could not be resolved: ${outcome.message}`, "EAI_AGAIN");
  }
  throw new NameError(`the host name ${name} does not exist; check the endpoint`, "ENOTFOUND");
}
