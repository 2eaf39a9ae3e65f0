import { invalidValue } from "../schema/validate.ts";
import { conditionColumns, conditionsSchema } from "./conditions.ts";
import type { KindDefinition } from "./kind.ts";

/** Removed once everything in the project's control plane is gone. */
export function projectFinalizer(groupDomain: string): string {
  return `resourcemanager.${groupDomain}/control-plane`;
}

/** A project of an organization. Creating one creates a control plane; see the project controller. */
export function projectKind(groupDomain: string): KindDefinition {
  const description = "Project is a project of the organization, with a control plane of its own.";
  return {
    group: `resourcemanager.${groupDomain}`,
    version: "v1alpha",
    kind: "Project",
    plural: "projects",
    singular: "project",
    shortNames: [],
    categories: [],
    namespaced: false,
    planes: ["organization"],
    description,
    nameRule: "label",
    builtIn: false,
    statusSubresource: true,
    schema: {
      type: "object",
      description,
      properties: {
        spec: { type: "object", description: "Empty.", default: {}, properties: {} },
        status: {
          type: "object",
          description: "What is known of the project.",
          properties: { conditions: conditionsSchema },
        },
      },
    },
    columns: conditionColumns("Ready"),
    serverFinalizers: [projectFinalizer(groupDomain)],
    selectableFields: {},
    prepare(project, old) {
      if (old !== undefined) return;
      // Set at creation, so that a project never disappears before its control plane.
      const finalizers = new Set(project.metadata.finalizers ?? []);
      project.metadata.finalizers = [...finalizers.add(projectFinalizer(groupDomain))];
    },
    counts: () => ({ projects: 1 }),
    validate(project) {
      const name = project.metadata.name ?? "";
      if (name.length <= 63) return [];
      return [invalidValue("metadata.name", name, "must be no more than 63 characters")];
    },
  };
}
