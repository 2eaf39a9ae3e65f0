import { createInstanceController } from "./compute/instance-controller.ts";
import { createWorkloadController } from "./compute/workload-controller.ts";
import { createWorkloadDeploymentController } from "./compute/workload-deployment-controller.ts";
import type { PlatformControllerOptions } from "./control-objects.ts";
import type { Controller } from "./controller.ts";
import { createEventController } from "./events.ts";
import { createGatewayController } from "./gateway/gateway-controller.ts";
import { createHttpProxyController } from "./gateway/http-proxy-controller.ts";
import { createHttpRouteController } from "./gateway/http-route-controller.ts";
import { createNamespaceController } from "./namespace-controller.ts";
import { createNetworkBindingController } from "./networking/network-binding-controller.ts";
import { createNetworkContextController } from "./networking/network-context-controller.ts";
import { createNetworkController } from "./networking/network-controller.ts";
import { createSubnetClaimController } from "./networking/subnet-claim-controller.ts";
import { createSubnetController } from "./networking/subnet-controller.ts";
import { createProjectController, type ProjectControllerOptions } from "./project-controller.ts";

export type ServerControllerOptions = ProjectControllerOptions & PlatformControllerOptions;

/** All controllers of the server. A new one is one file and one line here. */
export function serverControllers(options: ServerControllerOptions): Controller[] {
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
    createHttpProxyController(options),
    createGatewayController(options),
    createHttpRouteController(options),
  ];
}
