import { type Address, AddressRange, parseAddress } from "./address-range.ts";
import { embeddedAddresses } from "./embedded-address.ts";
import { isPublicAddress, kindOf } from "./public-address.ts";

/**
 * The party that chose an endpoint: the operator of this machine (policies from a directory), or a tenant
 * (policies from a control plane), who must not reach anything that only this machine can reach.
 */
export type EgressScope = "operator" | "tenant";

/** The `egress` section of the configuration. */
export interface EgressRules {
  /** Ranges that no policy may send to; they take precedence over `allow`. */
  readonly deny: readonly string[];
  /** Non-public ranges that tenants' policies may send to. */
  readonly allow: readonly string[];
  /** NAT64 prefixes of this network besides the well-known one. */
  readonly nat64Prefixes?: readonly string[];
}

/** An endpoint resolves to a blocked address. The message is meant for the policy's owner. */
export class EgressBlockedError extends Error {
  override readonly name = "EgressBlockedError";
}

/**
 * Blocked whatever the configuration says: link-local addresses, cloud metadata services (which hand out the
 * machine's credentials to any client), and addresses that belong to no host.
 */
const neverAllowed: readonly (readonly [AddressRange, string])[] = [
  [new AddressRange("169.254.0.0/16"), "link-local"],
  [new AddressRange("fe80::/10"), "link-local"],
  [new AddressRange("fd00:ec2::254"), "a metadata service's"],
  [new AddressRange("fd20:ce::254"), "a metadata service's"],
  [new AddressRange("100.100.100.200"), "a metadata service's"],
  [new AddressRange("192.0.0.192"), "a metadata service's"],
  [new AddressRange("168.63.129.16"), "a metadata service's"],
  [new AddressRange("0.0.0.0/8"), "no host's"],
  [new AddressRange("::/128"), "no host's"],
  [new AddressRange("224.0.0.0/4"), "multicast"],
  [new AddressRange("ff00::/8"), "multicast"],
  [new AddressRange("255.255.255.255"), "broadcast"],
];

/** The ranges of {@link neverAllowed}. */
export const neverReachable: readonly string[] = neverAllowed.map(([{ text }]) => text);

/** Decides whether connections to an address are allowed. Pure: rules in, reasons out. */
export class EgressGuard {
  readonly #deny: readonly AddressRange[];
  readonly #allow: readonly AddressRange[];
  readonly #nat64: readonly AddressRange[];
  readonly #scope: EgressScope;

  constructor(rules: EgressRules, scope: EgressScope) {
    this.#deny = rules.deny.map((text) => new AddressRange(text));
    this.#allow = rules.allow.map((text) => new AddressRange(text));
    this.#nat64 = (rules.nat64Prefixes ?? []).map((text) => new AddressRange(text));
    this.#scope = scope;
  }

  /**
   * @param text an address from a name server, a socket or a URL's host
   * @returns the reason why it is blocked, or undefined
   */
  blockReason(text: string): string | undefined {
    const address = parseAddress(text);
    if (address === undefined) return `${text} is not an IP address`;
    // Check both the address and those it embeds: rules may name an IPv6 range or the IPv4 address inside.
    const { addresses, replaceOuter } = embeddedAddresses(address, this.#nat64);
    for (const form of [address, ...addresses]) {
      const reason = this.#absoluteReason(form);
      if (reason !== undefined) return `${describe(text, form, address)} is ${reason}`;
    }
    if (this.#scope === "operator" || isIn(this.#allow, address)) return undefined;
    const judged = replaceOuter ? addresses : [address, ...addresses];
    const blocked = judged.find((form) => !isPublicAddress(form) && !isIn(this.#allow, form));
    if (blocked === undefined) return undefined;
    return `${describe(text, blocked, address)} is not a public address (${kindOf(blocked)})`;
  }

  #absoluteReason(address: Address): string | undefined {
    const never = neverAllowed.find(([range]) => range.contains(address));
    if (never !== undefined) return `${never[1]} and never allowed`;
    const denied = this.#deny.find((range) => range.contains(address));
    return denied === undefined ? undefined : `denied by egress.deny (${denied.text})`;
  }
}

function isIn(ranges: readonly AddressRange[], address: Address): boolean {
  return ranges.some((range) => range.contains(address));
}

function describe(text: string, form: Address, whole: Address): string {
  return form === whole ? text : `${text}, which leads to ${form.toString()},`;
}
