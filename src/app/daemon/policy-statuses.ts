import { type Clock, longestTimerMs } from "../../base/core/clock.ts";
import { defined } from "../../base/core/defined.ts";
import { logErrors, runLoop, Wakeup } from "../../base/core/loop.ts";
import type { Service } from "../../base/core/service.ts";
import { type Logger, silentLogger } from "../../base/log/log.ts";
import { type CurrentState, currentState } from "../../exporter/delivery/delivering-condition.ts";
import type { ExporterSnapshot } from "../../exporter/delivery/exporter-snapshot.ts";
import type { FleetReports } from "../../exporter/delivery/fleet/fleet-reports.ts";
import { snapshotOfReport } from "../../exporter/delivery/fleet/sink-report.ts";
import { isSamePlan } from "../../exporter/delivery/plan/plan-changes.ts";
import type { StateSince, TimedState } from "../../exporter/delivery/state-times.ts";
import { type PolicyPlan, sinksNotAccepted } from "../../exporter/policy/plan.ts";
import type { PlannedPolicy, PolicyPlans } from "../../exporter/policy/policy-plans.ts";
import { type SinkPlan, sinkKey } from "../../exporter/policy/spec/types.ts";
import { type ConditionState, nextConditions } from "../../exporter/policy/status/condition-changes.ts";
import type { Condition } from "../../exporter/policy/status/conditions.ts";
import { findCondition, type PolicyView } from "../../exporter/policy/status/status-view.ts";
import type { SinkLosses } from "../../platform/client/status/delivery-events.ts";
import type { WantedStatus } from "../../platform/client/status-writer.ts";
import { oldestCheckpoint, type Progress, type ShownSink, sinkView, timeText } from "./sink-view.ts";

/** How long a picture of all policies is reused for further requests. */
const pictureMs = 500;
/** Changes of policies that come in bursts are noted together. */
const settleMs = 100;

/** What an exporter says of the sinks. */
export interface SinkReports {
  /** The snapshot of a sink that this daemon runs, by its key. */
  snapshotOf(sink: string): ExporterSnapshot | undefined;
  /** Set when replicas share the sinks. */
  readonly reports: FleetReports | undefined;
}

/** The current state of a policy and its sinks. */
interface Picture {
  readonly conditions: readonly Condition[];
  readonly sinks: readonly ShownSink[];
}

/** The part of a policy's state kept between two pictures. */
interface Kept {
  readonly plan: PolicyPlan;
  /** Since when the plan has its status of Ready (Unix ms). */
  readonly readySinceMs: number;
  /** In the order of the plan's `accepted`. */
  readonly sinks: readonly KeptSink[];
  conditions: readonly Condition[];
  /** Number of the last picture that included it. */
  picture: number;
}

interface KeptSink {
  readonly name: string;
  readonly accepted: ConditionState;
  /** Since when the plan has this status of Accepted, and this reason of it (Unix ms). */
  readonly acceptedSinceMs: number;
  readonly reasonSinceMs: number;
  /** Undefined for a sink that is not accepted. */
  readonly running: { readonly plan: SinkPlan; readonly key: string } | undefined;
  conditions: readonly Condition[];
  /** The last plan that the exporter has tried and that was compared with the present one. */
  tried: { readonly plan: SinkPlan; readonly isPresent: boolean } | undefined;
}

/**
 * The status of each policy and its sinks, assembled on request from the policy store and the exporters. The
 * times of changes are noted when they happen: those of policies here, those of sinks by their exporters.
 *
 * In a fleet every replica shows all sinks; those of other replicas as last reported.
 */
