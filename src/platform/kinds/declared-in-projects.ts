import type { KindDefinition } from "../../kube-server/api/kind.ts";

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
