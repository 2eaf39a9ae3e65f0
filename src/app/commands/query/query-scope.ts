import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import { silentLogger } from "../../../base/log/log.ts";
import type { MetricsStoreSettings } from "../../../exporter/metrics-store/client/store-settings.ts";
import type { Tenant } from "../../../exporter/metrics-store/ports/scoped-reader.ts";
import { settingsOfTenant } from "../../../exporter/metrics-store/tenant-settings.ts";
import { directoryPlane, projectNameProblem } from "../../../exporter/policy/plane.ts";
import { readTenants } from "../../../exporter/policy/tenants/tenant-file.ts";
import type { Config, MetricsConfig } from "../../config/schema.ts";
import { createProjectTenants } from "../../daemon/tenants.ts";

/** What a query is confined to: a label, or a store of its own. */
export interface QueryScope {
  readonly settings: MetricsStoreSettings;
  /** Forced on every selector. */
  readonly tenant: Tenant | undefined;
}

/**
 * The scope of a project's queries, as in an export; without a project, that of the directory's policies.
 *
 * @throws INVALID_ARGUMENT; what reading a file of tenants or a Project throws
 */
export async function queryScope(
  config: Config & { readonly metrics: MetricsConfig },
  project: string | undefined,
  signal: AbortSignal,
): Promise<QueryScope> {
  const problem = project === "" ? "must not be empty" : projectNameProblem(project ?? "");
  if (problem !== undefined) throw invalid(`--project ${problem}`);
  const { metrics } = config;
  if (metrics.tenancy === "label") {
    const settings = settingsOfTenant(metrics, undefined);
    return { settings, tenant: tenantByLabel(config, metrics, project) };
  }
  const settings = settingsOfTenant(metrics, await tenantOfStore(config, metrics, project, signal));
  return { settings, tenant: undefined };
}

/**
 * Policies of a directory belong to the operator and see everything; those of a project see only its data.
 */
function tenantByLabel(
  config: Config,
  { tenantLabel }: MetricsConfig,
  project: string | undefined,
): Tenant | undefined {
  if (project !== undefined) {
    if (!tenantLabel) throw invalid("--project needs metrics.tenantLabel in the configuration");
    return { label: tenantLabel, value: project };
  }
  if (tenantLabel && config.controlPlane !== undefined && config.policies === undefined) {
    throw invalid("--project must be given: every query of this configuration is confined to a project");
  }
  return undefined;
}

/** The id of a project's tenant, or of the directory's policies, where the store has tenants of its own. */
export async function tenantOfStore(
  config: Config,
  { tenancy, tenants: origin, operatorTenant }: MetricsConfig,
  project: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (project === undefined && operatorTenant === undefined) {
    throw invalid(
      "--project must be given, or metrics.operatorTenant: every query of this configuration is a tenant's",
    );
  }
  const tenants = createProjectTenants(config);
  if (tenants === undefined || tenancy === "label") throw invalid("the store has no tenants of its own");
  if (project !== undefined && origin === "annotation") {
    tenants.annotate(project, await annotationOf(config, project, signal));
  } else if (project !== undefined && origin !== "name") {
    const read = await readTenants(origin, tenancy);
    if (read.kind === "faulty") {
      throw new TelemetrydError("INVALID_CONFIGURATION", `metrics.tenants: ${read.message}`);
    }
    tenants.list(read.ids);
  }
  const tenant = tenants.of(project ?? directoryPlane);
  if (tenant.kind === "none") throw invalid(tenant.message);
  return tenant.id;
}

async function annotationOf(
  { controlPlane }: Config,
  project: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { apiUrl, organization, groupDomain, accessTokenFile, caFile } = controlPlane ?? {};
  if (!apiUrl || !organization || !groupDomain || !accessTokenFile) {
    throw invalid("the Project's annotation is read from controlPlane.organization, which is not given");
  }
  const { readTenantOfProject } = await import("../../../platform/client/control-plane.ts");
  const options = { apiUrl, organization, groupDomain, accessTokenFile, caFile };
  return readTenantOfProject({ ...options, clock: systemClock, log: silentLogger }, project, signal);
}

function invalid(message: string): TelemetrydError {
  return new TelemetrydError("INVALID_ARGUMENT", message);
}
