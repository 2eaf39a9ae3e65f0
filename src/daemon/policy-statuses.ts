import type { Clock } from "../core/clock.ts";
import { deliveringState } from "../export/delivering-condition.ts";
import type { ExporterSnapshot } from "../export/exporter.ts";
import type { FleetReports, FleetSink } from "../export/fleet/fleet-reports.ts";
import { countsOf, snapshotOfReport } from "../export/fleet/sink-report.ts";
import { type ConditionState, conditionTime, nextConditions } from "../policy/condition-changes.ts";
import type { Condition, PolicyStatus } from "../policy/conditions.ts";
import { type PolicyPlan, sinksNotAccepted } from "../policy/plan.ts";
import type { PlannedPolicy, PolicyPlans } from "../policy/policy-plans.ts";
import { type ErrorView, type PolicyView, publicEndpoint, type SinkView } from "../policy/status-view.ts";
import { type PolicyRef, type SinkPlan, sinkKey } from "../policy/types.ts";

/** How long a picture of all policies is shown again: whoever asks more often gets the same. */
const pictureMs = 500;

/** How a policy and its sinks do. */
interface Picture {
  readonly conditions: readonly Condition[];
  readonly sinks: readonly {
    readonly name: string;
    readonly conditions: readonly Condition[];
    readonly progress: Progress | undefined;
  }[];
}

/** What is known of a sink's delivery. */
interface Progress {
  readonly snapshot: ExporterSnapshot;
  /** This daemon runs it: it is this daemon's to tell the control plane how the sink delivers. */
  readonly isOwn: boolean;
  /** What the replicas of a fleet have told each other of it. */
  readonly shared: FleetSink | undefined;
}

/**
 * What is to be said of each policy and its sinks, put together from the policy store and the exporters whenever
 * somebody asks. Keeps the conditions of before, since a condition remembers when its status last changed.
 *
 * In a fleet every replica shows all sinks: those that others run as these last reported them.
 */
export class PolicyStatuses {
  readonly #plans: PolicyPlans;
  readonly #snapshotOf: (sink: string) => ExporterSnapshot | undefined;
  readonly #clock: Clock;
  readonly #reports: Pick<FleetReports, "get"> | undefined;
  /** Conditions by policy, then by sink ("" is the policy's own). */
  readonly #conditions = new Map<string, ReadonlyMap<string, readonly Condition[]>>();
  #views: PolicyView[] = [];
  #takenAtMs = Number.NEGATIVE_INFINITY;

  /**
   * @param snapshotOf of a sink that this daemon runs, by its key
   * @param reports given where replicas share the sinks
   */
  constructor(
    plans: PolicyPlans,
    snapshotOf: (sink: string) => ExporterSnapshot | undefined,
    clock: Clock,
    reports?: Pick<FleetReports, "get">,
  ) {
    this.#reports = reports;
    this.#plans = plans;
    this.#snapshotOf = snapshotOf;
    this.#clock = clock;
  }

  views(): PolicyView[] {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#takenAtMs < pictureMs) return this.#views;
    this.#takenAtMs = nowMs;
    this.#views = [...this.#pictures()].map(([planned, picture]) => this.#view(planned, picture));
    return this.#views;
  }

  /**
   * As it is written back to the control plane, one policy at a time: of ten thousand, all together would hold up everything
   * else. How a sink delivers that another replica runs is left out.
   */
  *statuses(): Generator<{ readonly ref: PolicyRef; readonly status: PolicyStatus }> {
    for (const [{ plan }, { conditions, sinks }] of this.#pictures()) {
      yield {
        ref: plan.ref,
        status: {
          conditions,
          sinks: sinks.map(({ name, conditions: own, progress }) => {
            if (!progress?.isOwn)
              return { name, conditions: own.filter(({ type }) => type !== "Delivering") };
            const checkpointMs = oldestCheckpoint(progress.snapshot);
            return {
              name,
              conditions: own,
              ...(checkpointMs !== undefined && { checkpoint: timeText(checkpointMs) }),
            };
          }),
        },
      };
    }
  }

