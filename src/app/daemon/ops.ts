import { defined } from "../../base/core/defined.ts";
import { version } from "../../base/core/version.ts";
import type { RedisConnections } from "../../base/redis/redis.ts";
import type { Gateway } from "../../platform/gateway/gateway.ts";
import type { Readiness } from "../ops/page/readiness.ts";
import type { RunningExporter } from "./exporter.ts";
import type { Part, PartContext, Parts } from "./parts.ts";
import type { PolicyStatuses } from "./policy-statuses.ts";

/** The parts that the ops address shows. */
export interface ShownParts {
  readonly parts: Parts;
  readonly statuses: PolicyStatuses;
  readonly redis: RedisConnections | undefined;
  readonly exporter: RunningExporter | undefined;
  readonly gateway: Pick<Gateway, "snapshot"> | undefined;
}

/** The ops address, listening: metrics, health, the status page. @throws as its address is taken or refused */
export async function openOps(context: PartContext, shown: ShownParts): Promise<Part | undefined> {
  const { config, clock, log, signal, startedAtMs, onClose } = context;
  const { parts, statuses, redis, exporter, gateway } = shown;
  if (config.ops === undefined) return undefined;
  const [{ buildOpsApp }, { OpsServer }, { createHealthRegistry }, { policyExposition }] = await Promise.all([
    import("../ops/app.ts"),
    import("../ops/server.ts"),
    import("../ops/health-metrics.ts"),
    import("../ops/policy-metrics.ts"),
  ]);
  const queues = redis && (await import("./queue-views.ts")).openQueueViews(config, redis);
  onClose(async () => queues?.close());
  const readiness = (): Readiness => {
    const reasons = signal.aborted ? ["telemetryd is stopping"] : parts.notReady();
    return { ready: reasons.length === 0, reasons };
  };
  const stateNow = () => {
    const { ready } = readiness();
    const running = ready ? "running" : "starting";
    return { ready, state: signal.aborted ? "stopping" : running } as const;
  };
  const app = buildOpsApp({
    status: () =>
      defined({
        startedAt: new Date(startedAtMs).toISOString(),
        ...stateNow(),
        degraded: parts.problems(),
        version,
        replica: exporter?.reports?.replica,
        policies: statuses.views(),
        policyDirectory: config.policies?.directory,
        source: exporter?.source(),
        rejected: exporter?.rejected(),
        gateway: gateway?.snapshot(),
      }),
    readiness,
    degraded: () => parts.problems(),
    registries: [
      createHealthRegistry(() => parts.degraded()),
      ...parts.registries(),
      ...(queues ? [queues.registry] : []),
    ],
    pieces:
      exporter &&
      function* () {
        yield* exporter.exposition();
        yield* policyExposition(statuses.statuses());
      },
    rejected: exporter?.rejectedAccess,
    tap: exporter?.tap,
    listenHost: config.ops.listen.host,
    hosts: config.ops.hosts,
    dashboard: queues?.dashboard,
    nowMs: () => clock.nowMs(),
    log,
  });
  const server = new OpsServer(app, config.ops.listen, log);
  await server.listen();
  return { stage: "ops", services: [server] };
}
