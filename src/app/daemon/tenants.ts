import { redact } from "../../base/log/redact.ts";
import { ProjectTenants } from "../../exporter/policy/tenants/project-tenants.ts";
import type { Config } from "../config/schema.ts";
import { isTenantsFile } from "../config/sections/metrics.ts";
import type { Part, PartContext } from "./parts.ts";

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

/** The file of the projects' tenants, if there is one. @throws INVALID_CONFIGURATION when it has faults */
export async function openTenantFile(
  { config: { metrics }, clock, log }: PartContext,
  tenants: ProjectTenants | undefined,
): Promise<Part | undefined> {
  if (metrics === undefined || metrics.tenancy === "label" || !isTenantsFile(metrics.tenants))
    return undefined;
  const { TenantFile } = await import("../../exporter/policy/tenants/tenant-file.ts");
  const { tenants: path, tenancy: form } = metrics;
  const file = new TenantFile({ path, form, onChange: (ids) => tenants?.list(ids), clock, log });
  await file.load();
  return {
    stage: "sources and servers",
    services: [file],
    problems: {
      tenants: () => file.problem && `metrics.tenants is not up to date: ${redact(file.problem)}`,
    },
  };
}
