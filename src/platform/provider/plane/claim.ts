import { isObject } from "../../../base/documents/yaml/document-path.ts";

/**
 * Annotation of a Location that says which provider serves it. There is nothing to renew: a provider that
 * wants another's place asks for it (`challenger`), and a live holder responds by removing the request.
 * Without a response, it gets the place.
 */
export interface Claim {
  readonly holder: string;
  readonly challenger?: string | undefined;
}

/** How a provider stands to a Location, and what it does next. */
export type ClaimStep =
  | { readonly kind: "held" }
  | { readonly kind: "write"; readonly claim: Claim }
  | { readonly kind: "wait"; readonly holder: string; readonly ms: number };

/** A request that has had no response for this long has no holder to respond to it. */
export const responseMs = 90_000;
/** Pause before a place is asked for again after a response. */
export const askAgainMs = 300_000;

export interface ClaimMoment {
  /** How long the annotation has been as it is, by the observer's own clock. */
  readonly unchangedMs: number;
  /** How long ago this provider last asked for this place; infinite if never. */
  readonly askedMsAgo: number;
}

/** The annotation's text, or undefined if it is none: a tenant may have edited it. */
export function parseClaim(text: string | undefined): Claim | undefined {
  if (text === undefined || text.length > 1_024) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || typeof value["holder"] !== "string") return undefined;
    const { holder, challenger } = value;
    return { holder, challenger: typeof challenger === "string" ? challenger : undefined };
  } catch {
    return undefined;
  }
}

/** @param provider identity of this provider */
export function claimStep(claim: Claim | undefined, provider: string, moment: ClaimMoment): ClaimStep {
  if (claim === undefined) return { kind: "write", claim: { holder: provider } };
  const { holder, challenger } = claim;
  const { unchangedMs, askedMsAgo } = moment;
  if (holder === provider) {
    return challenger === undefined ? { kind: "held" } : { kind: "write", claim: { holder } };
  }
  const wait = (ms: number): ClaimStep => ({ kind: "wait", holder, ms });
  if (challenger === provider) {
    return unchangedMs >= responseMs
      ? { kind: "write", claim: { holder: provider } }
      : wait(responseMs - unchangedMs);
  }
  // Another challenger has its chance first, and may be gone as well.
  if (challenger !== undefined && unchangedMs < 2 * responseMs) return wait(2 * responseMs - unchangedMs);
  if (askedMsAgo < askAgainMs) return wait(askAgainMs - askedMsAgo);
  return { kind: "write", claim: { holder, challenger: provider } };
}
