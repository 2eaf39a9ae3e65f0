import type { Controller } from "../kube-server/controllers/controller.ts";
import { createEventController } from "../kube-server/controllers/events.ts";
import { createInUseController } from "../kube-server/controllers/in-use-controller.ts";
import { createNamespaceController } from "../kube-server/controllers/namespace-controller.ts";
import { createInstanceController } from "./controllers/compute/instance-controller.ts";
import { createWorkloadController } from "./controllers/compute/workload-controller.ts";
import { createWorkloadDeploymentController } from "./controllers/compute/workload-deployment-controller.ts";
import { createGatewayController } from "./controllers/gateway/gateway-controller.ts";
import { createGatewayHostnames } from "./controllers/gateway/gateway-hostnames.ts";
import { DerivedGateways } from "./controllers/gateway/gateway-reader.ts";
import { createHttpProxyController } from "./controllers/gateway/http-proxy-controller.ts";
import { createHttpRouteController } from "./controllers/gateway/http-route-controller.ts";
import { createNetworkBindingController } from "./controllers/networking/network-binding-controller.ts";
import { createNetworkContextController } from "./controllers/networking/network-context-controller.ts";
import { createNetworkController } from "./controllers/networking/network-controller.ts";
import { createSubnetClaimController } from "./controllers/networking/subnet-claim-controller.ts";
import { createSubnetController } from "./controllers/networking/subnet-controller.ts";
import type { PlatformControllerOptions } from "./controllers/options.ts";
import { createProjectController, type ProjectControllerOptions } from "./controllers/project-controller.ts";

export type ServerControllerOptions = ProjectControllerOptions & PlatformControllerOptions;

/** All controllers of the server. A new one is one file and one line here. */
export function serverControllers(options: ServerControllerOptions): Controller[] {
  const derived = new DerivedGateways();
  const hostnames = createGatewayHostnames(options);
  return [
    createProjectController(options),
    createNamespaceController(options),
    createEventController(options),
    createNetworkController(options),
    createNetworkBindingController(options),
    createNetworkContextController(options),
    createSubnetClaimController(options),
    createSubnetController(options),
    createWorkloadController(options),
    createWorkloadDeploymentController(options),
    createInstanceController(options),
    createHttpProxyController(options, derived, hostnames),
    createGatewayController(options, derived, hostnames),
    createHttpRouteController(options),
    ...options.kinds.flatMap((kind) => {
      const isOwn = kind.storedAs === undefined && kind.usedBy !== undefined;
      return isOwn ? [createInUseController(options, kind, kind.usedBy)] : [];
    }),
  ];
}
