import fc from "fast-check";
import { expect, test } from "vitest";
import { TestClock } from "../../../test/support/test-clock.ts";
import { until } from "../../../test/support/until.ts";
import { systemClock } from "../../base/core/clock.ts";
import { Sparkline } from "../../base/core/sparkline.ts";
import { currentState } from "../../exporter/delivery/delivering-condition.ts";
import { type DeliveryState, delivering } from "../../exporter/delivery/dispatch/delivery-state.ts";
import type { ExporterSnapshot } from "../../exporter/delivery/exporter-snapshot.ts";
import type { FleetSink } from "../../exporter/delivery/fleet/fleet-reports.ts";
import { noCounts, type SinkReport } from "../../exporter/delivery/fleet/sink-report.ts";
import { StateTimes } from "../../exporter/delivery/state-times.ts";
import { SinkStats } from "../../exporter/delivery/stats/sink-stats.ts";
import { PolicyPlans } from "../../exporter/policy/policy-plans.ts";
import { checkExportPolicy } from "../../exporter/policy/spec/check-policy.ts";
import { sinkKey } from "../../exporter/policy/spec/types.ts";
import { PolicyStore } from "../../exporter/policy/store.ts";
import { PolicyStatuses } from "./policy-statuses.ts";

const manifest = {
  apiVersion: "telemetry.platformapis/v1alpha1",
  kind: "ExportPolicy",
  metadata: { name: "export", namespace: "shop" },
  spec: {
    sources: [{ name: "up", metrics: { metricsql: "up" } }],
    sinks: ["one", "two"].map((name) => ({
      name,
      sources: ["up"],
      target: { prometheusRemoteWrite: { endpoint: `https://${name}.example.com/write?token=x` } },
    })),
  },
};

function policyPlans(store = new PolicyStore()): PolicyPlans {
  put(store, manifest);
  return new PolicyPlans(store);
}

function put(store: PolicyStore, policy: Readonly<Record<string, unknown>>): void {
  const { checked } = checkExportPolicy(policy, { plane: "web", unknownFields: "error" });
  if (checked === undefined) throw new Error("the manifest has no name");
  store.putPolicy(checked);
}

/**
 * Conditions of the policy and its sinks as `type status reason`; the second sink has this delivery state.
 */
function conditionsWith(deliveryState: DeliveryState): Record<string, string[]> {
  const plans = policyPlans();
  const snapshots = new Map(
    plans.sinks().map((plan): [string, ExporterSnapshot] => [
      sinkKey(plan.policy, plan.name),
      {
        plan,
        deliveryState: plan.name === "two" ? deliveryState : delivering,
        sources: [],
        lagMs: 0,
        periodMs: 15_000,
        stats: new SinkStats(0),
      },
    ]),
  );
  const [view] = new PolicyStatuses(plans, (sink) => snapshots.get(sink), systemClock).views();
  const texts = (conditions: readonly { type: string; status: string; reason: string }[] = []) =>
    conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  return {
    policy: texts(view?.conditions),
    ...Object.fromEntries(view?.sinks.map(({ name, conditions }) => [name, texts(conditions)]) ?? []),
  };
}

const trouble = { times: 1, untilMs: 0, message: "10.0.0.1 is private" };

test("all is well", () => {
  expect(conditionsWith(delivering)).toEqual({
    policy: ["Ready True SinksAccepted"],
    one: ["Accepted True SinkConfigured", "Delivering True UpToDate"],
    two: ["Accepted True SinkConfigured", "Delivering True UpToDate"],
  });
});

test("an endpoint that must not be sent to is an InvalidTarget of this sink alone", () => {
  expect(conditionsWith({ kind: "forbidden", ...trouble })).toEqual({
    policy: ["Ready False SinksNotAccepted"],
    one: ["Accepted True SinkConfigured", "Delivering True UpToDate"],
    two: ["Accepted False InvalidTarget", "Delivering False Suspended"],
  });
});

test("trouble with delivery leaves the policy ready", () => {
  expect(conditionsWith({ kind: "suspended", ...trouble })).toMatchObject({
    policy: ["Ready True SinksAccepted"],
    two: ["Accepted True SinkConfigured", "Delivering False Suspended"],
  });
});

test("a sink that another replica runs is shown as that one reports it, and makes no event", () => {
  const sinceMs = Date.UTC(2026, 0, 1);
  const report: SinkReport = {
    ...{ replica: "b", atMs: Date.now(), status: "False", sinceMs, periodMs: 15_000 },
    deliveryState: { kind: "retrying", times: 1, message: "HTTP 503" },
    sources: [{ name: "up", checkpointMs: sinceMs }],
    lagMs: 60_000,
    lastLateRejection: { atMs: sinceMs, message: "out of order" },
  };
  const counts = { ...noCounts, delivered: 7, late: 3, lateRejected: 2, uncheckedSeconds: 60 };
  const get = (): FleetSink => ({ report, counts, sparkline: new Sparkline(0) });
  const statuses = new PolicyStatuses(policyPlans(), () => undefined, systemClock, { get });
  const [sink] = statuses.views()[0]?.sinks ?? [];
  expect(sink?.conditions.find(({ type }) => type === "Delivering")).toMatchObject({
    status: "False",
    reason: "Retrying",
    message: "HTTP 503",
    lastTransitionTime: "2026-01-01T00:00:00Z",
  });
  expect(sink).toMatchObject({
    delivered: 7,
    checkpoint: "2026-01-01T00:00:00.000Z",
    lastCycle: { replica: "b" },
    ...{ late: 3, lateRejected: 2, uncheckedSeconds: 60 },
    lastLateRejection: { at: "2026-01-01T00:00:00.000Z", message: "out of order" },
  });
  const told = [...statuses.statuses()][0]?.status.sinks[0];
  expect(told?.conditions.map(({ type }) => type)).toEqual(["Accepted"]);
  expect(told?.checkpoint).toBeUndefined();
});

