import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { AddressRange, parseAddress } from "../../base/net/address-range.ts";
import { EgressGuard, type EgressRules } from "../../base/net/egress.ts";
import { embeddedAddresses } from "../../base/net/embedded-address.ts";
import type { Lookup } from "../../base/net/guarded-lookup.ts";
import type { ListenAddress } from "../../base/net/listen-address.ts";
import type { BackendTarget, RouteProgram } from "../routing/route-program.ts";

/** What is known of a backend's address. */
export type HostState =
  /** `servers`: what HAProxy has, one for each of its servers; `all`: every address that is allowed. */
  | { readonly kind: "address"; readonly servers: readonly string[]; readonly all: readonly string[] }
  /** `reason`: for the operator; `publicReason`: without what only the operator may know. */
  | { readonly kind: "blocked"; readonly reason: string; readonly publicReason: string }
  | { readonly kind: "unresolved" };

export interface BackendResolverOptions {
  readonly egress: EgressRules;
  readonly lookup: Lookup;
  /** Where the daemon itself listens: no backend may lead back to it, whatever `egress.allow` says. */
  readonly own: readonly ListenAddress[];
}

/**
 * Decides which address a host stands for: names are resolved here, and HAProxy gets addresses only, so a
 * name cannot lead elsewhere between the check and the connection.
 */
export class BackendResolver {
  readonly #options: BackendResolverOptions;
  readonly #nat64: readonly AddressRange[];
  /** Each parses all ranges: one for each program, not for each of its lookups. */
  readonly #guards = new WeakMap<RouteProgram, EgressGuard>();

  constructor(options: BackendResolverOptions) {
    this.#options = options;
    this.#nat64 = (options.egress.nat64Prefixes ?? []).map((text) => new AddressRange(text));
  }

  /**
   * @param before what was known of the target: a good address stays while its name still has it, or cannot
   *   be resolved at all
   */
  async resolve(
    { host, others = [], port }: BackendTarget,
    program: RouteProgram,
    before: HostState | undefined,
  ): Promise<HostState> {
    const guard = this.#guardOf(program);
    const reasonOf = (address: string): string | undefined =>
      guard.blockReason(address) ??
      (this.#isOwn(address, port) ? `${address} is the gateway's own` : undefined);
    let found: readonly string[];
    try {
      found = isIP(host) === 0 ? await this.#addressesOf(host, program) : [host, ...others];
    } catch {
      // The last good response stays, as long as it is still allowed.
      const good =
        before?.kind === "address" ? before.all.filter((each) => reasonOf(each) === undefined) : [];
      return before?.kind === "address" && good.length > 0
        ? { kind: "address", servers: nextServers(before.servers, good), all: good }
        : { kind: "unresolved" };
    }
    const reasons = found.map(reasonOf);
    const allowed = found.filter((_, index) => reasons[index] === undefined);
    if (allowed.length > 0) {
      const servers = nextServers(before?.kind === "address" ? before.servers : [], allowed);
      return { kind: "address", servers, all: allowed };
    }
    const reason = reasons.find((each) => each !== undefined);
    if (reason === undefined) return { kind: "unresolved" };
    return { kind: "blocked", reason, publicReason: publicReason(host, reason) };
  }

  async #addressesOf(name: string, program: RouteProgram): Promise<string[]> {
    return (await this.#options.lookup(name, program.plane.name)).map(({ address }) => address);
  }

  #guardOf(program: RouteProgram): EgressGuard {
    const { egress } = this.#options;
    const known = this.#guards.get(program);
    if (known !== undefined) return known;
    const guard = new EgressGuard({ ...egress, allow: [...egress.allow, ...program.ownRanges] }, "tenant");
    this.#guards.set(program, guard);
    return guard;
  }

  #isOwn(address: string, port: number): boolean {
    const hosts = this.#options.own.filter((each) => each.port === port).map(({ host }) => host);
    if (hosts.length === 0) return false;
    const reached = this.#formsOf(address);
    const isReached = (text: string): boolean => this.#formsOf(text).some((form) => reached.includes(form));
    if (hosts.some(isReached)) return true;
    const isLocal = reached.some((form) => form.startsWith("127.") || form === "::1");
    return hosts.some(isAnyAddress) && (isLocal || interfaceAddresses().some(isReached));
  }

  /**
   * The address in its one canonical form, and the IPv4 addresses that a packet to it may end at. Of two
   * texts that lead to the same place, one may be `::ffff:1.2.3.4` and the other `1.2.3.4`. Empty for a name.
   */
  #formsOf(text: string): string[] {
    const address = parseAddress(text);
    if (address === undefined) return [];
    return [address, ...embeddedAddresses(address, this.#nat64).addresses].map((each) => each.toString());
  }
}

/** Addresses behind names, rules of the configuration and the daemon's own ports are not a tenant's to know. */
function publicReason(host: string, reason: string): string {
  if (isIP(host) !== 0 && /is not a public address|never allowed/.test(reason)) return reason;
  return isIP(host) === 0 ? "the name leads to an address that is not allowed" : "the address is not allowed";
}

/** Servers of one backend, at most. */
const maxServers = 8;

/**
 * The address of each server. An address stays where it is as long as it is allowed, and the servers never
 * become fewer: so a name whose addresses change needs no load of HAProxy's.
 *
 * @param before those of the servers that there are
 * @param allowed not empty
 */
export function nextServers(before: readonly string[], allowed: readonly string[]): string[] {
  const kept = new Set(before.filter((address) => allowed.includes(address)));
  const fresh = allowed.filter((address) => !kept.has(address));
  const seen = new Set<string>();
  const servers = before.map((address) => {
    const isKept = kept.has(address) && !seen.has(address);
    const next = isKept
      ? address
      : (fresh.shift() ?? (kept.has(address) ? address : (allowed[0] ?? address)));
    seen.add(next);
    return next;
  });
  return [...servers, ...fresh.slice(0, Math.max(0, maxServers - servers.length))];
}

/** Whether a listener's host may be any address of this machine; it may be if the host is a name. */
function isAnyAddress(host: string): boolean {
  const address = parseAddress(host)?.toString();
  return address === undefined || address === "0.0.0.0" || address === "::";
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address));
}

/** Targets of a program's backends, each once, by {@link targetKey}. */
export function targetsOf({ rules }: RouteProgram): Map<string, BackendTarget> {
  const targets = new Map<string, BackendTarget>();
  for (const { action } of rules) {
    if (action.type === "forward") targets.set(targetKey(action.backend), action.backend);
  }
  return targets;
}

/** The same for targets that lead to the same address. */
export function targetKey({ host, others = [], port }: BackendTarget): string {
  return [host, ...others, port].join(" ");
}

/**
 * Whether a target's certificate cannot be verified, for lack of a name: HAProxy ignores the addresses in a
 * certificate (`iPAddress` of RFC 5280, section 4.2.1.6).
 */
export function isNameless({ scheme, host }: BackendTarget): boolean {
  return scheme === "https" && isIP(host) !== 0;
}
