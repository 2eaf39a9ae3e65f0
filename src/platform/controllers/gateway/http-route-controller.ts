import { childObject } from "../../../kube-server/api/object.ts";
import { createControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import { type Controller, done } from "../../../kube-server/controllers/controller.ts";
import { isOwnReport } from "../../../kube-server/controllers/own-writes.ts";
import { objectWork, referrersWork } from "../../../kube-server/controllers/work-items.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { endpointSliceKind } from "../../kinds/discovery/endpoint-slice.ts";
import { gatewayControllerName, gatewayNames } from "../../kinds/gateway/gateway.ts";
import { httpRouteKind, parentsOf } from "../../kinds/gateway/http-route.ts";
import type { PlatformControllerOptions } from "../options.ts";
import { gatewayComponent } from "./gateway-controller.ts";
import { watchedGrants } from "./gateway-work.ts";
import { withoutFormerParents } from "./route-parents.ts";

/** Hands changes of routes and of their slices to the gateways; drops what former parents said of a route. */
export function createHttpRouteController(options: PlatformControllerOptions): Controller {
  const { groupDomain, store, clock } = options;
  const objects = createControlObjects(options, gatewayComponent);
  const controllerName = gatewayControllerName(groupDomain);
  return {
    kind: httpRouteKind,
    ignores: (object, old) => isOwnReport(object, old, gatewayComponent),
    watches: [
      {
        kind: endpointSliceKind,
        affects(object, old) {
          // Annotations concern no route.
          if (object !== undefined && object.metadata.generation === old?.metadata.generation) return [];
          const { namespace = "", name = "" } = (object ?? old)?.metadata ?? {};
          return [referrersWork(objectKey(endpointSliceKind, namespace, name))];
        },
      },
      watchedGrants,
    ],
    async reconcile(target, route) {
      await objects.changeStatus(
        target,
        (old) => {
          const status = childObject(old, "status") ?? {};
          const parents = withoutFormerParents(old, controllerName);
          const { parents: known } = status;
          if (Array.isArray(known) && known.length === parents.length) return old;
          return { ...old, status: { ...status, parents } };
        },
        route,
      );
      const gateways = parentsOf(route).map(({ gateway }) =>
        objectWork(gatewayNames, gateway.namespace, gateway.name),
      );
      await store.addWork(target.plane, [...new Set(gateways)], clock.nowMs());
      return done;
    },
  };
}
