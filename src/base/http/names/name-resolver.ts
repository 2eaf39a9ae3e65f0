import type { LookupAddress } from "node:dns";
import { networkInterfaces } from "node:os";
import { type Clock, systemClock } from "../../core/clock.ts";
import { FairSemaphore } from "../../core/fair-semaphore.ts";
import { withLimit } from "../../core/signals.ts";
import { type Hosts, parseHosts } from "./hosts-file.ts";
import { NameCache } from "./name-cache.ts";
import { addressesOf, type NameOutcome } from "./name-outcome.ts";
import { type AddressResolver, createResolver, queryAddresses } from "./name-query.ts";
import { ParsedFile } from "./parsed-file.ts";
import { candidates, parseResolvConf, type SearchRules } from "./resolv-conf.ts";

export interface NameResolverOptions {
  /** Name servers, `address` or `address:port`; the system's when empty. */
  readonly servers?: readonly string[];
  readonly clock?: Pick<Clock, "monotonicMs">;
  readonly hostsPath?: string;
  readonly resolvConfPath?: string;
  readonly createResolver?: (servers: readonly string[]) => AddressResolver;
  /** Whether this machine has a public IPv6 address. */
  readonly hasPublicIPv6?: () => boolean;
  readonly limits?: NameLimits;
}

interface NameLimits {
  /** Concurrent lookups over all tenants; {@link FairSemaphore} defines a tenant's share. */
  readonly lookups: number;
  /** Limit for the wait for a lookup; `waitMs` and `lookupMs` together stay below the connect timeout. */
  readonly waitMs: number;
  /** Limit for one lookup with all its candidates. */
  readonly lookupMs: number;
}

const usualLimits: NameLimits = { lookups: 256, waitMs: 3_000, lookupMs: 6_000 };
const maxNames = 20_000;
const maxFreeResolvers = 16;

/**
 * Resolves host names as `dns.lookup` does: by /etc/hosts, then by the name servers, with the search domains
 * of /etc/resolv.conf. `dns.lookup` itself runs on the process's few worker threads, so one tenant's
 * endpoints in a zone whose name servers are down would delay all tenants. Here many lookups run
 * concurrently, tenants take turns, concurrent lookups of one name share a query, and results are cached for
 * their TTL.
 */
