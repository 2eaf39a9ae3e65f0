import type { Json, JsonObject, KubeObject } from "../../../src/kube-server/api/object.ts";
import { objectKey } from "../../../src/kube-server/store/keys.ts";
import { attachedRoutes, routesOfGateway } from "../../../src/platform/controllers/gateway/route-parents.ts";
import { routeProgram } from "../../../src/platform/controllers/gateway/route-programs.ts";
import { endpointSliceKind } from "../../../src/platform/kinds/discovery/endpoint-slice.ts";
import { gatewayKind } from "../../../src/platform/kinds/gateway/gateway.ts";
import { httpRouteKind } from "../../../src/platform/kinds/gateway/http-route.ts";
import { Granted } from "../../../src/platform/kinds/gateway/reference-grant.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { admitted, objectOf } from "../plane/admission.ts";
import { programOf } from "./route-program.ts";

/** An EndpointSlice of the namespace `default`. */
export interface SliceParts {
  readonly name: string;
  readonly port: number;
  readonly addresses: readonly string[];
}

/** The program that the controllers make of a Gateway for HTTP with one HTTPRoute. */
export function programOfManifest(
  rules: readonly JsonObject[],
  slices: readonly SliceParts[],
  more: Partial<Pick<RouteProgram, "gateway" | "plane">> = {},
): RouteProgram {
  const { gateway: uid, plane } = { ...programOf([]), ...more };
  const parent = objectOf(gatewayKind("example"), "g", {
    metadata: { uid },
    spec: {
      gatewayClassName: "external-global-proxy",
      listeners: [{ name: "web", port: 80, protocol: "HTTP" }],
    },
  });
  const spec: Json = { parentRefs: [{ name: "g" }], rules: [...rules] };
  const route = admitted(objectOf(httpRouteKind, "r", { spec }), httpRouteKind);
  const found = slices.map(({ name, port, addresses }): [string, KubeObject] => [
    objectKey(endpointSliceKind, "default", name),
    objectOf(endpointSliceKind, name, {
      addressType: "IPv4",
      endpoints: addresses.map((address) => ({ addresses: [address] })),
      ports: [{ port }],
    }),
  ]);
  return routeProgram({
    plane,
    gateway: parent,
    routes: attachedRoutes(routesOfGateway(parent, [route])),
    backends: { slices: new Map(found), granted: new Granted([]) },
    ownRanges: [],
  });
}

/** A reference to a slice, as a rule has it. */
export function toSlice({ name, port }: SliceParts): JsonObject {
  return { group: "discovery.k8s.io", kind: "EndpointSlice", name, port };
}
