import type { Registry } from "prom-client";
import type { Config, GatewayConfig, MetricsConfig } from "./app/config/schema.ts";
import { isTenantsFile } from "./app/config/sections/metrics.ts";
import { boardSource, webhookSource } from "./app/daemon/board-source.ts";
import { DaemonHealth } from "./app/daemon/daemon-health.ts";
import { createExporting, type Exporting } from "./app/daemon/exporting.ts";
import type { Fleet } from "./app/daemon/fleet.ts";
import { PolicyStatuses } from "./app/daemon/policy-statuses.ts";
import { createProjectTenants } from "./app/daemon/project-tenants.ts";
import type { GatewayParts, OpenedGateway } from "./app/daemon/proxying.ts";
import type { QueueViews } from "./app/daemon/queue-views.ts";
import { openSentLog } from "./app/daemon/sent-log.ts";
import type { Clock } from "./base/core/clock.ts";
import { defined } from "./base/core/defined.ts";
import { Releasers, runStages, type Service } from "./base/core/service.ts";
import { version } from "./base/core/version.ts";
import type { Logger } from "./base/log/log.ts";
import { redact } from "./base/log/redact.ts";
import type { RedisRoom } from "./base/redis/redis.ts";
import { lockDirectory } from "./exporter/delivery/state/directory-lock.ts";
import type { SinkStates } from "./exporter/delivery/state/sink-states.ts";
import { StateLog } from "./exporter/delivery/state/state-log.ts";
import { DirectoryWatcher } from "./exporter/policy/directory/directory-watcher.ts";
import { directoryPlane } from "./exporter/policy/plane.ts";
import { PolicyPlans } from "./exporter/policy/policy-plans.ts";
import { PolicyStore } from "./exporter/policy/store.ts";
import type { ProjectTenants } from "./exporter/policy/tenants/project-tenants.ts";
import type { TenantFile } from "./exporter/policy/tenants/tenant-file.ts";
import type { ControlPlane } from "./platform/client/control-plane.ts";
import type { Gateway } from "./platform/gateway/gateway.ts";
import type { Platform } from "./platform/platform.ts";

export interface DaemonDeps {
  readonly clock: Clock;
  readonly log: Logger;
  /** The process's own metrics; created once, so that a reload does not count twice. */
  readonly processRegistry: Registry;
}

/**
 * The daemon: all components of a configuration, wired by hand, running until the signal aborts. This file is
 * the parts list. Each room depends only on the rooms before it; data in the other direction is pulled
 * (snapshots) or returned.
 *
 * Stages stop last first: policy sources and servers, then the exporters, which drain, then Redis, and
 * finally the ops address, so that a stopping daemon can be inspected.
 *
 * Optional parts are loaded only when configured: modules are most of the start-up time (bench/start.ts), and
 * a good part of an idle daemon's memory (bench/idle.ts).
 *
 * @throws TelemetrydError when the daemon cannot start or continue
 */