  *#pictures(): Generator<[PlannedPolicy, Picture]> {
    const keys = new Set<string>();
    for (const planned of this.#plans.all()) {
      const key = sinkKey(planned.plan.ref, "");
      keys.add(key);
      yield [planned, this.#picture(key, planned.plan)];
    }
    for (const key of this.#conditions.keys()) if (!keys.has(key)) this.#conditions.delete(key);
  }

  #picture(key: string, plan: PolicyPlan): Picture {
    const before = this.#conditions.get(key);
    const after = new Map<string, readonly Condition[]>();
    const keep = (part: string, states: readonly ConditionState[]): readonly Condition[] => {
      const next = nextConditions(before?.get(part) ?? [], states, plan.generation, this.#clock.nowMs());
      after.set(part, next);
      return next;
    };
    const running = new Map(plan.sinks.map((sink) => [sink.name, sink]));
    let refused = 0;
    const sinks = plan.accepted.map(({ name, condition }) => {
      const sink = running.get(name);
      const progress = sink && this.#progress(sink);
      const accepted = acceptedNow(condition, progress?.snapshot);
      if (accepted.status !== "True") refused++;
      const delivering = progress === undefined ? [] : [deliveringCondition(progress.snapshot, this.#clock)];
      const conditions = sinceReported(keep(name, [accepted, ...delivering]), progress?.shared);
      return { name, conditions, progress };
    });
    const conditions = keep("", [readyNow(plan.ready, refused, sinks.length)]);
    this.#conditions.set(key, after);
    return { conditions, sinks };
  }

  #progress(plan: SinkPlan): Progress | undefined {
    const key = sinkKey(plan.policy, plan.name);
    const own = this.#snapshotOf(key);
    const shared = this.#reports?.get(key);
    if (own !== undefined) return { snapshot: own, isOwn: true, shared };
    if (shared === undefined) return undefined;
    return { snapshot: snapshotOfReport(shared, plan, this.#clock.nowMs()), isOwn: false, shared };
  }

  #view({ plan, checked }: PlannedPolicy, { conditions, sinks }: Picture): PolicyView {
    const { plane, namespace, name } = plan.ref;
    const endpoints = new Map(checked.policy?.sinks.map((sink) => [sink.name, sink.endpoint]));
    const views = sinks.map((sink) =>
      sinkView(sink.name, endpoints.get(sink.name), sink.conditions, sink.progress, this.#clock),
    );
    return { plane, namespace, name, generation: plan.generation, conditions, sinks: views };
  }
}

function oldestCheckpoint({ sources }: ExporterSnapshot): number | undefined {
  const known = sources.flatMap(({ checkpointMs }) => checkpointMs ?? []);
  return known.length === 0 ? undefined : Math.min(...known);
}

/** Since when a sink delivers as it does is known to the fleet, also where this replica has just been started. */
function sinceReported(
  conditions: readonly Condition[],
  shared: FleetSink | undefined,
): readonly Condition[] {
  return conditions.map((condition) =>
    condition.type === "Delivering" && condition.status === shared?.report.status
      ? { ...condition, lastTransitionTime: conditionTime(shared.report.sinceMs) }
      : condition,
  );
}

/** An endpoint that must not be sent to shows only when it is looked up. */
function acceptedNow(condition: ConditionState, snapshot: ExporterSnapshot | undefined): ConditionState {
  const standing = snapshot?.standing;
  if (condition.status !== "True" || standing?.kind !== "forbidden") return condition;
  return { type: "Accepted", status: "False", reason: "InvalidTarget", message: standing.message };
}

function readyNow(ready: ConditionState, refused: number, sinks: number): ConditionState {
  if (ready.status !== "True" || refused === 0) return ready;
  return sinksNotAccepted(sinks - refused, sinks);
}

function deliveringCondition(snapshot: ExporterSnapshot, clock: Clock): ConditionState {
  return { type: "Delivering", ...deliveringState(snapshot, clock.nowMs()) };
}

function sinkView(
  name: string,
  endpoint: string | undefined,
  conditions: readonly Condition[],
  progress: Progress | undefined,
  clock: Clock,
): SinkView {
  const view = { name, endpoint: endpoint === undefined ? "" : publicEndpoint(endpoint), conditions };
  if (progress === undefined) {
    const nothing = { delivered: 0, rejected: 0, dropped: 0, repeated: 0, retries: 0 };
    return { ...view, ...nothing, sources: [], sparkline: [] };
  }
  const { snapshot, shared } = progress;
  const { stats, sources, lagMs } = snapshot;
  const checkpointMs = oldestCheckpoint(snapshot);
  const { delivered, rejected, dropped, repeated, retries } = shared?.counts ?? countsOf(stats);
  const { lastError = shared?.report.lastError, lastDeliveredAtMs } = stats;
  return {
    ...view,
    ...(checkpointMs !== undefined && { checkpoint: timeText(checkpointMs) }),
    ...(lagMs !== undefined && { lagMs }),
    ...{ delivered, rejected, dropped, repeated, retries },
    ...(lastError !== undefined && { lastError: errorView(lastError) }),
    ...(lastDeliveredAtMs !== undefined && { lastDeliveredAt: timeText(lastDeliveredAtMs) }),
    ...(shared && { lastCycle: { replica: shared.report.replica, at: timeText(shared.report.atMs) } }),
    sources: sources.map((source) => ({
      name: source.name,
      ...(source.checkpointMs !== undefined && { checkpoint: timeText(source.checkpointMs) }),
      ...(source.error !== undefined && { error: source.error }),
    })),
    sparkline: (shared?.sparkline ?? stats.sparkline).points(clock.monotonicMs()),
  };
}

function errorView({ atMs, message }: { atMs: number; message: string }): ErrorView {
  return { at: timeText(atMs), message };
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
