import { instanceKind } from "./compute/instance.ts";
import { computeLocationKind } from "./compute/location.ts";
import { workloadKind } from "./compute/workload.ts";
import { workloadDeploymentKind } from "./compute/workload-deployment.ts";
import { configMapKind } from "./core/config-map.ts";
import { eventKind } from "./core/event.ts";
import { namespaceKind } from "./core/namespace.ts";
import { secretKind } from "./core/secret.ts";
import { endpointSliceKind } from "./discovery/endpoint-slice.ts";
import { gatewayKind } from "./gateway/gateway.ts";
import { httpRouteKind } from "./gateway/http-route.ts";
import type { KindDefinition } from "./kind.ts";
import { httpProxyKind } from "./networking/http-proxy.ts";
import { defaultCityCodes, locationKind } from "./networking/location.ts";
import { networkKind } from "./networking/network.ts";
import { networkBindingKind } from "./networking/network-binding.ts";
import { networkContextKind } from "./networking/network-context.ts";
import { networkPolicyKind } from "./networking/network-policy.ts";
import { subnetKind } from "./networking/subnet.ts";
import { subnetClaimKind } from "./networking/subnet-claim.ts";
import { projectKind } from "./resourcemanager/project.ts";
import { exportPolicyKind } from "./telemetry/export-policy.ts";

export interface KindSettings {
  /** `platform.cityCodes`. */
  readonly cityCodes?: readonly string[] | undefined;
  /** Whether `egress.allow` has an address that backends of proxies may not have otherwise. */
  readonly isAllowed?: ((address: string) => boolean) | undefined;
}

/** All kinds of the server. A new kind is one file and one line here. */
export function servedKinds(
  groupDomain: string,
  { cityCodes = defaultCityCodes, isAllowed }: KindSettings = {},
): KindDefinition[] {
  return [
    namespaceKind,
    secretKind,
    configMapKind,
    eventKind,
    projectKind(groupDomain),
    exportPolicyKind(groupDomain),
    locationKind(groupDomain, cityCodes),
    computeLocationKind(groupDomain, cityCodes),
    networkKind(groupDomain),
    networkBindingKind(groupDomain),
    networkContextKind(groupDomain),
    networkPolicyKind(groupDomain),
    subnetClaimKind(groupDomain),
    subnetKind(groupDomain),
    workloadKind(groupDomain),
    workloadDeploymentKind(groupDomain),
    instanceKind(groupDomain),
    httpProxyKind(groupDomain, isAllowed),
    gatewayKind(groupDomain),
    httpRouteKind,
    endpointSliceKind,
  ];
}
