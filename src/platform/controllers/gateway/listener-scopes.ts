import { fieldAt, objectsIn } from "../../../kube-server/api/fields.ts";
import type { JsonObject, KubeObject } from "../../../kube-server/api/object.ts";
import { listenerFault } from "../../kinds/gateway/gateway.ts";
import { coversHostname } from "../../kinds/gateway/hostname-rules.ts";
import type { Listener } from "../../routing/route-program.ts";
import type { HostnameStates } from "./gateway-hostnames.ts";

export function protocolOf(listener: JsonObject): Listener {
  return listener["protocol"] === "HTTPS" ? "https" : "http";
}

/** A hostname, or undefined for every one, that a listener takes for a route. */
export interface HostOfListener {
  readonly host: string | undefined;
  readonly listener: JsonObject;
}

/** Requests that a gateway takes for a route. */
export interface RouteHost {
  /** Undefined: those for every hostname of the gateway. */
  readonly host: string | undefined;
  /** Hostnames of these whose requests are another listener's, in order. */
  readonly except: readonly string[];
  readonly listeners: readonly Listener[];
}

/**
 * Which hostnames belong to which listener of a gateway: the most specific one of a protocol has all requests
 * for a hostname, and no other's routes get them (Gateway API, "listener isolation").
 */
export class ListenerScopes {
  readonly #listeners: readonly JsonObject[];
  readonly #owners = new Map<string, JsonObject | undefined>();
  readonly #within = new Map<string, readonly string[]>();

  /** @param hostnames those that the gateway needs: a listener whose hostname it does not hold is not there */
  constructor(gateway: KubeObject, hostnames: HostnameStates) {
    this.#listeners = objectsIn(fieldAt(gateway, ["spec", "listeners"])).filter((listener) => {
      const name = hostnameOf(listener);
      const isHeld = name === undefined || hostnames.get(name)?.kind === "held";
      return isHeld && listenerFault(listener) === undefined;
    });
  }

  /** The listener that has the requests for a hostname or wildcard, or for those that no other has. */
  ownerOf(protocol: Listener, host: string | undefined): JsonObject | undefined {
    const key = `${protocol} ${host ?? ""}`;
    if (!this.#owners.has(key)) {
      const covering = this.#of(protocol).filter((listener) => {
        const name = hostnameOf(listener);
        return name === undefined || (host !== undefined && coversHostname(name, host));
      });
      // Of hostnames that cover the same one, the longest is the most specific.
      this.#owners.set(key, covering.sort((a, b) => specificity(b) - specificity(a))[0]);
    }
    return this.#owners.get(key);
  }

  /** Hostnames of the listeners of a protocol, the most specific first. */
  hostnamesOn(protocol: Listener): string[] {
    const listeners = this.#of(protocol).sort((a, b) => specificity(b) - specificity(a));
    return [...new Set(listeners.flatMap((each) => hostnameOf(each) ?? []))];
  }

  /** For which hosts the gateway takes a route's requests. @param attached its listeners that are served */
  hostsOf(attached: readonly HostOfListener[]): RouteHost[] {
    const found = new Map<
      string,
      { host: string | undefined; except: readonly string[]; listeners: Listener[] }
    >();
    for (const protocol of ["http", "https"] as const) {
      for (const { host, except } of this.#hostsOn(protocol, attached)) {
        const key = JSON.stringify([host ?? null, except]);
        const known = found.get(key);
        if (known === undefined) found.set(key, { host, except, listeners: [protocol] });
        else known.listeners.push(protocol);
      }
    }
    return [...found.values()];
  }

  #hostsOn(protocol: Listener, attached: readonly HostOfListener[]): Omit<RouteHost, "listeners">[] {
    const own = attached.filter(
      ({ host, listener }) =>
        protocolOf(listener) === protocol && this.ownerOf(protocol, host)?.["name"] === listener["name"],
    );
    const hosts = new Set(own.map(({ host }) => host));
    const exceptOf = (host: string | undefined) =>
      this.#withinOf(protocol, host).filter((name) => !hosts.has(name));
    const others = hosts.has(undefined) ? exceptOf(undefined) : [];
    return [...hosts].flatMap((host) => {
      // The entry of every host has these requests, too.
      const isCovered =
        host !== undefined &&
        hosts.has(undefined) &&
        !others.some((name) => coversHostname(name, host) || coversHostname(host, name));
      return isCovered ? [] : [{ host, except: exceptOf(host) }];
    });
  }

  /** Hostnames of listeners that have some of a host's requests, but not all. */
  #withinOf(protocol: Listener, host: string | undefined): readonly string[] {
    const key = `${protocol} ${host ?? ""}`;
    let within = this.#within.get(key);
    if (within === undefined) {
      const names = this.#of(protocol).flatMap((listener) => hostnameOf(listener) ?? []);
      within = names
        .filter((name) => name !== host && (host === undefined || coversHostname(host, name)))
        .sort();
      this.#within.set(key, within);
    }
    return within;
  }

  #of(protocol: Listener): JsonObject[] {
    return this.#listeners.filter((each) => protocolOf(each) === protocol);
  }
}

/** Grows with what a hostname has in common with those that it covers: `a.b.c` is more than `*.b.c`. */
function specificity(listener: JsonObject): number {
  const name = hostnameOf(listener) ?? "";
  return name.startsWith("*") ? name.length - 1 : name.length;
}

function hostnameOf({ hostname }: JsonObject): string | undefined {
  return typeof hostname === "string" ? hostname : undefined;
}
