import type { KindDefinition } from "../../kube-server/api/kind.ts";
import { objectField, type Schema } from "../../kube-server/api/schema.ts";

/** What the kinds that a project declares have in common: custom, namespaced, with a status of their own. */
export const declaredInProjects = {
  shortNames: [],
  categories: [],
  namespaced: true,
  planes: ["project"],
  nameRule: "subdomain",
  builtIn: false,
  statusSubresource: true,
  selectableFields: {},
} as const satisfies Partial<KindDefinition>;

/** How a kind of the version v1alpha is named in paths, discovery and objects. */
export function alphaNames(group: string, kind: string, plural: string) {
  return { group, version: "v1alpha", kind, plural };
}

/** The schema of a kind with a spec and a status. */
export function specAndStatus(
  description: string,
  properties: { readonly spec: Schema; readonly status: Schema },
): Schema {
  return objectField(description, ["spec"], properties);
}