export class NameResolver {
  readonly #options: NameResolverOptions;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #hosts: ParsedFile<Hosts>;
  readonly #search: ParsedFile<SearchRules>;
  readonly #cache = new NameCache(maxNames);
  readonly #limits: NameLimits;
  readonly #turns: FairSemaphore;
  readonly #open = new Map<string, Promise<NameOutcome>>();
  /** Unused resolvers for the current resolv.conf: a resolver reads it when it is created. */
  #resolvers: AddressResolver[] = [];
  #resolversRules: SearchRules | undefined;
  readonly #asking = new Set<AddressResolver>();
  #isIPv6First = false;
  #looksAtAddressesAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: NameResolverOptions = {}) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#limits = options.limits ?? usualLimits;
    this.#turns = new FairSemaphore(this.#limits.lookups, "half");
    this.#hosts = new ParsedFile(options.hostsPath ?? "/etc/hosts", parseHosts, this.#clock);
    this.#search = new ParsedFile(options.resolvConfPath ?? "/etc/resolv.conf", parseResolvConf, this.#clock);
  }

  /**
   * @param name not an address
   * @returns at least one address, in connection order
   * @throws NameError
   */
  async lookup(name: string, tenant: string): Promise<readonly LookupAddress[]> {
    const key = name.toLowerCase();
    const local = localAddresses(key, await this.#hosts.value());
    const outcome = local ?? (await this.#outcome(key, tenant));
    return inOrder(addressesOf(name, outcome), this.#prefersIPv6());
  }

  /** Cancels all lookups; otherwise a slow name server would keep the process alive. */
  close(): void {
    for (const resolver of this.#asking) resolver.cancel();
  }

  /** Cached: listing the interfaces of a machine with many containers is too slow to do per connection. */
  #prefersIPv6(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs >= this.#looksAtAddressesAtMs) {
      this.#isIPv6First = (this.#options.hasPublicIPv6 ?? hasPublicIPv6)();
      this.#looksAtAddressesAtMs = nowMs + 30_000;
    }
    return this.#isIPv6First;
  }

  async #outcome(name: string, tenant: string): Promise<NameOutcome> {
    const known = this.#known(name);
    if (known !== undefined) return known;
    try {
      await withLimit(new AbortController().signal, this.#limits.waitMs, (limited) =>
        this.#turns.acquire(tenant, limited),
      );
    } catch {
      return {
        kind: "failed",
        message: "too many lookups of this tenant are waiting for their name servers",
      };
    }
    try {
      // Another lookup may have started meanwhile.
      return await (this.#known(name) ?? this.#ask(name));
    } finally {
      this.#turns.release(tenant);
    }
  }

  #known(name: string): NameOutcome | Promise<NameOutcome> | undefined {
    return this.#cache.get(name, this.#clock.monotonicMs()) ?? this.#open.get(name);
  }

  #ask(name: string): Promise<NameOutcome> {
    const asking = this.#query(name).finally(() => this.#open.delete(name));
    this.#open.set(name, asking);
    return asking;
  }

  async #query(name: string): Promise<NameOutcome> {
    const rules = await this.#search.value();
    const resolver = this.#takeResolver(rules);
    this.#asking.add(resolver);
    // Cancels the resolver's requests, and so ends the query.
    const timer = setTimeout(() => resolver.cancel(), this.#limits.lookupMs).unref();
    const outcome = await queryAddresses(resolver, candidates(name, rules));
    clearTimeout(timer);
    this.#asking.delete(resolver);
    if (this.#resolversRules === rules && this.#resolvers.length < maxFreeResolvers) {
      this.#resolvers.push(resolver);
    }
    this.#cache.set(name, outcome, this.#clock.monotonicMs());
    return outcome;
  }

  #takeResolver(rules: SearchRules): AddressResolver {
    if (this.#resolversRules !== rules) {
      this.#resolversRules = rules;
      this.#resolvers = [];
    }
    const make = this.#options.createResolver ?? createResolver;
    return this.#resolvers.pop() ?? make(this.#options.servers ?? []);
  }
}

const loopback: NameOutcome = {
  kind: "found",
  addresses: [
    { address: "127.0.0.1", family: 4 },
    { address: "::1", family: 6 },
  ],
  ttlMs: 0,
};

/** Names never sent to a name server: RFC 6761, sections 6.3 and 6.4, and the system's own names. */
function localAddresses(name: string, hosts: Hosts): NameOutcome | undefined {
  const bare = name.replace(/\.$/, "");
  const own = hosts.get(bare);
  if (own !== undefined) {
    const addresses = own.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    return { kind: "found", addresses, ttlMs: 0 };
  }
  if (bare === "localhost" || bare.endsWith(".localhost")) return loopback;
  return bare === "invalid" || bare.endsWith(".invalid") ? { kind: "unknown" } : undefined;
}

/**
 * IPv6 first when this machine has a public IPv6 address, as in RFC 6724; otherwise last. Connections try one
 * family after the other (happy eyeballs), so the order only decides which is tried first.
 */
function inOrder(addresses: readonly LookupAddress[], isIPv6First: boolean): LookupAddress[] {
  const first = isIPv6First ? 6 : 4;
  return [
    ...addresses.filter(({ family }) => family === first),
    ...addresses.filter(({ family }) => family !== first),
  ];
}

function hasPublicIPv6(): boolean {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return addresses.some(({ family, address }) => family === "IPv6" && /^[23][0-9a-f]{3}:/i.test(address));
}
