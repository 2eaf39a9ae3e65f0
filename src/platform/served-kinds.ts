import type { KindDefinition } from "../kube-server/api/kind.ts";
import { configMapKind } from "../kube-server/kinds/config-map.ts";
import { customResourceDefinitionKind } from "../kube-server/kinds/custom-resource-definition.ts";
import { eventKind } from "../kube-server/kinds/event.ts";
import { eventsEventKind } from "../kube-server/kinds/events-event.ts";
import { leaseKind } from "../kube-server/kinds/lease.ts";
import { namespaceKind } from "../kube-server/kinds/namespace.ts";
import { secretKind } from "../kube-server/kinds/secret.ts";
import { instanceKind } from "./kinds/compute/instance.ts";
import { computeLocationKind } from "./kinds/compute/location.ts";
import { workloadKind } from "./kinds/compute/workload.ts";
import { workloadDeploymentKind } from "./kinds/compute/workload-deployment.ts";
import { endpointSliceKind } from "./kinds/discovery/endpoint-slice.ts";
import { gatewayKind } from "./kinds/gateway/gateway.ts";
import { gatewayClassKind } from "./kinds/gateway/gateway-class.ts";
import { httpRouteKind } from "./kinds/gateway/http-route.ts";
import { referenceGrantKind } from "./kinds/gateway/reference-grant.ts";
import { httpProxyKind } from "./kinds/networking/http-proxy.ts";
import { defaultCityCodes, locationKind } from "./kinds/networking/location.ts";
import { networkKind } from "./kinds/networking/network.ts";
import { networkBindingKind } from "./kinds/networking/network-binding.ts";
import { networkContextKind } from "./kinds/networking/network-context.ts";
import { networkPolicyKind } from "./kinds/networking/network-policy.ts";
import { subnetKind } from "./kinds/networking/subnet.ts";
import { subnetClaimKind } from "./kinds/networking/subnet-claim.ts";
import { projectKind } from "./kinds/resourcemanager/project.ts";
import { exportPolicyKind } from "./kinds/telemetry/export-policy.ts";

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
  const [instance, deployment] = [instanceKind(groupDomain), workloadDeploymentKind(groupDomain)];
  const usedBy = (...users: readonly KindDefinition[]) => ({
    usedBy: { finalizer: `compute.${groupDomain}/in-use`, kinds: users },
  });
  const location = { ...locationKind(groupDomain, cityCodes), ...usedBy(deployment, instance) };
  const gateway = gatewayKind(groupDomain);
  const kinds: KindDefinition[] = [
    namespaceKind,
    { ...secretKind, ...usedBy(instance, gateway) },
    { ...configMapKind, ...usedBy(instance) },
    eventKind,
    eventsEventKind,
    leaseKind,
    projectKind(groupDomain),
    exportPolicyKind(groupDomain),
    location,
    computeLocationKind(location),
    networkKind(groupDomain),
    networkBindingKind(groupDomain),
    networkContextKind(groupDomain),
    networkPolicyKind(groupDomain),
    subnetClaimKind(groupDomain),
    subnetKind(groupDomain),
    workloadKind(groupDomain),
    deployment,
    instance,
    httpProxyKind(groupDomain, isAllowed),
    gatewayClassKind(groupDomain),
    gateway,
    olderVersion(gateway),
    httpRouteKind,
    olderVersion(httpRouteKind),
    referenceGrantKind,
    olderVersion(referenceGrantKind),
    endpointSliceKind,
  ];
  return [...kinds, customResourceDefinitionKind(kinds)];
}

/** The version that the Gateway API serves beside v1, with the same fields. */
function olderVersion(kind: KindDefinition): KindDefinition {
  return { ...kind, version: "v1beta1", storedAs: kind };
}
