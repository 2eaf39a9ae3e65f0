import { fieldAt } from "../../../kube-server/api/fields.ts";
import { type JsonObject, type KubeObject, sameJson } from "../../../kube-server/api/object.ts";
import type { Plane } from "../../../kube-server/api/plane.ts";
import { isTrue, type NewCondition, withCondition } from "../../../kube-server/controllers/conditions.ts";
import {
  controllerReference,
  createControlObjects,
  isControlledBy,
} from "../../../kube-server/controllers/control-objects.ts";
import { again, type Controller, done } from "../../../kube-server/controllers/controller.ts";
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
import { workloadFinalizer, workloadKind, workloadUidLabel } from "../../kinds/compute/workload.ts";
import { workloadDeploymentKind } from "../../kinds/compute/workload-deployment.ts";
import { cityCodeOf, cityCodeReference, locationKind } from "../../kinds/networking/location.ts";
import { networkKind } from "../../kinds/networking/network.ts";
import type { PlatformControllerOptions } from "../options.ts";
import {
  deploymentNames,
  networksOfTemplate,
  type PlannedDeployment,
  placementsOf,
  plannedDeployments,
} from "./deployment-plan.ts";
import { firstTrouble, troubleOf } from "./trouble.ts";

const component = "telemetryd-workload-controller";

