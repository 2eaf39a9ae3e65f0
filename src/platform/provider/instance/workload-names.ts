import type { PlaneObject } from "../../client/api/reflector-step.ts";
import type { FollowedPlane } from "../plane/followed-plane.ts";
import { objectPath } from "../plane/object-writer.ts";
import { namespaceOf, objectsAt, textAt } from "../plane/plane-object.ts";

const maxKnown = 10_000;

/** Names of the Workloads that Instances belong to, through their WorkloadDeployments. */
export class WorkloadNames {
  /** By uid of the WorkloadDeployment, oldest first. */
  readonly #known = new Map<string, string>();

  /** @returns the deployment's own name where its Workload is not known; "" for an Instance of nobody */
  async of(plane: FollowedPlane, instance: PlaneObject, signal: AbortSignal): Promise<string> {
    const { name, uid } = deploymentOf(instance);
    if (name === undefined || uid === undefined) return "";
    const known = this.#known.get(uid);
    if (known !== undefined) return known;
    const deployments = `/apis/compute.${plane.groupDomain}/v1alpha/workloaddeployments`;
    const path = objectPath(deployments, namespaceOf(instance), name);
    const found = await plane.client.send("GET", path, {}, signal);
    const workload = found.outcome === "ok" ? textAt(found.json, "spec", "workloadRef", "name") : undefined;
    if (workload === undefined) return name;
    this.#known.set(uid, workload);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= maxKnown) break;
      this.#known.delete(oldest);
    }
    return workload;
  }
}

/** The WorkloadDeployment that an Instance belongs to; without a name and uid if it is nobody's. */
export function deploymentOf(instance: PlaneObject): { name: string | undefined; uid: string | undefined } {
  const owners = objectsAt(instance, "metadata", "ownerReferences");
  const owner = owners.find(({ kind }) => kind === "WorkloadDeployment");
  return { name: textAt(owner, "name"), uid: textAt(owner, "uid") };
}
