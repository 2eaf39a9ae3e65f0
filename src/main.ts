import type { Registry } from "prom-client";
import type { Config } from "./app/config/schema.ts";
import { openAudit } from "./app/daemon/audit.ts";
import { openControlPlane } from "./app/daemon/control-plane.ts";
import { openExporter } from "./app/daemon/exporter.ts";
import { openGateway } from "./app/daemon/gateway.ts";
import { openOps } from "./app/daemon/ops.ts";
import { type PartContext, Parts } from "./app/daemon/parts.ts";
import { openPlatform, ownAuthority } from "./app/daemon/platform.ts";
import { createPolicies, openPolicyDirectory, openPolicyStatuses } from "./app/daemon/policies.ts";
import { openProvider } from "./app/daemon/provider.ts";
import { openRedis } from "./app/daemon/redis.ts";
import { openRoadmap } from "./app/daemon/roadmap.ts";
import { openTenantFile } from "./app/daemon/tenants.ts";
import type { Clock } from "./base/core/clock.ts";
import { Releasers, runStages } from "./base/core/service.ts";
import { version } from "./base/core/version.ts";
import type { Logger } from "./base/log/log.ts";
import { claimFormat } from "./exporter/delivery/state/directory-format.ts";
import { lockDirectory } from "./exporter/delivery/state/directory-lock.ts";

export interface DaemonDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** The process's own metrics; created once, so that a reload does not count twice. */
  readonly processRegistry: Registry;
  /** A sentence if the configuration was changed since, and cannot be used. */
  readonly configurationProblem: () => string | undefined;
}

/**
 * The daemon: the parts of a configuration, wired by hand, running until the signal aborts. This file is the
 * parts list; a part without its section is undefined. Each depends only on the parts before it; data in the
 * other direction is pulled (snapshots) or returned.
 *
 * A part loads its modules only when it is configured: modules are most of the start-up time
 * (bench/start.ts), and a good part of an idle daemon's memory (bench/idle.ts).
 *
 * @throws TelemetrydError when the daemon cannot start or continue
 */
export async function runDaemon(config: Config, deps: DaemonDeps, signal: AbortSignal): Promise<void> {
  const { clock, log, processRegistry, configurationProblem } = deps;
  const releasers = new Releasers();
  const onClose = (close: () => unknown) => releasers.push(close);
  const context: PartContext = { config, clock, log, startedAtMs: clock.nowMs(), signal, onClose };
  const parts = new Parts();
  try {
    const lock = await lockDirectory(config.state.directory);
    onClose(() => lock.release());
    await claimFormat(config.state.directory);
    const problems = { configuration: configurationProblem };
    parts.add({ stage: "ops", services: [], registries: [processRegistry], problems });
    const policies = createPolicies(config);
    const redis = parts.add(await openRedis(context));
    const exporter = parts.add(await openExporter(context, redis, policies));
    const { statuses } = parts.add(openPolicyStatuses(context, policies, exporter));
    parts.add(await openTenantFile(context, policies.tenants));
    parts.add(await openPolicyDirectory(context, policies));
    const authority = await ownAuthority(context);
    parts.add(await openProvider(context, authority));
    parts.add(await openControlPlane(context, authority, policies, () => statuses.statuses()));
    parts.add(await openRoadmap(context, redis));
    const audit = parts.add(await openAudit(context));
    const platform = parts.add(await openPlatform(context, redis, audit?.write));
    const gateway = parts.add(await openGateway(context, redis, platform));
    parts.add(await openOps(context, { parts, statuses, redis, exporter, gateway }));
    log.info({ version }, "telemetryd runs");
    await runStages(parts.stages(), signal);
    log.info("telemetryd has stopped");
  } finally {
    await releasers.releaseAll();
  }
}
