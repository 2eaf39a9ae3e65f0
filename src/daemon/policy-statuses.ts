import type { Clock } from "../core/clock.ts";
import { deliveringState } from "../export/delivering-condition.ts";
import type { ExporterSnapshot } from "../export/exporter.ts";
import type { FleetReports, FleetSink } from "../export/fleet/fleet-reports.ts";
import { countsOf, snapshotOfReport } from "../export/fleet/sink-report.ts";
import type { CheckedPolicy } from "../policy/check-policy.ts";
import { type ConditionState, conditionTime, nextConditions } from "../policy/condition-changes.ts";
import type { Condition, PolicyStatus } from "../policy/conditions.ts";
import { type PolicyPlan, planPolicy, sinksNotAccepted } from "../policy/plan.ts";
import { type ErrorView, type PolicyView, publicEndpoint, type SinkView } from "../policy/status-view.ts";
import type { PolicyStore } from "../policy/store.ts";
import { type PolicyRef, type SinkPlan, sinkKey } from "../policy/types.ts";

/** How long a picture of all policies is shown again: whoever asks more often gets the same. */
const pictureMs = 500;

interface PolicyPicture {
  readonly plan: PolicyPlan;
  readonly view: PolicyView;
  /** Names of the sinks that this daemon runs. */
  readonly own: ReadonlySet<string>;
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
  readonly #store: PolicyStore;
  readonly #snapshots: () => readonly ExporterSnapshot[];
  readonly #clock: Clock;
  readonly #reports: Pick<FleetReports, "get"> | undefined;
  /** Conditions by policy, then by sink ("" is the policy's own). */
  #conditions = new Map<string, Map<string, Condition[]>>();
  #pictures: readonly PolicyPicture[] = [];
  #takenAtMs = Number.NEGATIVE_INFINITY;

  /** @param reports given where replicas share the sinks */
  constructor(
    store: PolicyStore,
    snapshots: () => readonly ExporterSnapshot[],
    clock: Clock,
    reports?: Pick<FleetReports, "get">,
  ) {
    this.#reports = reports;
    this.#store = store;
    this.#snapshots = snapshots;
    this.#clock = clock;
  }

  views(): PolicyView[] {
    return this.#current().map(({ view }) => view);
  }

  /** As it is written back to the control plane. How a sink delivers that another replica runs is left out. */
  statuses(): { readonly ref: PolicyRef; readonly status: PolicyStatus }[] {
    return this.#current().map(({ plan, view, own }) => ({
      ref: plan.ref,
      status: {
        conditions: view.conditions,
        sinks: view.sinks.map(({ name, conditions, checkpoint }) =>
          own.has(name)
            ? { name, conditions, ...(checkpoint !== undefined && { checkpoint }) }
            : { name, conditions: conditions.filter(({ type }) => type !== "Delivering") },
        ),
      },
    }));
  }

  #current(): readonly PolicyPicture[] {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#takenAtMs < pictureMs) return this.#pictures;
    this.#takenAtMs = nowMs;
    const snapshots = new Map(
      this.#snapshots().map((snapshot) => [sinkKey(snapshot.plan.policy, snapshot.plan.name), snapshot]),
    );
    const conditions = new Map<string, Map<string, Condition[]>>();
    this.#pictures = policyPlans(this.#store).map(({ plan, checked }) => {
      const key = JSON.stringify([plan.ref.plane, plan.ref.namespace, plan.ref.name, plan.ref.uid]);
      const before = this.#conditions.get(key);
      const after = new Map<string, Condition[]>();
      conditions.set(key, after);
      const keep = (part: string, states: readonly ConditionState[]): Condition[] => {
        const next = nextConditions(before?.get(part) ?? [], states, plan.generation, this.#clock.nowMs());
        after.set(part, next);
        return next;
      };
      const progress = new Map(
        plan.sinks.flatMap((sink): [string, Progress][] => {
          const found = this.#progress(sink, snapshots);
          return found === undefined ? [] : [[sink.name, found]];
        }),
      );
      const own = new Set([...progress].filter(([, { isOwn }]) => isOwn).map(([name]) => name));
      return { plan, view: this.#view(plan, checked, progress, keep), own };
    });
    this.#conditions = conditions;
    return this.#pictures;
  }

  #progress(plan: SinkPlan, snapshots: ReadonlyMap<string, ExporterSnapshot>): Progress | undefined {
    const key = sinkKey(plan.policy, plan.name);
    const own = snapshots.get(key);
    const shared = this.#reports?.get(key);
    if (own !== undefined) return { snapshot: own, isOwn: true, shared };
    if (shared === undefined) return undefined;
    return { snapshot: snapshotOfReport(shared, plan, this.#clock.nowMs()), isOwn: false, shared };
  }

  #view(
    plan: PolicyPlan,
    checked: CheckedPolicy,
    progress: ReadonlyMap<string, Progress>,
    keep: (part: string, states: readonly ConditionState[]) => Condition[],
  ): PolicyView {
    const states = plan.accepted.map(({ name, condition }) => {
      const found = progress.get(name);
      return { name, found, accepted: acceptedNow(condition, found?.snapshot) };
    });
    const refused = states.filter(({ accepted }) => accepted.status !== "True").length;
    const sinks = states.map(({ name, found, accepted }) => {
      const delivering = found === undefined ? [] : [deliveringCondition(found.snapshot, this.#clock)];
      const conditions = sinceReported(keep(name, [accepted, ...delivering]), found?.shared);
      const endpoint = checked.policy?.sinks.find((sink) => sink.name === name)?.endpoint;
      return sinkView(name, endpoint, conditions, found, this.#clock);
    });
    const { plane, namespace, name } = plan.ref;
    const ready = keep("", [readyNow(plan.ready, refused, states.length)]);
    return { plane, namespace, name, generation: plan.generation, conditions: ready, sinks };
  }
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

/** What runs, and what each policy comes to. */
export function policyPlans(
  store: PolicyStore,
): { readonly plan: PolicyPlan; readonly checked: CheckedPolicy }[] {
  const secretOf = (plane: string, namespace: string, name: string) => store.secret(plane, namespace, name);
  return store.policies().map((checked) => ({ plan: planPolicy(checked, secretOf), checked }));
}

export function desiredPlans(store: PolicyStore): SinkPlan[] {
  return policyPlans(store).flatMap(({ plan }) => plan.sinks);
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
  const known = sources.flatMap(({ checkpointMs }) => checkpointMs ?? []);
  const { delivered, rejected, dropped, repeated, retries } = shared?.counts ?? countsOf(stats);
  const { lastError = shared?.report.lastError, lastDeliveredAtMs } = stats;
  return {
    ...view,
    ...(known.length > 0 && { checkpoint: timeText(Math.min(...known)) }),
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
