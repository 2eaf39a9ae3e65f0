import type { Clock } from "../../../base/core/clock.ts";
import type { AccessDirectory } from "../access/directory.ts";
import { findCondition } from "../kinds/conditions.ts";
import { defaultNamespace, namespaceKind } from "../kinds/namespace.ts";
import { projectFinalizer } from "../kinds/project.ts";
import { childObject, type JsonObject, type KubeObject } from "../object.ts";
import type { Plane } from "../plane.ts";
import type { CreationGuard, NewState, Resources } from "../resources/resources.ts";
import type { Target, WriteOptions } from "../resources/target.ts";
import { alreadyExists, StatusError } from "../status.ts";
import type { ObjectStore } from "../store/object-store.ts";
import { type Controller, done, type Reconciled } from "./controller.ts";

const manager = "telemetryd-project-controller";
const writeOptions: WriteOptions = {
  dryRun: false,
  fieldValidation: "Ignore",
  fieldManager: manager,
  subresource: "",
  byServer: true,
};

export interface ProjectControllerOptions {
  readonly groupDomain: string;
  readonly directory: AccessDirectory;
  readonly store: ObjectStore;
  readonly resources: Resources;
  readonly clock: Clock;
}

/** Control plane of a Project. */
function planeOf(organization: Plane, project: KubeObject): Plane {
  const { name = "", uid = "" } = project.metadata;
  return { type: "project", name, uid, organization: organization.organization };
}

/**
 * Claims the project's name before the project is created. Names are unique across all organizations, because
 * a plane's address contains only the project's name.
 */
export function projectGuard(
  directory: AccessDirectory,
  project: { readonly group: string; readonly plural: string; readonly kind: string },
): CreationGuard {
  return {
    async before(organization, object) {
      const { name = "", uid = "" } = object.metadata;
      const claim = await directory.claimProject(name, uid, organization.organization);
      if (claim.outcome === "taken") throw alreadyExists(project, name);
    },
    async undo(_organization, object) {
      await directory.releaseProject(object.metadata.name ?? "", object.metadata.uid ?? "");
    },
  };
}

function withFinalizer(project: KubeObject, finalizer: string): NewState {
  const finalizers = [...new Set([...(project.metadata.finalizers ?? []), finalizer])];
  return { object: { ...project, metadata: { ...project.metadata, finalizers } } };
}

/** Creates a plane with its first namespace; does nothing if it exists. */
export async function establishPlane(plane: Plane, store: ObjectStore, resources: Resources): Promise<void> {
  await store.createPlane(plane);
  const target: Target = { plane, kind: namespaceKind, namespace: "", name: defaultNamespace };
  const body: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: defaultNamespace } };
  try {
    await resources.create(target, body, undefined, writeOptions);
  } catch (error) {
    if (!(error instanceof StatusError && error.status.reason === "AlreadyExists")) throw error;
  }
}

/**
 * Lifecycle of a project: creates its control plane and sets Ready. On deletion, deletes the control plane
 * with everything in it, then the project itself.
 */
export function createProjectController(options: ProjectControllerOptions): Controller {
  const { groupDomain, directory, store, resources, clock } = options;
  const finalizer = projectFinalizer(groupDomain);

  const writeReady = async (target: Target, status: "True" | "False", reason: string, message: string) => {
    await resources.change(
      target,
      (old) => {
        const known = findCondition(old, "Ready");
        const now = new Date(clock.nowMs()).toISOString().replace(/\.\d+Z$/, "Z");
        const since = known?.["status"] === status ? (known["lastTransitionTime"] ?? now) : now;
        const observedGeneration = old.metadata.generation ?? 1;
        const condition: JsonObject = {
          ...{ type: "Ready", status, reason, message, observedGeneration },
          lastTransitionTime: since,
        };
        return { object: { ...old, status: { ...childObject(old, "status"), conditions: [condition] } } };
      },
      { ...writeOptions, subresource: "status" },
    );
  };

  return {
    kind: "Project",
    async reconcile(target, project): Promise<Reconciled> {
      const plane = planeOf(target.plane, project);
      if (project.metadata.deletionTimestamp !== undefined) {
        if (!(project.metadata.finalizers ?? []).includes(finalizer)) return done;
        // Release the name first: the plane then stops serving, and its contents can be deleted unseen.
        await directory.releaseProject(plane.name, plane.uid);
        await store.removePlane(plane);
        await resources.change(
          target,
          (old) => {
            const finalizers = (old.metadata.finalizers ?? []).filter((each) => each !== finalizer);
            return { object: { ...old, metadata: { ...old.metadata, finalizers } } };
          },
          writeOptions,
        );
        return done;
      }
      if (!(project.metadata.finalizers ?? []).includes(finalizer)) {
        // Earlier versions allowed removing the finalizer; the plane would outlive the project.
        await resources.change(target, (old) => withFinalizer(old, finalizer), writeOptions);
      }
      if (findCondition(project, "Ready")?.["status"] === "True") return done;
      await writeReady(target, "False", "Provisioning", "The control plane is being created.");
      await establishPlane(plane, store, resources);
      await writeReady(target, "True", "ControlPlaneReady", "The control plane is ready.");
      return done;
    },
  };
}
