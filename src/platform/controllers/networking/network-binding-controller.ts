import { findCondition } from "../../../kube-server/api/conditions.ts";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { isTrue, type NewCondition } from "../../../kube-server/controllers/conditions.ts";
import {
  controllerReference,
  createControlObjects,
} from "../../../kube-server/controllers/control-objects.ts";
import { again, type Controller, done } from "../../../kube-server/controllers/controller.ts";
import { isOwnReport } from "../../../kube-server/controllers/own-writes.ts";
import { quotaExceeded, quotaRefusal, quotaRetryMs } from "../../../kube-server/controllers/quota.ts";
import { referrersWork } from "../../../kube-server/controllers/work-items.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { networkKind } from "../../kinds/networking/network.ts";
import {
  locationOfBinding,
  networkBindingKind,
  networkOfBinding,
} from "../../kinds/networking/network-binding.ts";
import {
  contextReference,
  locationOfContext,
  networkContextKind,
  networkOfContext,
} from "../../kinds/networking/network-context.ts";
import type { NamespacedName } from "../../kinds/references.ts";
import type { PlatformControllerOptions } from "../options.ts";
import { contextNames, createdByAnnotation, findContext, isContextOf } from "./context-names.ts";

const component = "telemetryd-network-binding-controller";

/** Binds to the context of a network at a location, which it creates if there is none. */
export function createNetworkBindingController(options: PlatformControllerOptions): Controller {
  const { groupDomain } = options;
  const kind = networkBindingKind(groupDomain);
  const network = networkKind(groupDomain);
  const contextKind = networkContextKind(groupDomain);
  const objects = createControlObjects(options, component);

  const createContext = async (plane: Plane, owner: KubeObject, of: NamespacedName, at: NamespacedName) => {
    for (const name of contextNames(of, at)) {
      const created = await objects.create(
        { plane, kind: contextKind, namespace: of.namespace, name },
        {
          annotations: { [createdByAnnotation(groupDomain)]: "networkbinding" },
          ownerReferences: [controllerReference(network, owner)],
          spec: { network: { name: of.name }, location: { ...at } },
        },
      );
      if (created !== undefined) return;
      const present = await objects.get(plane, contextKind, of.namespace, name);
      // Another binding may have created it a moment ago.
      if (present === undefined || isContextOf(present, of, at)) return;
    }
  };

  return {
    kind,
    ignores: (object, old) => isOwnReport(object, old, component),
    watches: [
      {
        kind: contextKind,
        affects(object, old) {
          const context = object ?? old;
          const [of, at] =
            context === undefined ? [] : [networkOfContext(context), locationOfContext(context)];
          return of === undefined || at === undefined ? [] : [referrersWork(contextReference(of, at))];
        },
      },
      {
        kind: network,
        affects(object, old) {
          if (object !== undefined && old !== undefined) return [];
          const { namespace = "", name = "" } = (object ?? old)?.metadata ?? {};
          return [referrersWork(objectKey(network, namespace, name))];
        },
      },
    ],
    async reconcile(target, binding) {
      const { plane } = target;
      const [of, at] = [networkOfBinding(binding), locationOfBinding(binding)];
      if (of === undefined || at === undefined || binding.metadata.deletionTimestamp !== undefined)
        return done;
      const owner = await objects.get(plane, network, of.namespace, of.name);
      if (owner === undefined) {
        await objects.setStatus(target, [
          notReady("NetworkNotFound", "The network referenced in the binding was not found."),
        ]);
        return done;
      }
      const context = await findContext(objects, groupDomain, plane, of, at);
      if (context === undefined) {
        const isGoing = owner.metadata.deletionTimestamp !== undefined;
        const refusal = isGoing ? undefined : await quotaRefusal(() => createContext(plane, owner, of, at));
        if (refusal !== undefined) {
          await objects.setStatus(target, [notReady(quotaExceeded, refusal)]);
          return again(quotaRetryMs);
        }
        await objects.setStatus(target, [notReady("NetworkContextNotReady", contextNotReady)]);
        return done;
      }
      const networkContextRef = { namespace: of.namespace, name: context.metadata.name ?? "" };
      await objects.setStatus(target, [readiness(context)], { networkContextRef }, binding);
      return done;
    },
  };
}

const contextNotReady = "Network context is not ready.";

function notReady(reason: string, message: string): NewCondition {
  return { type: "Ready", status: "False", reason, message };
}

function readiness(context: KubeObject): NewCondition {
  if (isTrue(context, "Ready")) {
    return {
      type: "Ready",
      status: "True",
      reason: "NetworkContextReady",
      message: "Network context is ready.",
    };
  }
  const programmed = findCondition(context, "Programmed");
  if (programmed?.["reason"] === "NetworkFailedToCreate") {
    return notReady("NetworkFailedToCreate", String(programmed["message"]));
  }
  return notReady("NetworkContextNotReady", contextNotReady);
}
