import type { Clock } from "../../../base/core/clock.ts";
import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import { type JsonObject, type KubeObject, stringList } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { commonHostname, coversHostname } from "../../kinds/gateway/hostname-rules.ts";
import {
  type HostnameClaim,
  type HostnameClaims,
  type HostnameZone,
  maxHostnames,
} from "../../routing/hostname-claims.ts";
import type { PlatformControllerOptions } from "../options.ts";
import { challengeOf, HostnameProofs, type Proof, txtLookup } from "./hostname-proofs.ts";

export type HostnameState =
  | { readonly kind: "held" }
  /** Why requests for it are not served: reason and message of a condition. */
  | { readonly kind: "refused"; readonly reason: string; readonly message: string };

export type HostnameStates = ReadonlyMap<string, HostnameState>;

export interface GatewayHostnamesOptions {
  readonly claims: HostnameClaims;
  readonly proofs: Pick<HostnameProofs, "check">;
  readonly zones: readonly HostnameZone[];
  /** `gateway.domain`; undefined if no gateway runs. */
  readonly domain: string | undefined;
  readonly clock: Pick<Clock, "nowMs">;
}

/** Hostnames of one Gateway, at most. */
const maxOfGateway = 64;
/** How often a lookup that runs is looked at; for each hostname that the project's Gateways do not hold. */
const soonMs = { least: 500, each: 50 };
/** The same for the lookups: Gateways without number that wait for proofs delay no other project's. */
const unprovenMs = { least: 10_000, each: 1_000 };
const recheckMs = { proven: 6 * 3_600_000, lost: 3_600_000 };
/** After so long without its record, a hostname is released. */
export const lapseMs = 7 * 24 * 3_600_000;

/** The hostnames that a Gateway's listeners and routes name: which it holds, and how it gets others. */
export class GatewayHostnames {
  readonly #options: GatewayHostnamesOptions;
  /** Hostnames that Gateways want and do not hold, by the project's uid and the Gateway's. */
  readonly #missing = new Map<string, Map<string, number>>();

  constructor(options: GatewayHostnamesOptions) {
    this.#options = options;
  }

  /** What is known of hostnames that a Gateway wants; changes nothing. */
  async read(plane: Plane, gateway: string, wanted: readonly string[]): Promise<HostnameStates> {
    const claims = await this.#options.claims.of(wanted);
    return new Map(
      wanted.map((hostname, index): [string, HostnameState] => {
        const claim = claims[index];
        if (index >= maxOfGateway) return [hostname, refused("TooManyHostnames", tooManyOfGateway)];
        const assigned = this.#assignment(hostname, plane);
        if (assigned === "reserved") return [hostname, inUse];
        if (claim === undefined) return [hostname, unproven(hostname, plane, "pending")];
        if (claim.project !== plane.uid) return [hostname, inUse];
        if (claim.gateway !== gateway) return [hostname, sibling];
        if (assigned !== "own" && this.#isLapsed(claim)) {
          return [hostname, unproven(hostname, plane, "missing")];
        }
        return [hostname, { kind: "held" }];
      }),
    );
  }

  /**
   * Takes hostnames that are free and proven, and looks for the proofs of others.
   *
   * @param states of {@link read}
   * @returns what is known now, and when to look again (ms)
   */
  async settle(
    plane: Plane,
    gateway: string,
    states: HostnameStates,
  ): Promise<{ readonly states: HostnameStates; readonly againMs: number | undefined }> {
    const next = new Map(states);
    let againMs: number | undefined;
    const again = (ms: number): void => {
      againMs = Math.min(againMs ?? ms, ms);
    };
    const hostnames = [...states.keys()].slice(0, maxOfGateway);
    const held = [...states.values()].filter(({ kind }) => kind === "held").length;
    const missing = this.#note(plane, gateway, states.size - held);
    const everyMs = Math.max(unprovenMs.least, missing * unprovenMs.each);
    const pendingMs = Math.max(soonMs.least, missing * soonMs.each);
    const claims = await this.#options.claims.of(hostnames);
    for (const [index, hostname] of hostnames.entries()) {
      const assigned = this.#assignment(hostname, plane);
      if (assigned === "reserved") continue;
      const claim = claims[index];
      if (claim !== undefined && (claim.project !== plane.uid || claim.gateway !== gateway)) {
        // It may be released.
        again(everyMs);
      } else if (claim !== undefined && !this.#isLapsed(claim)) {
        if (assigned !== "own") again(await this.#recheck(hostname, claim, plane));
      } else {
        const proof = assigned === "own" ? "proven" : await this.#prove(hostname, plane, everyMs / 2);
        if (proof === "proven") next.set(hostname, await this.#take(hostname, plane, gateway));
        else next.set(hostname, unproven(hostname, plane, proof));
        if (next.get(hostname)?.kind !== "held") again(proof === "pending" ? pendingMs : everyMs);
      }
    }
    return { states: next, againMs };
  }

  /** @returns how many hostnames the project's Gateways want and do not hold */
  #note(plane: Plane, gateway: string, count: number): number {
    const missing = this.#missing.get(plane.uid) ?? new Map<string, number>();
    if (count > 0) this.#missing.set(plane.uid, missing.set(gateway, count));
    else missing.delete(gateway);
    if (missing.size === 0) this.#missing.delete(plane.uid);
    let sum = 0;
    for (const each of missing.values()) sum += each;
    return sum;
  }

  /** Releases all that a Gateway has, once no running gateway serves it. */
  async releaseAll(plane: Plane, gateway: string): Promise<void> {
    this.#note(plane, gateway, 0);
    await this.releaseOthers(gateway, []);
  }

  /** Releases what a Gateway no longer has, once none serves it. @param kept what it still has */
  async releaseOthers(gateway: string, kept: readonly string[]): Promise<void> {
    const { claims } = this.#options;
    const held = await claims.held(gateway);
    await claims.release(
      gateway,
      held.filter((each) => !kept.includes(each)),
    );
  }

  async #take(hostname: string, plane: Plane, gateway: string): Promise<HostnameState> {
    const { claims, clock } = this.#options;
    const owner = { project: plane.uid, gateway };
    const outcome = await claims.claim(hostname, owner, clock.nowMs());
    if (outcome === "taken") return inUse;
    if (outcome === "full") return refused("TooManyHostnames", tooManyOfProject);
    await claims.note(hostname, { ...owner, checkedMs: clock.nowMs() });
    return { kind: "held" };
  }

