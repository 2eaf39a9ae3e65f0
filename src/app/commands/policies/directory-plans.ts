import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { Logger } from "../../../base/log/log.ts";
import { DirectoryWatcher } from "../../../exporter/policy/directory/directory-watcher.ts";
import type { SinkPlan } from "../../../exporter/policy/spec/types.ts";
import type { Config, MetricsConfig } from "../../config/schema.ts";
import { createPolicies } from "../../daemon/policies.ts";

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

/** What a directory of policies holds now. */
export async function readDirectory(config: Config, directory: string, log: Logger, signal: AbortSignal) {
  const { store, plans } = createPolicies(config);
  const watcher = new DirectoryWatcher({ directory, store, clock: systemClock, log });
  await watcher.look(signal);
  return { store, plans, problems: watcher.problems() };
}

/** The current plans of the directory's policies. */
export async function plansInDirectory(
  config: ExportingConfig,
  log: Logger,
  signal: AbortSignal,
): Promise<SinkPlan[]> {
  return (await readDirectory(config, config.policies.directory, log, signal)).plans.sinks();
}
