import type { KubeObject } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import type { ControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import { keyOf, type Target } from "../../../kube-server/resources/target.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import type { NumberClaims } from "../../../kube-server/store/number-claims.ts";
import { endpointSliceKind } from "../../kinds/discovery/endpoint-slice.ts";
import { backendsOf, httpRouteKind } from "../../kinds/gateway/http-route.ts";
import { subnetKind } from "../../kinds/networking/subnet.ts";
import type { RouteProgram } from "../../routing/route-program.ts";
import { isOwnRange, namedRange } from "./own-ranges.ts";
import { attachedRoutes, type RouteOfGateway, routesOfGateway } from "./route-parents.ts";
import { routeProgram } from "./route-programs.ts";

/** A gateway with what it is connected with. */
export interface GatewayView {
  readonly program: RouteProgram;
  /** The routes that name the gateway as a parent, also those that are not attached. */
  readonly routes: readonly RouteOfGateway[];
  /** The slices of these routes, by key. */
  readonly slices: ReadonlyMap<string, KubeObject>;
}

export interface GatewayReading {
  readonly objects: ControlObjects;
  readonly claims: NumberClaims;
  readonly groupDomain: string;
}

/** Reads what a gateway's program is made of. */
export async function readGateway(
  { objects, claims, groupDomain }: GatewayReading,
  target: Target,
  gateway: KubeObject,
): Promise<GatewayView> {
  const { plane } = target;
  const routes = routesOfGateway(gateway, await objects.dependents(plane, keyOf(target), httpRouteKind));
  const slices = new Map<string, KubeObject>();
  const read = routes
    .flatMap(({ route }) => backendsOf(route))
    .map(async ({ namespace, name }) => {
      const slice = await objects.get(plane, endpointSliceKind, namespace, name);
      if (slice !== undefined) slices.set(objectKey(endpointSliceKind, namespace, name), slice);
    });
  await Promise.all(read);
  const isForwarding = slices.size > 0;
  const ownRanges = isForwarding ? await ownRangesOf({ objects, claims, groupDomain }, plane) : [];
  const program = routeProgram({ plane, gateway, routes: attachedRoutes(routes), slices, ownRanges });
  return { program, routes, slices };
}

async function ownRangesOf(
  { objects, claims, groupDomain }: GatewayReading,
  plane: Plane,
): Promise<string[]> {
  const ranges = new Set<string>();
  for await (const subnet of objects.each(plane, subnetKind(groupDomain))) {
    const range = namedRange(subnet);
    if (range !== undefined && (await isOwnRange(range, plane, claims))) ranges.add(range.text);
  }
  return [...ranges].sort();
}
