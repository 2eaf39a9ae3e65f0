import { TelemetrydError } from "../../base/core/errors.ts";
import { tenantIdProblem } from "../policy/tenants/tenant-id.ts";
import type { MetricsStoreSettings } from "./client/store-settings.ts";

/** The settings of the configuration's `metrics` that say how the store's tenants are distinguished. */
export interface TenancySettings extends MetricsStoreSettings {
  /** `label`: by a label of the series, in one store for all. Otherwise each tenant has a store of its own. */
  readonly tenancy: "label" | "header" | "path";
  /** For `header`. */
  readonly tenantHeader?: string | undefined;
}

/** Stands for the tenant's ID in `metrics.url`. */
const placeholder = "{tenant}";

/**
 * The settings of one tenant's store; `tenant` is undefined where the store has no tenants of its own.
 *
 * @throws INTERNAL for a tenant that is missing or invalid: nothing must be read without it
 */
export function settingsOfTenant(
  settings: TenancySettings,
  tenant: string | undefined,
): MetricsStoreSettings {
  const { tenancy, tenantHeader, url } = settings;
  if (tenancy === "label") {
    if (tenant === undefined) return settings;
    throw new TelemetrydError("INTERNAL", "a store without tenants of its own is to be read as one of them");
  }
  const problem = tenant === undefined ? "is missing" : tenantIdProblem(tenant, tenancy);
  if (tenant === undefined || problem !== undefined) {
    throw new TelemetrydError("INTERNAL", `the tenant's ID ${problem}`);
  }
  if (tenancy === "path") {
    if (url.includes(placeholder)) return { ...settings, url: url.replaceAll(placeholder, tenant) };
    throw new TelemetrydError("INTERNAL", `metrics.url has no ${placeholder}`);
  }
  if (tenantHeader === undefined) throw new TelemetrydError("INTERNAL", "there is no metrics.tenantHeader");
  return { ...settings, tenant: { header: tenantHeader, id: tenant } };
}
