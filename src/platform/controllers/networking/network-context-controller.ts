import type { KubeObject } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { createControlObjects } from "../../../kube-server/controllers/control-objects.ts";
import {
  again,
  type Controller,
  done,
  type Reconciled,
  type Watch,
} from "../../../kube-server/controllers/controller.ts";
import { objectWork, referrersWork } from "../../../kube-server/controllers/work-items.ts";
import { keyOf, type Target } from "../../../kube-server/resources/target.ts";
import {
  locationOfBinding,
  networkBindingKind,
  networkOfBinding,
} from "../../kinds/networking/network-binding.ts";
import {
  contextReference,
  locationOfContext,
  networkContextFinalizer,
  networkContextKind,
  networkOfContext,
} from "../../kinds/networking/network-context.ts";
import { subnetKind } from "../../kinds/networking/subnet.ts";
import { subnetClaimKind } from "../../kinds/networking/subnet-claim.ts";
import { contextOfSubnet } from "../../kinds/networking/subnet-spec.ts";
import type { PlatformControllerOptions } from "../options.ts";
import { createdByAnnotation } from "./context-names.ts";

/** How long a context that a binding made outlives its last binding. */
const unusedMs = 30_000;

/** Deletes contexts that are no longer used; on deletion, deletes a context's claims and subnets first. */
export function createNetworkContextController(options: PlatformControllerOptions): Controller {
  const { groupDomain, clock } = options;
  const kind = networkContextKind(groupDomain);
  const bindingKind = networkBindingKind(groupDomain);
  const partKinds = [subnetClaimKind(groupDomain), subnetKind(groupDomain)];
  const objects = createControlObjects(options, "telemetryd-network-context-controller");
  const unusedSince = `networking.${groupDomain}/unused-since`;

  /** @returns whether none is left */
  const deleteParts = async (plane: Plane, target: Target): Promise<boolean> => {
    let isLeft = false;
    for (const partKind of partKinds) {
      for (const part of await objects.dependents(plane, keyOf(target), partKind)) {
        const { namespace = "", name = "" } = part.metadata;
        await objects.delete({ plane, kind: partKind, namespace, name }, part);
        isLeft = true;
      }
    }
    return !isLeft;
  };

  const setUnusedSince = async (target: Target, since: string | undefined) => {
    await objects.annotate(target, (old) => {
      const { [unusedSince]: known, ...annotations } = old.metadata.annotations ?? {};
      if (known === since) return old;
      const next = since === undefined ? annotations : { ...annotations, [unusedSince]: since };
      return { ...old, metadata: { ...old.metadata, annotations: next } };
    });
  };

  const checkUse = async (target: Target, context: KubeObject): Promise<Reconciled> => {
    const [of, at] = [networkOfContext(context), locationOfContext(context)];
    if (of === undefined || at === undefined) return done;
    const { [unusedSince]: since } = context.metadata.annotations ?? {};
    const bindings = await objects.dependents(target.plane, contextReference(of, at), bindingKind);
    if (bindings.some(({ metadata }) => metadata.deletionTimestamp === undefined)) {
      if (since !== undefined) await setUnusedSince(target, undefined);
      return done;
    }
    const nowMs = clock.nowMs();
    const sinceMs = Date.parse(since ?? "");
    // A time in the future is one from before the clock was set back.
    if (Number.isNaN(sinceMs) || sinceMs > nowMs) {
      await setUnusedSince(target, new Date(nowMs).toISOString());
      return again(unusedMs);
    }
    if (nowMs - sinceMs < unusedMs) return again(unusedMs - (nowMs - sinceMs));
    await objects.delete(target, context);
    return done;
  };

  const deletedParts = partKinds.map(
    (partKind): Watch => ({
      kind: partKind,
      affects(part, old) {
        const context = part === undefined && old !== undefined ? contextOfSubnet(old) : undefined;
        return context === undefined ? [] : [objectWork(kind, context.namespace, context.name)];
      },
    }),
  );

  return {
    kind,
    watches: [
      ...deletedParts,
      {
        kind: bindingKind,
        affects(object, old) {
          if (object !== undefined && old !== undefined) return [];
          const binding = object ?? old;
          const [of, at] =
            binding === undefined ? [] : [networkOfBinding(binding), locationOfBinding(binding)];
          return of === undefined || at === undefined ? [] : [referrersWork(contextReference(of, at))];
        },
      },
    ],
    async reconcile(target, context) {
      if (context.metadata.deletionTimestamp !== undefined) {
        if (await deleteParts(target.plane, target)) {
          await objects.dropFinalizer(target, networkContextFinalizer(groupDomain));
        }
        return done;
      }
      const isMade = context.metadata.annotations?.[createdByAnnotation(groupDomain)] !== undefined;
      return isMade ? await checkUse(target, context) : done;
    },
  };
}