export async function runDaemon(config: Config, deps: DaemonDeps, signal: AbortSignal): Promise<void> {
  const { clock, log } = deps;
  const releasers = new Releasers();
  try {
    const lock = await lockDirectory(config.state.directory);
    releasers.push(() => lock.release());
    const health = new DaemonHealth(clock, signal);
    const registries: Registry[] = [deps.processRegistry];
    const store = new PolicyStore();
    const tenants = createProjectTenants(config);
    const plans = new PolicyPlans(store, tenants && ((plane) => tenants.of(plane)));
    const redis = needsRedis(config) ? await openRedis(config, clock, log) : undefined;
    const sources: Service[] = [];
    const servers: Service[] = [];

    let exporting: Exporting | undefined;
    if (
      config.metrics !== undefined &&
      (config.policies !== undefined || config.controlPlane !== undefined)
    ) {
      const { directory } = config.state;
      const state = await StateLog.open({ directory, log });
      releasers.push(() => state.close());
      if (config.export.schedule === "local" && config.redis !== undefined) {
        const { takeOverFromFleet } = await import("./app/daemon/fleet-takeover.ts");
        await takeOverFromFleet(config, state.store, clock, log, signal);
      }
      health.watch(() => state.degraded && `the state directory cannot be written: ${state.degraded}`);
      const fleet = await openFleet(config, redis, state.store, clock, log);
      const sentLog = await openSentLog(config, fleet, clock, log);
      releasers.push(async () => sentLog?.close());
      exporting = createExporting({
        config: { ...config, metrics: config.metrics satisfies MetricsConfig },
        state: state.store,
        reportedMs: (plan) => store.policy(plan.policy)?.reported.get(plan.name),
        ...{ fleet, sentLog },
        desired: {
          plans: () => plans.sinks(),
          subscribe: (listener) => {
            const ends = [store.subscribe(listener), tenants?.subscribe(listener)];
            return () => {
              for (const end of ends) end?.();
            };
          },
        },
        clock,
        log,
      });
      releasers.push(exporting.close);
      const { storeWarnings } = exporting;
      health.watch(() => storeWarnings());
      registries.push(...exporting.registries);
    }
    const { snapshotOf = () => undefined, reports } = exporting ?? {};
    const statuses = new PolicyStatuses(plans, snapshotOf, clock, reports);

    if (tenants !== undefined && config.metrics !== undefined) {
      const file = await openTenantFile(config.metrics, tenants, clock, log);
      if (file !== undefined) {
        health.watch(() => file.problem && `metrics.tenants is not up to date: ${redact(file.problem)}`);
        sources.push(file);
      }
    }
    if (config.policies !== undefined) {
      const { directory } = config.policies;
      sources.push(new DirectoryWatcher({ directory, store, clock, log }));
      health.require(() => store.hasPlane(directoryPlane), "the policy directory has not been read yet");
    }
    if (config.controlPlane !== undefined && config.provider !== undefined) {
      const { openProvider } = await import("./app/daemon/providing.ts");
      const ca = await ownAuthority(config, clock);
      const { controlPlane: section, provider: wanted } = config;
      const opened = await openProvider(config, section, wanted, { ca, clock, log });
      releasers.push(opened.close);
      sources.push(opened.provider.service);
      registries.push(opened.provider.registry);
      health.watch(() => opened.provider.problem() && redact(opened.provider.problem() ?? ""));
      if (config.metrics === undefined) {
        health.require(() => hasToken(opened), "there is no token for the control plane yet");
        health.watch(() => tokenTrouble(opened));
      }
    }
    if (config.controlPlane !== undefined && config.metrics !== undefined) {
      const ca = await ownAuthority(config, clock);
      const plane = await openControlPlane(config.controlPlane, {
        ...{ ca, tenantLabel: config.metrics.tenantLabel, tenants },
        ...{ store, statuses, clock, log },
      });
      sources.push(plane.service);
      const { createControlPlaneRegistry } = await import("./platform/client/metrics.ts");
      registries.push(createControlPlaneRegistry(() => plane.bearer()));
      health.require(() => hasToken(plane), "there is no token for the control plane yet");
      health.watch(() => tokenTrouble(plane));
    }
    if (redis !== undefined && config.roadmap !== undefined) {
      const { statuses: shown, refreshIntervalMs } = config.roadmap;
      const { createRoadmap } = await import("./roadmap/cache/roadmap.ts");
      const roadmap = createRoadmap({
        source: boardSource(config.roadmap),
        statuses: shown,
        refreshIntervalMs,
        stateDirectory: config.state.directory,
        redis,
        clock,
        log,
      });
      sources.push(roadmap.service);
      registries.push(roadmap.registry);
      if (config.api !== undefined) {
        const { createWebsiteApi } = await import("./roadmap/api/server.ts");
        const { reader, announce } = roadmap;
        const source = webhookSource(config.roadmap);
        const webhook = source && { ...source, announce };
        const api = createWebsiteApi({ ...config.api, roadmap: reader, webhook, clock, log });
        servers.push(api.service);
        registries.push(api.registry);
      }
    }
    let gateway: Gateway | undefined;
    if (redis !== undefined && config.platform !== undefined) {
      const { listen, groupDomain, cityCodes, tls, limits, quotas, projectNameRetentionMs } = config.platform;
      const { createPlatform } = await import("./platform/platform.ts");
      const { addressesIn } = await import("./base/net/address-range.ts");
      const isAllowed = addressesIn(config.egress.allow);
      const platform = createPlatform({
        ...{
          listen,
          groupDomain,
          cityCodes,
          limits,
          quotas,
          projectNameRetentionMs,
          isAllowed,
          gateway: config.gateway,
          ...tls,
        },
        stateDirectory: config.state.directory,
        redis,
        clock,
        log,
      });
      servers.push(platform.service);
      if (config.gateway !== undefined) {
        const opened = await openOwnGateway(config, config.gateway, { platform, redis, clock, log });
        releasers.push(opened.close);
        gateway = opened.gateway;
        servers.push(opened.gateway.service);
        registries.push(opened.gateway.registry);
        health.watch(() => {
          const problem = opened.gateway.problem();
          return problem && `the gateway does not serve the newest proxies: ${redact(problem)}`;
        });
      }
    }

    const stages: Service[][] = [[...(exporting?.services ?? [])], [...sources, ...servers]];
    if (redis !== undefined) {
      stages.unshift([redis.service]);
      registries.push(redis.registry);
    }
    if (config.ops !== undefined) {
      const [{ buildOpsApp }, { OpsServer }] = await Promise.all([
        import("./app/ops/app.ts"),
        import("./app/ops/server.ts"),
      ]);
      const queues = redis && (await openQueues(config, redis));
      if (queues !== undefined) {
        releasers.push(queues.close);
        registries.push(queues.registry);
      }
      const app = buildOpsApp({
        status: () =>
          defined({
            ...health.snapshot(),
            version,
            replica: reports?.replica,
            policies: statuses.views(),
            source: exporting?.source(),
            rejected: exporting?.rejected(),
            gateway: gateway?.snapshot(),
          }),
        readiness: () => health.readiness(),
        degraded: () => health.degraded(),
        registries,
        pieces: exporting?.exposition,
        listenHost: config.ops.listen.host,
        hosts: config.ops.hosts,
        dashboard: queues?.dashboard,
        nowMs: () => clock.nowMs(),
        log,
      });
      const ops = new OpsServer(app, config.ops.listen, log);
      await ops.listen();
      stages.unshift([ops]);
    }
    log.info({ version }, "telemetryd runs");
    await runStages(stages, signal);
    log.info("telemetryd has stopped");
  } finally {
    await releasers.releaseAll();
  }
}

