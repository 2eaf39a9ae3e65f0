import { ProjectTenants } from "../../exporter/policy/tenants/project-tenants.ts";
import type { Config } from "../config/schema.ts";
import { isTenantsFile } from "../config/sections/metrics.ts";

/**
 * The projects' tenants in the metrics store (`metrics.tenants`); undefined where the store has no tenants of
 * its own. Those of a file or of annotations are to be set.
 */
export function createProjectTenants({ metrics, controlPlane }: Config): ProjectTenants | undefined {
  if (metrics === undefined || metrics.tenancy === "label") return undefined;
  const { tenancy: form, tenants, operatorTenant } = metrics;
  return new ProjectTenants({
    form,
    origin: isTenantsFile(tenants) ? "file" : tenants === "name" ? "name" : "annotation",
    groupDomain: controlPlane?.groupDomain ?? "platformapis",
    operatorTenant,
  });
}
