import { fieldAt } from "../../../kube-server/api/fields.ts";
import { type KubeObject, stringList } from "../../../kube-server/api/object.ts";
import { isTrue } from "../../../kube-server/controllers/conditions.ts";
import {
  type ControlObjects,
  controllerReference,
  ownerReference,
} from "../../../kube-server/controllers/control-objects.ts";
import { quotaMessage, quotaRefusal } from "../../../kube-server/controllers/quota.ts";
import type { Target } from "../../../kube-server/resources/target.ts";
import { networkKind } from "../../kinds/networking/network.ts";
import { networkBindingKind } from "../../kinds/networking/network-binding.ts";
import { networkContextKind } from "../../kinds/networking/network-context.ts";
import { subnetClaimKind } from "../../kinds/networking/subnet-claim.ts";
import { type NamespacedName, referent } from "../../kinds/references.ts";
import { firstTrouble, type Trouble } from "./trouble.ts";

/** What brings the networks of a deployment to its location. */
export interface DeploymentNetwork {
  /**
   * Creates what is missing: a binding for each interface, and a claim for each family of a bound network.
   *
   * @param isUsed instances have addresses already: the subnets are there
   * @returns whether every interface has its subnets, and why one of them is not made
   */
  ensure(
    target: Target,
    deployment: KubeObject,
    networks: readonly NamespacedName[],
    location: NamespacedName,
    isUsed: boolean,
  ): Promise<NetworkProgress>;
}

export interface NetworkProgress {
  readonly areReady: boolean;
  /** Why a quota keeps something from being made. */
  readonly refusal: string | undefined;
  /** Why a network has no free block, or the provider has refused a subnet. */
  readonly trouble: Trouble | undefined;
}

const notReady: NetworkProgress = { areReady: false, refusal: undefined, trouble: undefined };

export function createDeploymentNetwork(
  objects: ControlObjects,
  owner: Target["kind"],
  groupDomain: string,
): DeploymentNetwork {
  const bindingKind = networkBindingKind(groupDomain);
  const contextKind = networkContextKind(groupDomain);
  const claimKind = subnetClaimKind(groupDomain);
  const networkDefinition = networkKind(groupDomain);

  /** @returns the binding's context, once it is ready; why a quota refuses the binding or the context */
  const bind = async (
    target: Target,
    deployment: KubeObject,
    index: number,
    network: NamespacedName,
    location: NamespacedName,
  ): Promise<{ readonly context?: NamespacedName | undefined; readonly refusal?: string | undefined }> => {
    const { plane, namespace } = target;
    const name = `${target.name}-net-${index}`;
    const binding = await objects.get(plane, bindingKind, namespace, name);
    if (binding === undefined) {
      const at = { plane, kind: bindingKind, namespace, name };
      const ownerReferences = [controllerReference(owner, deployment)];
      const spec = { network: { ...network }, location: { ...location } };
      return { refusal: await quotaRefusal(() => objects.create(at, { ownerReferences, spec })) };
    }
    const context = referent(fieldAt(binding, ["status", "networkContextRef"]));
    return isTrue(binding, "Ready") ? { context } : { refusal: quotaMessage(binding, "Ready") };
  };

  /** As {@link DeploymentNetwork.ensure}, of one context: it has a subnet for each family of the network. */
  const claim = async (
    { plane }: Target,
    { namespace, name: contextName }: NamespacedName,
    network: NamespacedName,
    location: NamespacedName,
  ): Promise<NetworkProgress> => {
    const context = await objects.get(plane, contextKind, namespace, contextName);
    if (context === undefined || context.metadata.deletionTimestamp !== undefined) return notReady;
    const found = await objects.get(plane, networkDefinition, network.namespace, network.name);
    const families = stringList(fieldAt(found, ["spec", "ipFamilies"]));
    let areReady = families.length > 0;
    let refusal: string | undefined;
    const claims: KubeObject[] = [];
    for (const [index, ipFamily] of families.entries()) {
      const name = `${contextName}-${index}`;
      const known = await objects.get(plane, claimKind, namespace, name);
      if (known === undefined) {
        const at = { plane, kind: claimKind, namespace, name };
        const ownerReferences = [ownerReference(contextKind, context)];
        const spec = {
          subnetClass: "private",
          networkContext: { name: contextName },
          location: { ...location },
          ipFamily,
        };
        refusal ??= await quotaRefusal(() => objects.create(at, { ownerReferences, spec }));
      }
      refusal ??= quotaMessage(known, "Ready");
      areReady &&= isTrue(known, "Ready");
      if (known !== undefined) claims.push(known);
    }
    const trouble =
      firstTrouble("subnet claim", claims, "Allocated") ?? firstTrouble("subnet", claims, "Programmed");
    return { areReady, refusal, trouble };
  };

  return {
    async ensure(target, deployment, networks, location, isUsed) {
      let areReady = true;
      let refusal: string | undefined;
      let trouble: Trouble | undefined;
      for (const [index, network] of networks.entries()) {
        const bound = await bind(target, deployment, index, network, location);
        refusal ??= bound.refusal;
        if (bound.context === undefined) areReady = false;
        else if (!isUsed) {
          const claimed = await claim(target, bound.context, network, location);
          areReady &&= claimed.areReady;
          refusal ??= claimed.refusal;
          trouble ??= claimed.trouble;
        }
      }
      return { areReady, refusal, trouble };
    },
  };
}