function needsRedis(config: Config): boolean {
  return config.roadmap !== undefined || config.platform !== undefined || config.export.schedule === "queue";
}

async function openRedis(config: Config, clock: Clock, log: Logger): Promise<RedisRoom> {
  const { createRedis } = await import("./base/redis/redis.ts");
  return createRedis({
    urls: config.redis?.url ?? [],
    stateDirectory: config.state.directory,
    appendFsync: config.platform?.durability ?? "everysec",
    clock,
    log,
  });
}

/** The shared state of replicas; undefined for a daemon that runs all cycles itself. */
async function openFleet(
  config: Config,
  redis: RedisRoom | undefined,
  mirror: SinkStates,
  clock: Clock,
  log: Logger,
): Promise<Fleet | undefined> {
  if (redis === undefined || config.export.schedule !== "queue") return undefined;
  const { createFleet } = await import("./app/daemon/fleet.ts");
  return createFleet({ redis, mirror, clock, log });
}

async function openQueues(config: Config, redis: RedisRoom): Promise<QueueViews | undefined> {
  const { openQueueViews } = await import("./app/daemon/queue-views.ts");
  return openQueueViews(config, redis);
}

/** A daemon that follows its own platform trusts the authority it created, without configuration. */
async function ownAuthority(
  { platform, controlPlane, state }: Config,
  clock: Clock,
): Promise<string | undefined> {
  if (platform === undefined || controlPlane?.apiUrl === undefined || controlPlane.caFile !== undefined)
    return;
  const { listen, tls } = platform;
  const { platformAuthority } = await import("./platform/platform.ts");
  return await platformAuthority({ listen, ...tls, stateDirectory: state.directory }, clock.nowMs());
}