export class PolicyStatuses implements Service {
  readonly name = "policy statuses";
  readonly #plans: PolicyPlans;
  readonly #snapshotOf: (sink: string) => ExporterSnapshot | undefined;
  readonly #clock: Clock;
  readonly #reports: Pick<FleetReports, "get"> | undefined;
  readonly #log: Logger;
  /** By policy. */
  readonly #kept = new Map<string, Kept>();
  #pictureCount = 0;
  #views: PolicyView[] = [];
  #takenAtMs = Number.NEGATIVE_INFINITY;
  readonly #wakeup = new Wakeup();
  /** When policies changed, while that is not noted yet (Unix ms). */
  #changedAtMs: number | undefined;
  #policyCount = 0;
  /** Policies whose condition Ready is False by their plan. */
  #faultyCount = 0;

  /**
   * @param snapshotOf the snapshot of a sink that this daemon runs, by its key; undefined when it runs none
   * @param reports set when replicas share the sinks
   */
  constructor(
    plans: PolicyPlans,
    snapshotOf: ((sink: string) => ExporterSnapshot | undefined) | undefined,
    clock: Clock,
    reports?: Pick<FleetReports, "get">,
    log: Logger = silentLogger,
  ) {
    this.#log = log;
    this.#reports = reports;
    this.#plans = plans;
    this.#snapshotOf = snapshotOf ?? (() => undefined);
    this.#clock = clock;
  }

