import { findCondition } from "../../../kube-server/api/conditions.ts";
import { fieldAt } from "../../../kube-server/api/fields.ts";
import { childObject, type JsonObject, type KubeObject, sameJson } from "../../../kube-server/api/object.ts";
import { isTrue, type NewCondition } from "../../../kube-server/controllers/conditions.ts";
import {
  controllerReference,
  createControlObjects,
  isControlledBy,
} from "../../../kube-server/controllers/control-objects.ts";
import {
  again,
  type Controller,
  done,
  type Reconciled,
} from "../../../kube-server/controllers/controller.ts";
import { createEventRecorder } from "../../../kube-server/controllers/events.ts";
import { isOwnCreation, isOwnReport } from "../../../kube-server/controllers/own-writes.ts";
import {
  quotaExceeded,
  quotaMessage,
  quotaRefusal,
  quotaRetryMs,
} from "../../../kube-server/controllers/quota.ts";
import { ownersWork, referrersWork } from "../../../kube-server/controllers/work-items.ts";
import type { Target } from "../../../kube-server/resources/target.ts";
import { objectKey } from "../../../kube-server/store/keys.ts";
import { instanceIndexLabel, instanceKind } from "../../kinds/compute/instance.ts";
import { workloadFinalizer, workloadUidLabel } from "../../kinds/compute/workload.ts";
import {
  locationOfDeployment,
  workloadDeploymentKind,
  workloadDeploymentUidLabel,
} from "../../kinds/compute/workload-deployment.ts";
import { cityCodeOf, cityCodeReference, locationKind } from "../../kinds/networking/location.ts";
import { networkBindingKind } from "../../kinds/networking/network-binding.ts";
import { subnetClaimKind } from "../../kinds/networking/subnet-claim.ts";
import { type NamespacedName, referent } from "../../kinds/references.ts";
import type { PlatformControllerOptions } from "../options.ts";
import { createDeploymentNetwork } from "./deployment-network.ts";
import { networksOfTemplate, templateHash } from "./deployment-plan.ts";
import { countInstances, planInstances } from "./instance-plan.ts";
import { firstTrouble, type Trouble, troubleOf } from "./trouble.ts";

const component = "telemetryd-workload-deployment-controller";
const noLocationMs = 30_000;
const provisioning: Trouble = {
  reason: "ProvisioningInstances",
  message: "Instances are being provisioned",
};
const provisioningNetwork: Trouble = {
  reason: "ProvisioningNetwork",
  message: "Network is being provisioned",
};
/** Instances created in one turn: others get their turns between. */
const createdAtOnce = 50;
/** For each instance that a reconciliation looks at, how long the deployment rests afterwards. */
const restMsPerInstance = 3;