/** The file of the projects' tenants, if there is one. @throws INVALID_CONFIGURATION when it has faults */
async function openTenantFile(
  { tenancy, tenants: path }: MetricsConfig,
  tenants: ProjectTenants,
  clock: Clock,
  log: Logger,
): Promise<TenantFile | undefined> {
  if (tenancy === "label" || !isTenantsFile(path)) return undefined;
  const onChange = (ids: ReadonlyMap<string, string>) => tenants.list(ids);
  const { TenantFile } = await import("./exporter/policy/tenants/tenant-file.ts");
  const file = new TenantFile({ path, form: tenancy, onChange, clock, log });
  await file.load();
  return file;
}

/** The gateway of this daemon's own platform, whose authority issues its certificate. */
async function openOwnGateway(
  config: Config,
  wanted: GatewayConfig,
  { platform, ...parts }: { readonly platform: Platform } & Pick<GatewayParts, "redis" | "clock" | "log">,
): Promise<OpenedGateway> {
  const { openGateway } = await import("./app/daemon/proxying.ts");
  const { loadGatewayCertificate } = await import("./kube-server/tls/server-certificate.ts");
  const { domain, tls } = wanted;
  const certificate = { stateDirectory: config.state.directory, domain, ...tls };
  return await openGateway(config, wanted, {
    ...parts,
    certificate: () => loadGatewayCertificate(certificate, parts.clock.nowMs()),
    onChange: (programs) => platform.wakeGateways(programs),
    onLogLine: (line) => process.stdout.write(`${line}\n`),
  });
}

async function openControlPlane(
  section: NonNullable<Config["controlPlane"]>,
  parts: {
    readonly ca: string | undefined;
    readonly tenantLabel: string | undefined;
    readonly tenants: ProjectTenants | undefined;
    readonly store: PolicyStore;
    readonly statuses: PolicyStatuses;
    readonly clock: Clock;
    readonly log: Logger;
  },
): Promise<ControlPlane> {
  const { createControlPlane, createKubeconfigPlane } = await import("./platform/client/control-plane.ts");
  const { apiUrl, groupDomain, organization, projects, accessTokenFile = "", caFile, kubeconfig } = section;
  const { ca, statuses, tenants, ...others } = parts;
  const common = { ...others, groupDomain, statuses: () => statuses.statuses() };
  if (kubeconfig !== undefined) {
    return createKubeconfigPlane({ ...common, kubeconfig, project: projects[0] ?? "cluster" });
  }
  return createControlPlane({
    ...common,
    apiUrl: apiUrl ?? "",
    organization,
    projects,
    accessTokenFile,
    caFile,
    ca,
    onTenant: (project, id) => tenants?.annotate(project, id),
  });
}

/** A token that currently cannot be renewed still counts. */
function hasToken(plane: Pick<ControlPlane, "bearer">): boolean {
  const { state, renewAt } = plane.bearer();
  return state === "valid" || renewAt !== undefined;
}

function tokenTrouble(plane: Pick<ControlPlane, "bearer">): string | undefined {
  const { state, lastError } = plane.bearer();
  return state === "failing"
    ? `the control plane's token cannot be renewed: ${redact(lastError ?? "")}`
    : undefined;
}
