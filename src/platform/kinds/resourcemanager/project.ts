import { conditionColumns, conditionsSchema } from "../../../kube-server/api/conditions.ts";
import { finalizedFromCreation } from "../../../kube-server/api/finalizers.ts";
import type { KindDefinition } from "../../../kube-server/api/kind.ts";
import { objectField } from "../../../kube-server/api/schema.ts";
import { alphaNames } from "../declared-in-projects.ts";

/** Removed once everything in the project's control plane is gone. */
export function projectFinalizer(groupDomain: string): string {
  return `resourcemanager.${groupDomain}/control-plane`;
}

/** A project of an organization. Creating one creates a control plane; see the project controller. */
export function projectKind(groupDomain: string): KindDefinition {
  return {
    ...alphaNames(`resourcemanager.${groupDomain}`, "Project", "projects"),
    shortNames: [],
    categories: [],
    namespaced: false,
    planes: ["organization"],
    nameRule: "label",
    // The addresses of what belongs to a project contain its name, with more in the same label.
    maxNameLength: 55,
    builtIn: false,
    statusSubresource: true,
    schema: objectField("Project is a project of the organization, with a control plane of its own.", [], {
      spec: { type: "object", description: "Empty.", default: {}, properties: {} },
      status: objectField("What is known of the project.", [], { conditions: conditionsSchema }),
    }),
    columns: conditionColumns("Ready"),
    claimsName: true,
    serverFinalizers: [projectFinalizer(groupDomain)],
    selectableFields: {},
    prepare: finalizedFromCreation(projectFinalizer(groupDomain)),
    counts: () => ({ projects: 1 }),
  };
}
