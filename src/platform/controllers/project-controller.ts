import { findCondition } from "../../kube-server/api/conditions.ts";
import type { KubeObject } from "../../kube-server/api/object.ts";
import type { Plane } from "../../kube-server/api/plane.ts";
import { createControlObjects } from "../../kube-server/controllers/control-objects.ts";
import { again, type Controller, done, type Reconciled } from "../../kube-server/controllers/controller.ts";
import {
  deleteContent,
  establishPlane,
  type PlaneContentOptions,
} from "../../kube-server/controllers/plane-content.ts";
import type { NewState } from "../../kube-server/resources/resources.ts";
import { keyOf, serverWrites, type Target } from "../../kube-server/resources/target.ts";
import type { NumberClaims } from "../../kube-server/store/number-claims.ts";
import { projectFinalizer, projectKind } from "../kinds/resourcemanager/project.ts";
import type { ProjectNames } from "./project-names.ts";

const manager = "telemetryd-project-controller";
const writeOptions = serverWrites(manager);

export interface ProjectControllerOptions extends PlaneContentOptions {
  readonly groupDomain: string;
  readonly names: ProjectNames;
  readonly claims: NumberClaims;
}

const nameTakenMessage =
  "The name belongs to another organization. Delete this project and create one with another name.";
/** The name may become free. */
const nameTakenMs = 60_000;

/** Control plane of a Project. */
function planeOf(organization: Plane, project: KubeObject): Plane {
  const { name = "", uid = "" } = project.metadata;
  return { type: "project", name, uid, organization: organization.organization };
}

function withFinalizer(project: KubeObject, finalizer: string): NewState {
  const finalizers = [...new Set([...(project.metadata.finalizers ?? []), finalizer])];
  return { object: { ...project, metadata: { ...project.metadata, finalizers } } };
}

/**
 * Lifecycle of a project: creates its control plane and sets Ready. On deletion, deletes the control plane
 * with everything in it, then the project itself.
 */
export function createProjectController(options: ProjectControllerOptions): Controller {
  const { groupDomain, names, store, claims, resources, clock } = options;
  const finalizer = projectFinalizer(groupDomain);

  const objects = createControlObjects(options, manager);

  const writeReady = async (target: Target, status: "True" | "False", reason: string, message: string) => {
    await objects.setStatus(target, [{ type: "Ready", status, reason, message }]);
  };

  /** @returns whether everything in the plane is gone */
  const emptyPlane = async (target: Target, plane: Plane): Promise<boolean> => {
    await store.leavePlane(plane);
    const left = await deleteContent(options, plane, undefined);
    if (left === undefined) return true;
    const counts = [...left.kinds].map(([kind, count]) => `${count} ${kind}`).join(", ");
    await writeReady(target, "False", "Terminating", `Waiting for the finalizers of: ${counts}.`);
    return false;
  };

  return {
    kind: projectKind(groupDomain),
    async reconcile(target, project): Promise<Reconciled> {
      const plane = planeOf(target.plane, project);
      if (project.metadata.deletionTimestamp !== undefined) {
        if (!(project.metadata.finalizers ?? []).includes(finalizer)) return done;
        if ((await store.newestVersion(plane)) !== undefined && !(await emptyPlane(target, plane))) {
          return again(500);
        }
        // Release the name first: the plane then stops serving.
        await names.release(plane, clock.nowMs());
        await store.removePlane(plane);
        await claims.removePlane(plane);
        await objects.dropFinalizer(target, finalizer);
        return done;
      }
      if (!(project.metadata.finalizers ?? []).includes(finalizer)) {
        // Earlier versions allowed removing the finalizer; the plane would outlive the project.
        await resources.change(target, (old) => withFinalizer(old, finalizer), writeOptions);
      }
      if (!(await names.restore(target.plane, keyOf(target), plane, clock.nowMs()))) {
        await writeReady(target, "False", "NameTaken", nameTakenMessage);
        return again(nameTakenMs);
      }
      if (findCondition(project, "Ready")?.["status"] === "True") return done;
      await writeReady(target, "False", "Provisioning", "The control plane is being created.");
      await establishPlane(plane, store, resources);
      await writeReady(target, "True", "ControlPlaneReady", "The control plane is ready.");
      return done;
    },
  };
}