test("that another replica found an endpoint forbidden is known here, too", () => {
  const report: SinkReport = {
    ...{ replica: "b", atMs: 0, status: "False", sinceMs: 0, periodMs: 15_000, sources: [] },
    deliveryState: { kind: "forbidden", times: 1, message: "10.0.0.1 is private" },
  };
  const get = (): FleetSink => ({ report, counts: noCounts, sparkline: new Sparkline(0) });
  const [told] = new PolicyStatuses(policyPlans(), () => undefined, systemClock, { get }).statuses();
  expect(told?.status.conditions[0]).toMatchObject({ status: "False", reason: "SinksNotAccepted" });
});

test("what a sink of this daemon has lost is reported, that of others is not", () => {
  const plans = policyPlans();
  const stats = new SinkStats(0);
  stats.reject(5, "HTTP 400: out of order", 0);
  stats.skippedSeconds = 60;
  const snapshotOf = (key: string): ExporterSnapshot | undefined => {
    const plan = plans.sinks().find((each) => sinkKey(each.policy, each.name) === key);
    if (plan?.name !== "one") return undefined;
    return { plan, deliveryState: delivering, sources: [], lagMs: 0, periodMs: 15_000, stats };
  };
  const report: SinkReport = {
    replica: "b",
    atMs: 0,
    status: "True",
    sinceMs: 0,
    periodMs: 15_000,
    sources: [],
  };
  const counts = { ...noCounts, rejected: 9 };
  const get = (): FleetSink => ({ report, counts, sparkline: new Sparkline(0) });
  const [told] = new PolicyStatuses(plans, snapshotOf, systemClock, { get }).statuses();
  expect(told?.losses).toEqual([
    { name: "one", rejected: 5, dropped: 0, skippedSeconds: 60, lastRejection: "HTTP 400: out of order" },
  ]);
});

test("statuses are put together one at a time, when each is asked for", () => {
  const store = new PolicyStore();
  for (const name of ["a", "b", "c"]) {
    const document = { ...manifest, metadata: { ...manifest.metadata, name } };
    const { checked } = checkExportPolicy(document, { plane: "web", unknownFields: "error" });
    if (checked !== undefined) store.putPolicy(checked);
  }
  const asked: string[] = [];
  const snapshotOf = (sink: string) => void asked.push(sink);
  const statuses = new PolicyStatuses(new PolicyPlans(store), snapshotOf, systemClock).statuses();
  expect(asked).toEqual([]);
  expect(statuses.next().value?.ref.name).toBe("a");
  expect(asked).toHaveLength(2);
  expect([...statuses].map(({ ref }) => ref.name)).toEqual(["b", "c"]);
});

test("an edit is observed by a sink once its plan was tried, or if it changes nothing of the sink", () => {
  const store = new PolicyStore();
  const plans = policyPlans(store);
  const tried = new Map(plans.sinks().map((plan) => [sinkKey(plan.policy, plan.name), plan]));
  const snapshotOf = (key: string): ExporterSnapshot | undefined => {
    const plan = plans.sinks().find((each) => sinkKey(each.policy, each.name) === key);
    if (plan === undefined) return undefined;
    const delivery = { deliveryState: delivering, sources: [], lagMs: 0, periodMs: 15_000 };
    return { plan, triedPlan: tried.get(key), ...delivery, stats: new SinkStats(0) };
  };
  const statuses = new PolicyStatuses(plans, snapshotOf, systemClock);
  const observed = (): (number | undefined)[] => {
    const [told] = statuses.statuses();
    return (told?.status.sinks ?? []).map(
      ({ conditions }) => conditions.find(({ type }) => type === "Delivering")?.observedGeneration,
    );
  };
  const edit = (generation: number, endpoint: string): void => {
    const edited = structuredClone(manifest);
    const [one] = edited.spec.sinks;
    if (one !== undefined) one.target.prometheusRemoteWrite.endpoint = endpoint;
    put(store, { ...edited, metadata: { ...manifest.metadata, generation } });
  };
  const [one] = plans.sinks();
  const key = one === undefined ? "" : sinkKey(one.policy, one.name);
  expect(observed()).toEqual([1, 1]);
  edit(2, "https://gone.example.com/write");
  expect(observed()).toEqual([1, 2]);
  for (const plan of plans.sinks()) if (sinkKey(plan.policy, plan.name) === key) tried.set(key, plan);
  expect(observed()).toEqual([2, 2]);
  // Nothing of any sink changes.
  edit(3, "https://gone.example.com/write");
  expect(observed()).toEqual([3, 3]);
  edit(4, "https://back.example.com/write");
  expect(observed()).toEqual([3, 4]);
});

