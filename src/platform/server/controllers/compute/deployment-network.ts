import { fieldAt } from "../../kinds/fields.ts";
import { networkKind } from "../../kinds/networking/network.ts";
import { networkBindingKind } from "../../kinds/networking/network-binding.ts";
import { networkContextKind } from "../../kinds/networking/network-context.ts";
import { subnetClaimKind } from "../../kinds/networking/subnet-claim.ts";
import { type NamespacedName, referent } from "../../kinds/references.ts";
import { type KubeObject, stringList } from "../../object.ts";
import type { Target } from "../../resources/target.ts";
import { isTrue } from "../conditions.ts";
import { type ControlObjects, controllerReference, ownerReference } from "../control-objects.ts";

/** What brings the networks of a deployment to its location. */
export interface DeploymentNetwork {
  /**
   * Creates what is missing: a binding for each interface, and a claim for each family of a bound network.
   *
   * @param isUsed instances have addresses already: the subnets are there
   * @returns whether every interface has its subnets
   */
  ensure(
    target: Target,
    deployment: KubeObject,
    networks: readonly NamespacedName[],
    location: NamespacedName,
    isUsed: boolean,
  ): Promise<boolean>;
}

export function createDeploymentNetwork(
  objects: ControlObjects,
  owner: Target["kind"],
  groupDomain: string,
): DeploymentNetwork {
  const bindingKind = networkBindingKind(groupDomain);
  const contextKind = networkContextKind(groupDomain);
  const claimKind = subnetClaimKind(groupDomain);
  const networkDefinition = networkKind(groupDomain);

  /** @returns the binding's context, once it is ready */
  const bind = async (
    target: Target,
    deployment: KubeObject,
    index: number,
    network: NamespacedName,
    location: NamespacedName,
  ): Promise<NamespacedName | undefined> => {
    const { plane, namespace } = target;
    const name = `${target.name}-net-${index}`;
    const binding = await objects.get(plane, bindingKind, namespace, name);
    if (binding === undefined) {
      await objects.create(
        { plane, kind: bindingKind, namespace, name },
        {
          ownerReferences: [controllerReference(owner, deployment)],
          spec: { network: { ...network }, location: { ...location } },
        },
      );
      return undefined;
    }
    const context = referent(fieldAt(binding, ["status", "networkContextRef"]));
    return isTrue(binding, "Ready") ? context : undefined;
  };

  /** @returns whether the context has a subnet for each family of the network */
  const claim = async (
    { plane }: Target,
    { namespace, name: contextName }: NamespacedName,
    network: NamespacedName,
    location: NamespacedName,
  ): Promise<boolean> => {
    const context = await objects.get(plane, contextKind, namespace, contextName);
    if (context === undefined || context.metadata.deletionTimestamp !== undefined) return false;
    const found = await objects.get(plane, networkDefinition, network.namespace, network.name);
    const families = stringList(fieldAt(found, ["spec", "ipFamilies"]));
    let areReady = families.length > 0;
    for (const [index, ipFamily] of families.entries()) {
      const name = `${contextName}-${index}`;
      const known = await objects.get(plane, claimKind, namespace, name);
      if (known === undefined) {
        await objects.create(
          { plane, kind: claimKind, namespace, name },
          {
            ownerReferences: [ownerReference(contextKind, context)],
            spec: {
              subnetClass: "private",
              networkContext: { name: contextName },
              location: { ...location },
              ipFamily,
            },
          },
        );
      }
      areReady &&= isTrue(known, "Ready");
    }
    return areReady;
  };

  return {
    async ensure(target, deployment, networks, location, isUsed) {
      let areReady = true;
      for (const [index, network] of networks.entries()) {
        const bound = await bind(target, deployment, index, network, location);
        const isReady = bound !== undefined && (isUsed || (await claim(target, bound, network, location)));
        areReady &&= isReady;
      }
      return areReady;
    },
  };
}
