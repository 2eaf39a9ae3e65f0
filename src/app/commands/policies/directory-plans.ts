import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { Logger } from "../../../base/log/log.ts";
import { DirectoryWatcher } from "../../../exporter/policy/directory/directory-watcher.ts";
import { PolicyPlans } from "../../../exporter/policy/policy-plans.ts";
import type { SinkPlan } from "../../../exporter/policy/spec/types.ts";
import { PolicyStore } from "../../../exporter/policy/store.ts";
import type { Config, MetricsConfig } from "../../config/schema.ts";
import { createProjectTenants } from "../../daemon/tenants.ts";

/** A configuration that exports policies of a directory. */
export type ExportingConfig = Config & {
  readonly metrics: MetricsConfig;
  readonly policies: NonNullable<Config["policies"]>;
};

/** @throws INVALID_CONFIGURATION when a section is missing */
export function exportingConfig(config: Config): ExportingConfig {
  const { metrics, policies } = config;
  if (metrics !== undefined && policies !== undefined) return { ...config, metrics, policies };
  throw new TelemetrydError(
    "INVALID_CONFIGURATION",
    "this command needs the sections metrics and policies: it works with what policies.directory declares",
  );
}

/** The current plans of the directory's policies. */
export async function plansInDirectory(
  config: ExportingConfig,
  log: Logger,
  signal: AbortSignal,
): Promise<SinkPlan[]> {
  const store = new PolicyStore();
  const { directory } = config.policies;
  await new DirectoryWatcher({ directory, store, clock: systemClock, log }).look(signal);
  const tenants = createProjectTenants(config);
  return new PolicyPlans(store, tenants).sinks();
}