  /** Notes each change of the policies when it happens, whether or not anybody asks. */
  async run(signal: AbortSignal): Promise<void> {
    const unsubscribe = this.#plans.subscribe(() => {
      this.#changedAtMs ??= this.#clock.nowMs();
      this.#wakeup.wake();
    });
    const tick = (): number => {
      this.note();
      return longestTimerMs;
    };
    const options = { clock: this.#clock, pauseAfterErrorMs: settleMs, settleMs, wakeup: this.#wakeup };
    try {
      await runLoop(tick, { ...options, onError: logErrors(this.name, this.#log) }, signal);
    } finally {
      unsubscribe();
    }
  }

  /** Compares every policy's plan with the last one: a lookup for each that has not changed. */
  note(): void {
    let policies = 0;
    let faulty = 0;
    for (const [{ plan }] of this.#current()) {
      policies++;
      if (plan.ready.status === "False") faulty++;
    }
    this.#changedAtMs = undefined;
    this.#policyCount = policies;
    this.#faultyCount = faulty;
  }

  /** A sentence if some policies have faults. It has no names: probes of any origin see it. */
  problem(): string | undefined {
    if (this.#faultyCount === 0) return undefined;
    const subject = this.#faultyCount === 1 ? "1 policy has" : `${this.#faultyCount} policies have`;
    return `${subject} faults, of ${this.#policyCount}: telemetryd status names them`;
  }

  views(): PolicyView[] {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#takenAtMs < pictureMs) return this.#views;
    this.#takenAtMs = nowMs;
    this.#views = [...this.#pictures()].map(([planned, picture]) => this.#view(planned, picture));
    return this.#views;
  }

  /**
   * The statuses to write back to the control plane, generated one policy at a time: many at once would block
   * the event loop. The delivery of sinks that other replicas run is left out, and so are
   * their losses.
   */
  *statuses(): Generator<WantedStatus> {
    for (const [{ plan }, { conditions, sinks }] of this.#pictures()) {
      yield {
        ref: plan.ref,
        losses: sinks.flatMap(({ name, progress }) => (progress?.isOwn ? lossesOf(name, progress) : [])),
        status: {
          conditions,
          sinks: sinks.map(({ name, conditions: own, progress }) => {
            if (!progress?.isOwn)
              return { name, conditions: own.filter(({ type }) => type !== "Delivering") };
            const checkpointMs = oldestCheckpoint(progress.snapshot);
            return defined({ name, conditions: own, checkpoint: timeText(checkpointMs) });
          }),
        },
      };
    }
  }

  *#pictures(): Generator<[PlannedPolicy, Picture]> {
    for (const [planned, kept] of this.#current()) yield [planned, this.#picture(kept)];
  }

  /** The policies of now, with what is kept of each. */
  *#current(): Generator<[PlannedPolicy, Kept]> {
    const count = ++this.#pictureCount;
    for (const planned of this.#plans.all()) {
      const kept = this.#keptOf(planned.plan);
      kept.picture = Math.max(kept.picture, count);
      yield [planned, kept];
    }
    // A later picture may have been taken while this one waited: keep its entries.
    for (const [key, { picture }] of this.#kept) if (picture < count) this.#kept.delete(key);
  }

  /** Caches everything that is constant for a plan; conditions pass from one plan of a policy to the next. */
  #keptOf(plan: PolicyPlan): Kept {
    const policy = sinkKey(plan.ref, "");
    const before = this.#kept.get(policy);
    if (before?.plan === plan) return before;
    const atMs = this.#changedAtMs ?? this.#clock.nowMs();
    const sinksBefore = new Map(before?.sinks.map((sink) => [sink.name, sink]));
    const running = new Map(plan.sinks.map((sink) => [sink.name, sink]));
    const sinks = plan.accepted.map(({ name, condition }): KeptSink => {
      const sink = running.get(name);
      const last = sinksBefore.get(name);
      const hasStatus = last?.accepted.status === condition.status;
      const hasReason = hasStatus && last.accepted.reason === condition.reason;
      return {
        name,
        accepted: condition,
        acceptedSinceMs: hasStatus ? last.acceptedSinceMs : atMs,
        reasonSinceMs: hasReason ? last.reasonSinceMs : atMs,
        running: sink && { plan: sink, key: sinkKey(sink.policy, name) },
        conditions: last?.conditions ?? [],
        tried: undefined,
      };
    });
    const isReadyAsBefore = before?.plan.ready.status === plan.ready.status;
    const readySinceMs = isReadyAsBefore ? before.readySinceMs : atMs;
    const kept = { plan, readySinceMs, sinks, conditions: before?.conditions ?? [], picture: 0 };
    this.#kept.set(policy, kept);
    return kept;
  }

  #picture(kept: Kept): Picture {
    const { plan } = kept;
    const nowMs = this.#clock.nowMs();
    const shown = kept.sinks.map((sink) => this.#shownSink(sink, plan.generation, nowMs));
    const notAccepted = shown.filter(({ accepted }) => accepted.status !== "True");
    const ready = readyNow(plan.ready, notAccepted.length, shown.length);
    // A blocked endpoint makes a policy that is ready by its plan not ready, and ready again.
    const times = plan.ready.status === "True" ? shown.map(({ targetMs }) => targetMs) : [];
    const blockedMs = Math.min(...notAccepted.map(({ accepted }) => accepted.sinceMs ?? nowMs));
    const sinceMs = ready === plan.ready ? Math.max(kept.readySinceMs, ...times) : blockedMs;
    kept.conditions = nextConditions(kept.conditions, [{ ...ready, sinceMs }], plan.generation, nowMs);
    return { conditions: kept.conditions, sinks: shown };
  }

  #shownSink(sink: KeptSink, generation: number, nowMs: number): ShownSink {
    const progress = sink.running && this.#progress(sink.running.plan, sink.running.key);
    if (progress === undefined) {
      const accepted = { ...sink.accepted, sinceMs: sink.acceptedSinceMs };
      sink.conditions = nextConditions(sink.conditions, [accepted], generation, nowMs);
      const { name, conditions, reasonSinceMs: sinceMs } = sink;
      return { name, conditions, progress, accepted, sinceMs, targetMs: 0 };
    }
    const state = currentState(progress.snapshot, nowMs);
    const since = sinceNow(state, progress) ?? { reasonMs: nowMs, statusMs: nowMs, targetMs: 0 };
    const accepted = acceptedNow(sink, progress.snapshot, since);
    const states = [accepted, deliveringCondition(sink, state, progress.snapshot, since)];
    sink.conditions = nextConditions(sink.conditions, states, generation, nowMs);
    const notAcceptedMs = state.isForbidden ? since.targetMs : sink.reasonSinceMs;
    const sinceMs = accepted.status === "True" ? since.reasonMs : notAcceptedMs;
    const { targetMs } = since;
    return { name: sink.name, conditions: sink.conditions, progress, accepted, sinceMs, targetMs };
  }

  #progress(plan: SinkPlan, key: string): Progress | undefined {
    const own = this.#snapshotOf(key);
    const shared = this.#reports?.get(key);
    if (own !== undefined) return { snapshot: own, isOwn: true, shared };
    if (shared === undefined) return undefined;
    return { snapshot: snapshotOfReport(shared, plan, this.#clock.nowMs()), isOwn: false, shared };
  }

  #view({ plan, checked }: PlannedPolicy, { conditions, sinks }: Picture): PolicyView {
    const { plane, namespace, name } = plan.ref;
    const sinksOf = [...(checked.policy?.sinks ?? []), ...plan.sinks];
    const endpoints = new Map(sinksOf.map((sink) => [sink.name, sink.endpoint]));
    const views = sinks.map((sink) => sinkView(sink, endpoints.get(sink.name), this.#clock));
    return { plane, namespace, name, generation: plan.generation, conditions, sinks: views };
  }
}

/** None for a sink that has lost nothing. */
function lossesOf(name: string, { snapshot }: Progress): SinkLosses[] {
  const { rejected, dropped, skippedSeconds, lastRejection } = snapshot.stats;
  if (rejected + dropped + skippedSeconds === 0) return [];
  return [{ name, rejected, dropped, skippedSeconds, lastRejection: lastRejection?.message }];
}

/** The fleet knows how long a sink has been in its state, even when this replica has just started. */
function sinceNow(state: TimedState, { snapshot, shared }: Progress): StateSince | undefined {
  const own = snapshot.times?.since(state);
  if (shared === undefined || own === undefined) return own;
  const { status, sinceMs, reason, reasonSinceMs } = shared.report;
  return {
    ...own,
    statusMs: status === state.status ? sinceMs : own.statusMs,
    reasonMs: (reason === state.reason ? reasonSinceMs : undefined) ?? own.reasonMs,
  };
}

/** A blocked endpoint is discovered only when its name is resolved. */
function acceptedNow(
  { accepted, acceptedSinceMs }: KeptSink,
  { deliveryState }: ExporterSnapshot,
  { targetMs }: StateSince,
): ConditionState {
  const sinceMs = Math.max(acceptedSinceMs, targetMs);
  if (accepted.status !== "True" || deliveryState.kind !== "forbidden") return { ...accepted, sinceMs };
  const { message } = deliveryState;
  return { type: "Accepted", status: "False", reason: "InvalidTarget", message, sinceMs };
}

function readyNow(ready: ConditionState, notAccepted: number, sinks: number): ConditionState {
  if (ready.status !== "True" || notAccepted === 0) return ready;
  return sinksNotAccepted(sinks - notAccepted, sinks);
}

/**
 * An edit is observed once something was delivered, or failed, under its plan: until then the state is that
 * of the plan before, and `kubectl wait` must not take it for the edit's.
 */
function generationOf(sink: KeptSink, { triedPlan }: ExporterSnapshot): { observedGeneration?: number } {
  if (triedPlan === undefined || sink.running === undefined) return {};
  if (sink.tried?.plan !== triedPlan)
    sink.tried = { plan: triedPlan, isPresent: isSamePlan(triedPlan, sink.running.plan) };
  if (sink.tried.isPresent) return {};
  const before = findCondition(sink.conditions, "Delivering")?.observedGeneration ?? 0;
  return { observedGeneration: Math.max(before, triedPlan.generation) };
}

function deliveringCondition(
  sink: KeptSink,
  { status, reason, message }: CurrentState,
  snapshot: ExporterSnapshot,
  { statusMs: sinceMs }: StateSince,
): ConditionState {
  return { type: "Delivering", status, reason, message: message(), sinceMs, ...generationOf(sink, snapshot) };
}