/** Gives a deployment a location, its networks there, and its instances. */
export function createWorkloadDeploymentController(options: PlatformControllerOptions): Controller {
  const { groupDomain } = options;
  const kind = workloadDeploymentKind(groupDomain);
  const [instance, location] = [instanceKind(groupDomain), locationKind(groupDomain)];
  const claimKind = subnetClaimKind(groupDomain);
  const objects = createControlObjects(options, component);
  const events = createEventRecorder(options, component);
  const network = createDeploymentNetwork(objects, kind, groupDomain);

  /** Reports a change of the deployment's state. */
  const setAvailable = async (
    target: Target,
    deployment: KubeObject,
    [reason, message]: readonly [string, string],
    fields: JsonObject = {},
    refusal?: string,
  ) => {
    const status = reason === "StableInstanceFound" ? "True" : "False";
    const state = { type: "Available", status } as const;
    const condition: NewCondition =
      refusal === undefined
        ? { ...state, reason, message }
        : { ...state, reason: quotaExceeded, message: `${message}; ${refusal}` };
    return await objects.setStatus(target, [condition], fields, deployment);
  };

  /** @returns the deployment with its location; undefined if there is none for it, or it is gone */
  const assignLocation = async (target: Target, deployment: KubeObject): Promise<KubeObject | undefined> => {
    const cityCode = fieldAt(deployment, ["spec", "cityCode"]);
    let areThere = false;
    let first: KubeObject | undefined;
    // Their order is that of namespaces and names.
    for await (const each of objects.each(target.plane, location)) {
      if (each.metadata.deletionTimestamp !== undefined) continue;
      areThere = true;
      const isCandidate =
        cityCodeOf(each) === cityCode && findCondition(each, "Ready")?.["status"] !== "False";
      if (isCandidate) {
        first = each;
        break;
      }
    }
    if (first === undefined) {
      const why = areThere
        ? (["NoCandidateLocations", "No locations are candidates for this deployment."] as const)
        : (["NoLocations", "No locations are registered with the system."] as const);
      await setAvailable(target, deployment, why);
      return undefined;
    }
    const { namespace = "", name = "" } = first.metadata;
    const assigned = ["LocationAssigned", "Deployment has been assigned a location."] as const;
    return await setAvailable(target, deployment, assigned, { location: { namespace, name } });
  };

  const instanceTarget = ({ plane, namespace }: Target, name: string): Target => ({
    plane,
    kind: instance,
    namespace,
    name,
  });

  const remove = async (target: Target, instances: readonly KubeObject[]) => {
    for (const each of instances) {
      await objects.delete(instanceTarget(target, each.metadata.name ?? ""), each);
    }
  };

  const createInstances = async (
    target: Target,
    deployment: KubeObject,
    ordinals: readonly number[],
    spec: JsonObject,
  ): Promise<{ readonly created: readonly KubeObject[]; readonly refusal: string | undefined }> => {
    const template = childObject(childObject(deployment, "spec"), "template") ?? {};
    const metadata = childObject(template, "metadata") ?? {};
    const uids = {
      [workloadUidLabel(groupDomain)]: String(fieldAt(deployment, ["spec", "workloadRef", "uid"]) ?? ""),
      [workloadDeploymentUidLabel(groupDomain)]: deployment.metadata.uid ?? "",
    };
    const created: KubeObject[] = [];
    let refusal: string | undefined;
    for (const ordinal of ordinals) {
      const name = `${target.name}-${ordinal}`;
      const labels = {
        ...textMap(metadata["labels"]),
        ...uids,
        [instanceIndexLabel(groupDomain)]: String(ordinal),
      };
      refusal = await quotaRefusal(async () => {
        const object = await objects.create(instanceTarget(target, name), {
          labels,
          annotations: textMap(metadata["annotations"]),
          spec,
          ownerReferences: [controllerReference(kind, deployment)],
        });
        if (object !== undefined) created.push(object);
      });
      // The others are as large.
      if (refusal !== undefined) break;
    }
    const [first] = created;
    if (first === undefined) return { created, refusal };
    const message =
      created.length === 1
        ? `Created instance ${first.metadata.name}`
        : `Created ${created.length} instances`;
    await events.record(target, deployment, { type: "Normal", reason: "InstanceCreated", message });
    return { created, refusal };
  };

  /** Takes edits of instances back. @throws QuotaExceededError */
  const restoreSpecs = async (target: Target, instances: readonly KubeObject[], spec: JsonObject) => {
    for (const each of instances) {
      if (sameJson(each["spec"], spec)) continue;
      const at = instanceTarget(target, each.metadata.name ?? "");
      await objects.change(at, (old) => ({ ...old, spec }));
    }
  };

  const keepInstances = async (
    target: Target,
    deployment: KubeObject,
    instances: readonly KubeObject[],
    at: NamespacedName,
  ): Promise<Reconciled> => {
    const template = childObject(childObject(deployment, "spec"), "template") ?? {};
    const hash = templateHash(template);
    const wanted = Number(fieldAt(deployment, ["spec", "scaleSettings", "minReplicas"]) ?? 0);
    const plan = planInstances(
      instances.map((object) => ({ ordinal: ordinalOf(object), object })),
      wanted,
      hash,
    );
    await remove(target, [...plan.superfluous, ...plan.replaced]);
    const spec = {
      ...(childObject(template, "spec") ?? {}),
      location: { ...at },
      controller: { templateHash: hash },
    };
    const restoration = await quotaRefusal(() => restoreSpecs(target, plan.current, spec));
    const missing = plan.missing.slice(0, createdAtOnce);
    const { created, refusal = restoration } = await createInstances(target, deployment, missing, spec);
    const counts = { ...countInstances([...instances, ...created], hash), desiredReplicas: wanted };
    if (counts.readyReplicas === 0) {
      const { reason, message } = firstTrouble("instance", instances) ?? provisioning;
      const state = [reason, message] as const;
      await setAvailable(target, deployment, state, counts, refusal);
    } else {
      const message = `${counts.readyReplicas}/${wanted} instances are ready`;
      await setAvailable(target, deployment, ["StableInstanceFound", message], counts, refusal);
    }
    if (refusal !== undefined) return again(quotaRetryMs);
    if (plan.missing.length > createdAtOnce) return again(0);
    return { done: true, restMs: instances.length * restMsPerInstance };
  };

  return {
    kind,
    ignores: (object, old) => isOwnReport(object, old, component),
    watches: [
      {
        kind: instance,
        affects(object, old) {
          if (isOwnCreation(object, old, component)) return [];
          return ownersWork(kind, object, old, (each) => [
            isTrue(each, "Available"),
            troubleOf(each)?.message ?? null,
          ]);
        },
      },
      {
        kind: networkBindingKind(groupDomain),
        affects(object, old) {
          if (isOwnCreation(object, old, component)) return [];
          const context = ["status", "networkContextRef"];
          return ownersWork(kind, object, old, (each) => [
            isTrue(each, "Ready"),
            fieldAt(each, context) ?? null,
            quotaMessage(each, "Ready") ?? null,
          ]);
        },
      },
      {
        kind: claimKind,
        affects(object, old) {
          const at = referent(fieldAt(object ?? old, ["spec", "location"]));
          return at === undefined ? [] : [referrersWork(objectKey(location, at.namespace, at.name))];
        },
      },
      {
        kind: location,
        affects(object, old) {
          const references = [object, old].flatMap((each) => {
            const reference = each && cityCodeReference(cityCodeOf(each));
            return reference === undefined ? [] : [referrersWork(reference)];
          });
          return [...new Set(references)];
        },
      },
    ],
    async reconcile(target, known) {
      const { uid = "", deletionTimestamp } = known.metadata;
      const owned = await objects.dependents(target.plane, uid, instance);
      const instances = owned.filter((each) => isControlledBy(each, uid));
      if (deletionTimestamp !== undefined) {
        await remove(target, instances);
        if (instances.length === 0) await objects.dropFinalizer(target, workloadFinalizer(groupDomain));
        return done;
      }
      const deployment =
        locationOfDeployment(known) === undefined ? await assignLocation(target, known) : known;
      const at = deployment && locationOfDeployment(deployment);
      if (deployment === undefined || at === undefined) return again(noLocationMs);
      const networks = networksOfTemplate(deployment);
      const isUsed = instances.length > 0;
      const progress = await network.ensure(target, deployment, networks, at, isUsed);
      if (!progress.areReady && !isUsed) {
        const { refusal, trouble = provisioningNetwork } = progress;
        await setAvailable(target, deployment, [trouble.reason, trouble.message], {}, refusal);
        return refusal === undefined ? done : again(quotaRetryMs);
      }
      return await keepInstances(target, deployment, instances, at);
    },
  };
}

/** `<deployment>-<ordinal>`; -1 for another name. */
function ordinalOf(instance: KubeObject): number {
  const [, digits = "-1"] = /-(0|[1-9]\d*)$/.exec(instance.metadata.name ?? "") ?? [];
  return Number(digits);
}

function textMap(value: JsonObject[string] | undefined): Record<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}
