import { yieldToEventLoop } from "../../../base/core/yield-to-event-loop.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import { type Plane, planeKey } from "../../../kube-server/api/plane.ts";
import type { ControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import { namespaceKind } from "../../../kube-server/kinds/namespace.ts";
import { secretKind } from "../../../kube-server/kinds/secret.ts";
import { keyOf, type Target } from "../../../kube-server/resources/target.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import type { NumberClaims } from "../../../kube-server/store/number-claims.ts";
import { endpointSliceKind } from "../../kinds/discovery/endpoint-slice.ts";
import { AllowedNamespaces, selectsNamespaces } from "../../kinds/gateway/allowed-namespaces.ts";
import { backendsOf, httpRouteKind, isPermitted } from "../../kinds/gateway/http-route.ts";
import { certificateSecrets, isSecretPermitted } from "../../kinds/gateway/listener-tls.ts";
import {
  Granted,
  grantsFor,
  grantsIn,
  isGrantFor,
  maxGrants,
  referenceGrantKind,
} from "../../kinds/gateway/reference-grant.ts";
import { subnetKind } from "../../kinds/networking/subnet.ts";
import type { RouteProgram } from "../../routing/route-program.ts";
import type { GatewayHostnames, HostnameStates } from "./gateway-hostnames.ts";
import { type KeyPair, type KeyPairFault, keyPairOf } from "./key-pair.ts";
import { certificatesOf, type ListenerCertificates } from "./listener-certificates.ts";
import { isOwnRange, namedRange } from "./own-ranges.ts";
import { RouteBudget } from "./route-budget.ts";
import { attachedRoutes, hostnamesOfGateway, type RouteOfGateway, routesOfGateway } from "./route-parents.ts";
import { type Backends, routeProgram } from "./route-programs.ts";

/** A gateway with what it is connected with. */
export interface GatewayView {
  readonly program: RouteProgram;
  /** The routes that name the gateway as a parent, also those that are not attached. */
  readonly routes: readonly RouteOfGateway[];
  /** Of these routes. */
  readonly backends: Backends;
  /** What is known of the hostnames that the gateway needs. */
  readonly hostnames: HostnameStates;
  readonly certificates: ListenerCertificates;
}

export interface GatewayReading {
  readonly objects: ControlObjects;
  readonly claims: NumberClaims;
  readonly groupDomain: string;
  readonly derived: DerivedGateways;
  readonly hostnames: Pick<GatewayHostnames, "read">;
}

/** What follows from certain generations of a gateway's objects. */
interface Derived {
  /** These generations. */
  readonly basis: string;
  readonly program: RouteProgram;
  /** By uid of the route, oldest first. */
  readonly attachments: ReadonlyMap<string, Omit<RouteOfGateway, "route">>;
  /** Of the routes' specs, about. */
  readonly bytes: number;
}

/** Of the routes that are remembered. */
const maxBytes = 4 * 2 ** 20;
/** A program without routes has some bytes, too. */
const leastBytes = 1_024;

/**
 * What gateways' programs were made of, and what came of it. All controllers that share it have a program
 * derived once for each state of its objects; the least recent ones are derived again.
 */
export class DerivedGateways {
  readonly #derived = new Map<string, Derived>();
  #bytes = 0;

  /** @param derive called unless this was derived from the same basis */
  get(gateway: string, basis: string, derive: () => Omit<Derived, "basis">): Derived {
    const known = this.#derived.get(gateway);
    const found = known?.basis === basis ? known : { ...derive(), basis };
    if (known !== undefined) this.#forget(gateway, known);
    this.#derived.set(gateway, found);
    this.#bytes += found.bytes;
    for (const [oldest, each] of this.#derived) {
      if (this.#bytes <= maxBytes) break;
      this.#forget(oldest, each);
    }
    return found;
  }

  #forget(gateway: string, { bytes }: Derived): void {
    this.#derived.delete(gateway);
    this.#bytes -= bytes;
  }
}

/** Reads what a gateway's program is made of. */
export async function readGateway(
  { objects, claims, groupDomain, derived, hostnames: known }: GatewayReading,
  target: Target,
  gateway: KubeObject,
): Promise<GatewayView> {
  const { plane } = target;
  const found = await objects.dependents(plane, keyOf(target), httpRouteKind);
  const granted = await grantedTo(objects, plane, [gateway, ...found]);
  const slices = await slicesOf(objects, plane, found, granted);
  const backends = { slices, granted };
  const keyPairs = await keyPairsOf(objects, plane, gateway, granted);
  const certificates = certificatesOf(gateway, keyPairs, granted);
  const isForwarding = slices.size > 0;
  const ownRanges = isForwarding ? await ownRangesOf({ objects, claims, groupDomain }, plane) : [];
  const parts = [gateway, ...found, ...slices.values(), ...granted.grants].map(
    ({ metadata }) => `${metadata.uid} ${metadata.generation}`,
  );
  const labels = selectsNamespaces(gateway) ? await labelsOf(objects, plane, found) : new Map();
  const namespaces = new AllowedNamespaces(gateway, labels);
  const wanted = hostnamesOfGateway(gateway, found, namespaces);
  const hostnames = await known.read(plane, gateway.metadata.uid ?? "", wanted);
  const shown = [...certificates].map(([name, each]) => [
    name,
    each.kind === "served" ? each.keyPair.digest : each.kind,
  ]);
  const basis = JSON.stringify([parts.sort(), ownRanges, [...hostnames], shown, [...labels]]);
  const { program, attachments } = derived.get(`${planeKey(plane)} ${keyOf(target)}`, basis, () => {
    const budget = new RouteBudget();
    const routes = routesOfGateway(gateway, found, hostnames, budget, certificates, namespaces);
    const parts = { plane, gateway, hostnames, certificates, backends, ownRanges };
    return {
      program: routeProgram({ ...parts, routes: attachedRoutes(routes) }),
      attachments: new Map(routes.map(({ route, ...each }) => [route.metadata.uid ?? "", each])),
      bytes: leastBytes + budget.bytes,
    };
  });
  const byUid = new Map(found.map((route) => [route.metadata.uid, route]));
  const routes = [...attachments].flatMap(([uid, each]) => {
    const route = byUid.get(uid);
    return route === undefined ? [] : [{ route, ...each }];
  });
  return { program, routes, backends, hostnames, certificates };
}

/** Labels of the namespaces of routes. */
async function labelsOf(
  objects: ControlObjects,
  plane: Plane,
  routes: readonly KubeObject[],
): Promise<Map<string, Readonly<Record<string, string>>>> {
  const names = [...new Set(routes.map(({ metadata }) => metadata.namespace ?? ""))].sort();
  const labels = new Map<string, Readonly<Record<string, string>>>();
  for (const name of names) {
    const namespace = await objects.get(plane, namespaceKind, "", name);
    if (namespace !== undefined) labels.set(name, namespace.metadata.labels ?? {});
  }
  return labels;
}

/** What the ReferenceGrants of other namespaces permit to these objects. */
async function grantedTo(
  objects: ControlObjects,
  plane: Plane,
  referring: readonly KubeObject[],
): Promise<Granted> {
  const needed = new Set(
    referring.flatMap((object) => grantsFor(object, [...backendsOf(object), ...certificateSecrets(object)])),
  );
  const grants: KubeObject[] = [];
  if (needed.size === 0) return new Granted(grants);
  const namespaces = new Set(referring.map(({ metadata }) => metadata.namespace ?? ""));
  for await (const grant of objects.each(plane, referenceGrantKind)) {
    if (!needed.has(grantsIn(grant.metadata.namespace ?? "")) || !isGrantFor(grant, namespaces)) continue;
    if (grants.push(grant) === maxGrants) break;
  }
  return new Granted(grants);
}

/** The slices that routes may forward to, by key. */
async function slicesOf(
  objects: ControlObjects,
  plane: Plane,
  routes: readonly KubeObject[],
  granted: Granted,
): Promise<Map<string, KubeObject>> {
  const slices = new Map<string, KubeObject>();
  const read = routes.flatMap((route) => {
    const permitted = backendsOf(route).filter((slice) =>
      isPermitted(route.metadata.namespace ?? "", slice, granted),
    );
    return permitted.map(async ({ namespace, name }) => {
      const slice = await objects.get(plane, endpointSliceKind, namespace, name);
      if (slice !== undefined) slices.set(objectKey(endpointSliceKind, namespace, name), slice);
    });
  });
  await Promise.all(read);
  return slices;
}

/** Of the Secrets that the listeners name, one after the other: a check takes some ms. */
async function keyPairsOf(
  objects: ControlObjects,
  plane: Plane,
  gateway: KubeObject,
  granted: Granted,
): Promise<Map<string, KeyPair | KeyPairFault>> {
  const keyPairs = new Map<string, KeyPair | KeyPairFault>();
  for (const named of certificateSecrets(gateway)) {
    const { namespace, name } = named;
    const key = objectKey(secretKind, namespace, name);
    const isOver = keyPairs.has(key) || !isSecretPermitted(gateway.metadata.namespace ?? "", named, granted);
    const secret = isOver ? undefined : await objects.get(plane, secretKind, namespace, name);
    if (secret === undefined) continue;
    keyPairs.set(key, keyPairOf(secret));
    await yieldToEventLoop();
  }
  return keyPairs;
}

async function ownRangesOf(
  { objects, claims, groupDomain }: Omit<GatewayReading, "derived" | "hostnames">,
  plane: Plane,
): Promise<string[]> {
  const ranges = new Set<string>();
  for await (const subnet of objects.each(plane, subnetKind(groupDomain))) {
    const range = namedRange(subnet);
    if (range !== undefined && (await isOwnRange(range, plane, claims))) ranges.add(range.text);
  }
  return [...ranges].sort();
}