test("policies with faults are counted when they change, whether or not anybody asks", async () => {
  const store = new PolicyStore();
  const statuses = new PolicyStatuses(policyPlans(store), () => undefined, systemClock);
  const stop = new AbortController();
  const running = statuses.run(stop.signal);
  expect(statuses.problem()).toBeUndefined();
  const [sink] = manifest.spec.sinks;
  put(store, { ...manifest, spec: { ...manifest.spec, sinks: [{ ...sink, sources: ["other"] }] } });
  await until("the fault is seen", () => statuses.problem() !== undefined);
  expect(statuses.problem()).toBe("1 policy has faults, of 1: telemetryd status names them");
  put(store, manifest);
  await until("it is repaired", () => statuses.problem() === undefined);
  stop.abort();
  await running;
});

/** What may happen to the two sinks of the policy, one after the other. */
const happenings = [
  "delivers",
  "fails",
  "is suspended",
  "is forbidden",
  "hangs",
  "is edited",
  "is broken",
  "is dropped",
] as const;
interface Happening {
  readonly what: (typeof happenings)[number];
  readonly afterMs: number;
  /** Looks, after so much of that time. */
  readonly looks: readonly number[];
}

/** The times that are shown at the end of a history. */
async function timesAfter(history: readonly Happening[], areLooking: boolean): Promise<string[]> {
  const clock = new TestClock(Date.UTC(2026, 0, 1));
  const store = new PolicyStore();
  const plans = policyPlans(store);
  const stats = new SinkStats(0);
  let deliveryState: DeliveryState = delivering;
  const [plan] = plans.sinks();
  if (plan === undefined) throw new Error("there is no sink");
  const snapshot = (): ExporterSnapshot => ({
    ...{ plan, deliveryState, sources: [], lagMs: 0, periodMs: 15_000, stats },
    times,
  });
  const state = () => currentState(snapshot(), clock.nowMs());
  let times = undefined as unknown as StateTimes;
  times = new StateTimes(state(), clock.nowMs());
  const snapshotOf = (key: string) => (key.endsWith("/one") ? snapshot() : undefined);
  const statuses = new PolicyStatuses(plans, snapshotOf, clock);
  plans.subscribe(() => statuses.note());
  statuses.note();
  for (const { what, afterMs, looks } of history) {
    let passedMs = 0;
    for (const share of looks.toSorted((a, b) => a - b)) {
      clock.advance(Math.round(afterMs * share) - passedMs);
      passedMs = Math.round(afterMs * share);
      if (areLooking) statuses.views();
    }
    clock.advance(afterMs - passedMs);
    times.settle(state(), clock.nowMs());
    stats.endCycle();
    const failure = { times: 1, untilMs: 0, message: "HTTP 503" };
    if (what === "delivers") deliveryState = delivering;
    if (what === "fails") deliveryState = { kind: "retrying", ...failure };
    if (what === "is suspended") deliveryState = { kind: "suspended", ...failure };
    if (what === "is forbidden") deliveryState = { kind: "forbidden", ...failure };
    if (what === "hangs") stats.beginAttempt(clock.nowMs());
    times.note(state(), clock.nowMs());
    const broken = { ...manifest.spec, sources: [{ name: "up", metrics: { metricsql: "up{" } }] };
    if (what === "is edited") put(store, { ...manifest });
    if (what === "is broken") put(store, { ...manifest, spec: broken });
    const ref = { plane: "web", namespace: "shop", name: "export" };
    if (what === "is dropped") store.deletePolicy(ref);
    // The store announces its changes in a microtask.
    await Promise.resolve();
  }
  clock.advance(1_000);
  return statuses
    .views()
    .flatMap(({ conditions, sinks }) => [
      ...conditions.map(({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`),
      ...sinks.flatMap((sink) => [
        `${sink.name} ${sink.stateSince}`,
        ...sink.conditions.map(
          ({ type, reason, lastTransitionTime }) => `${type} ${reason} ${lastTransitionTime}`,
        ),
      ]),
    ]);
}

test("the times of transitions do not depend on who looks, or when", async () => {
  const happening = fc.record({
    what: fc.constantFrom(...happenings),
    afterMs: fc.integer({ min: 1, max: 120_000 }),
    looks: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 12 }), async (history) => {
      expect(await timesAfter(history, true)).toEqual(await timesAfter(history, false));
    }),
    { numRuns: 60 },
  );
});

test("the age of a state is that of its reason, the time of a condition that of its status", async () => {
  const at = (what: Happening["what"]): Happening => ({ what, afterMs: 60_000, looks: [] });
  const times = await timesAfter([at("fails"), at("is suspended")], false);
  expect(times).toContain("one 2026-01-01T00:02:00.000Z");
  expect(times).toContain("Delivering Suspended 2026-01-01T00:01:00Z");
});