  /** @returns when to look again (ms) */
  async #recheck(hostname: string, claim: HostnameClaim, plane: Plane): Promise<number> {
    const { claims, clock } = this.#options;
    const { lostMs, checkedMs, project, gateway } = claim;
    const nowMs = clock.nowMs();
    const everyMs = lostMs === undefined ? recheckMs.proven : recheckMs.lost;
    const dueMs = checkedMs + everyMs - nowMs;
    if (dueMs > 0) return dueMs;
    const proof = await this.#prove(hostname, plane, unprovenMs.least);
    if (proof === "pending") return soonMs.least;
    if (proof === "failed") return recheckMs.lost;
    const lost = proof === "proven" ? {} : { lostMs: lostMs ?? nowMs };
    await claims.note(hostname, { project, gateway, checkedMs: nowMs, ...lost });
    return proof === "proven" ? recheckMs.proven : recheckMs.lost;
  }

  /** A wildcard that the project holds proves what it covers, too. */
  async #prove(hostname: string, plane: Plane, maxAgeMs: number): Promise<Proof> {
    const labels = hostname.replace("*.", "").split(".");
    const wildcards = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join(".")}`);
    const claims = await this.#options.claims.of(wildcards);
    const isCovered = claims.some((claim) => claim?.project === plane.uid && claim.lostMs === undefined);
    return isCovered ? "proven" : this.#options.proofs.check(hostname, plane.uid, maxAgeMs);
  }

  #isLapsed({ lostMs }: HostnameClaim): boolean {
    return lostMs !== undefined && this.#options.clock.nowMs() - lostMs > lapseMs;
  }

  /** What the operator's configuration says of a hostname. */
  #assignment(hostname: string, { name }: Plane): "own" | "reserved" | undefined {
    const { domain, zones } = this.#options;
    if (domain !== undefined && (isWithin(hostname, domain) || coversHostname(hostname, domain)))
      return "reserved";
    for (const zone of zones) {
      if (isWithin(hostname, zone.domain)) return zone.project === name ? "own" : "reserved";
      if (coversHostname(hostname, zone.domain) && zone.project !== name) return "reserved";
    }
    return undefined;
  }
}

function isWithin(hostname: string, domain: string): boolean {
  const base = hostname.replace("*.", "");
  return base === domain || base.endsWith(`.${domain}`);
}

function refused(reason: string, message: string): HostnameState {
  return { kind: "refused", reason, message };
}

const tooManyOfGateway = `a Gateway has at most ${maxOfGateway} hostnames: use another Gateway`;
const tooManyOfProject = `a project has at most ${maxHostnames} hostnames: delete some of them`;
/** Names no other project, and does not say whether there is one. */
const inUse = refused("HostnameInUse", "the hostname is in use, or reserved by the operator");
const sibling = refused(
  "HostnameInUse",
  "another Gateway of this project has the hostname: delete it there, or attach the route to that Gateway",
);

function unproven(hostname: string, plane: Plane, proof: Exclude<Proof, "proven">): HostnameState {
  const { name, value } = challengeOf(hostname, plane.uid);
  const create = `create the DNS TXT record ${name} with the value ${value}`;
  const why = proof === "failed" ? "; at present no name server says whether it is there" : "";
  return refused("HostnameNotVerified", `${create}; it is looked up again within a minute${why}`);
}

export function createGatewayHostnames(options: PlatformControllerOptions): GatewayHostnames {
  const { hostnameClaims: claims, hostnameZones: zones, gatewayDomain: domain, clock } = options;
  const proofs = new HostnameProofs({ clock, lookUp: txtLookup(options.nameServers) });
  return new GatewayHostnames({ claims, zones, domain, clock, proofs });
}

/** Hostnames for which a listener takes the requests of a route; undefined: every hostname of the Gateway. */
export function hostnamesOfRoute(listener: JsonObject, route: KubeObject): (string | undefined)[] {
  const own = typeof listener["hostname"] === "string" ? listener["hostname"] : undefined;
  const named = stringList(fieldAt(route, ["spec", "hostnames"]) ?? []);
  if (named.length === 0) return [own];
  if (own === undefined) return named;
  return [...new Set(named.flatMap((each) => commonHostname(own, each) ?? []))];
}

/** The hostnames of a Gateway's listeners, then those of the routes that are attached to one of them. */
export function wantedHostnames(
  gateway: KubeObject,
  attached: Iterable<readonly [listener: JsonObject, route: KubeObject]>,
): string[] {
  const wanted = new Set<string>();
  for (const { hostname } of objectsIn(fieldAt(gateway, ["spec", "listeners"]))) {
    if (typeof hostname === "string") wanted.add(hostname);
  }
  for (const [listener, route] of attached) {
    for (const each of hostnamesOfRoute(listener, route)) if (each !== undefined) wanted.add(each);
  }
  return [...wanted];
}