/** Keeps a deployment for each city of a workload's placements. */
export function createWorkloadController(options: PlatformControllerOptions): Controller {
  const { groupDomain, clock } = options;
  const kind = workloadKind(groupDomain);
  const [deploymentKind, network] = [workloadDeploymentKind(groupDomain), networkKind(groupDomain)];
  const location = locationKind(groupDomain);
  const objects = createControlObjects(options, component);
  const events = createEventRecorder(options, component);

  const missingNetworks = async (plane: Plane, workload: KubeObject): Promise<string[]> => {
    const missing: string[] = [];
    for (const { namespace, name } of networksOfTemplate(workload)) {
      if ((await objects.get(plane, network, namespace, name)) === undefined) missing.push(name);
    }
    return missing;
  };

  const deploymentTarget = ({ plane, namespace }: Target, name: string): Target => ({
    plane,
    kind: deploymentKind,
    namespace,
    name,
  });

  const createDeployment = async (target: Target, workload: KubeObject, planned: PlannedDeployment) => {
    for (const name of deploymentNames(target.name, planned)) {
      const created = await objects.create(deploymentTarget(target, name), {
        labels: { [workloadUidLabel(groupDomain)]: workload.metadata.uid ?? "" },
        ownerReferences: [controllerReference(kind, workload)],
        spec: planned.spec,
      });
      if (created === undefined) continue;
      const message = `Created deployment ${name}`;
      await events.record(target, workload, { type: "Normal", reason: "DeploymentCreated", message });
      return;
    }
  };

  const deleteDeployments = async (target: Target, deployments: readonly KubeObject[]) => {
    for (const deployment of deployments) {
      await objects.delete(deploymentTarget(target, deployment.metadata.name ?? ""), deployment);
    }
  };

  /** Creates, corrects and deletes deployments. @throws QuotaExceededError */
  const keepDeployments = async (
    target: Target,
    workload: KubeObject,
    deployments: readonly KubeObject[],
  ): Promise<void> => {
    const cities = new Set<string>();
    for await (const each of objects.each(target.plane, location)) {
      const code = cityCodeOf(each);
      if (code !== undefined) cities.add(code);
    }
    const byName = new Map(deployments.map((each) => [each.metadata.name ?? "", each]));
    const missing: PlannedDeployment[] = [];
    for (const planned of plannedDeployments(workload, cities)) {
      const name = deploymentNames(target.name, planned).find((each) => byName.has(each)) ?? "";
      const known = byName.get(name);
      byName.delete(name);
      if (known === undefined) missing.push(planned);
      // One that is going is created again once it is gone.
      else if (known.metadata.deletionTimestamp === undefined && !sameJson(planned.spec, known["spec"])) {
        await objects.change(deploymentTarget(target, name), (old) => ({ ...old, spec: planned.spec }));
      }
    }
    await deleteDeployments(target, [...byName.values()]);
    for (const each of missing) await createDeployment(target, workload, each);
  };

  /** @param refusal why a quota keeps deployments or instances from being made */
  const report = async (
    target: Target,
    workload: KubeObject,
    deployments: readonly KubeObject[],
    refusal?: string,
  ) => {
    const now = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, "Z");
    const generation = workload.metadata.generation ?? 1;
    const placements = (old: KubeObject): JsonObject[] => {
      const known = fieldAt(old, ["status", "placements"]);
      return placementsOf(workload).map(({ name }): JsonObject => {
        const own = deployments.filter((each) => fieldAt(each, ["spec", "placementName"]) === name);
        const before = Array.isArray(known)
          ? known.find((each) => fieldAt(each, ["name"]) === name)
          : undefined;
        const conditions = fieldAt(before, ["conditions"]);
        return {
          name,
          ...countsOf(own),
          conditions: withCondition(
            Array.isArray(conditions) ? (conditions as JsonObject[]) : [],
            own.some((each) => isTrue(each, "Available")) ? deploymentFound : noDeployments,
            generation,
            now,
          ),
        };
      });
    };
    const isAvailable = deployments.some((each) => isTrue(each, "Available"));
    const counts = countsOf(deployments);
    const fields = (old: KubeObject) => ({ ...counts, placements: placements(old) });
    const trouble = isAvailable ? undefined : firstTrouble("deployment", deployments);
    const state = isAvailable ? placementFound : { ...noPlacements, ...trouble };
    const condition =
      refusal === undefined
        ? state
        : { ...state, reason: quotaExceeded, message: `${state.message}; ${refusal}` };
    await objects.setStatus(target, [condition], fields, workload);
  };

  return {
    kind,
    ignores: (object, old) => isOwnReport(object, old, component),
    watches: [
      {
        kind: deploymentKind,
        affects(object, old) {
          if (isOwnCreation(object, old, component)) return [];
          return ownersWork(kind, object, old, (each) => [
            isTrue(each, "Available"),
            countsOf([each]),
            quotaMessage(each, "Available") ?? null,
            troubleOf(each)?.message ?? null,
          ]);
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
      {
        kind: location,
        affects(object, old) {
          const codes = new Set([object && cityCodeOf(object), old && cityCodeOf(old)]);
          if (object !== undefined && old !== undefined && codes.size === 1) return [];
          return [...codes].flatMap((code) => {
            const reference = cityCodeReference(code);
            return reference === undefined ? [] : [referrersWork(reference)];
          });
        },
      },
    ],
    async reconcile(target, workload) {
      const { uid = "" } = workload.metadata;
      const owned = await objects.dependents(target.plane, uid, deploymentKind);
      const deployments = owned.filter((each) => isControlledBy(each, uid));
      if (workload.metadata.deletionTimestamp !== undefined) {
        await deleteDeployments(target, deployments);
        if (deployments.length === 0) await objects.dropFinalizer(target, workloadFinalizer(groupDomain));
        return done;
      }
      const missing = await missingNetworks(target.plane, workload);
      if (missing.length > 0) {
        const message = `Unable to find networks: ${missing.join(", ")}`;
        const condition: NewCondition = { ...noPlacements, reason: "NetworkNotFound", message };
        const written = await objects.setStatus(target, [condition], countsOf(deployments));
        if (written?.metadata.resourceVersion !== workload.metadata.resourceVersion) {
          await events.record(target, workload, { type: "Warning", reason: "NetworkNotFound", message });
        }
        return done;
      }
      const held = deployments.map((each) => quotaMessage(each, "Available")).find(Boolean);
      // The report comes first, so that a watch sees the workload before its deployments. Where a quota was
      // exceeded, it would say for a moment that none is.
      const isFirst = quotaMessage(workload, "Available") === undefined || held !== undefined;
      if (isFirst) await report(target, workload, deployments, held);
      const refusal = await quotaRefusal(() => keepDeployments(target, workload, deployments));
      const isLast = !isFirst || (refusal !== undefined && held === undefined);
      if (isLast) await report(target, workload, deployments, refusal);
      return refusal === undefined ? done : again(quotaRetryMs);
    },
  };
}

const noPlacements: NewCondition = {
  type: "Available",
  status: "False",
  reason: "NoAvailablePlacements",
  message: "No available placements were found for the workload",
};
const placementFound: NewCondition = {
  type: "Available",
  status: "True",
  reason: "AvailablePlacementFound",
  message: "At least one available placement was found",
};
const noDeployments: NewCondition = {
  type: "Available",
  status: "False",
  reason: "NoAvailableDeployments",
  message: "No available deployments were found for the placement",
};
const deploymentFound: NewCondition = {
  type: "Available",
  status: "True",
  reason: "AvailableDeploymentFound",
  message: "At least one available deployment was found",
};

function countsOf(deployments: readonly KubeObject[]): JsonObject {
  const sum = (field: string): number =>
    deployments.reduce((total, each) => total + Number(fieldAt(each, ["status", field]) ?? 0), 0);
  return {
    replicas: sum("replicas"),
    currentReplicas: sum("currentReplicas"),
    desiredReplicas: sum("desiredReplicas"),
  };
}
