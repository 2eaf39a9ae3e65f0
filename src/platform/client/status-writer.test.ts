import fc from "fast-check";
import { expect, test } from "vitest";
import { FakePlane } from "../../../test/support/plane/fake-plane.ts";
import { TestClock } from "../../../test/support/test-clock.ts";
import { silentLogger } from "../../base/log/log.ts";
import { conditionTime, nextConditions } from "../../exporter/policy/status/condition-changes.ts";
import { conditionReasons } from "../../exporter/policy/status/condition-reasons.ts";
import type { Condition } from "../../exporter/policy/status/conditions.ts";
import { minIntervalMs, type SeenStatus, seenStatus } from "./status/status-decision.ts";
import { createStatusWriter, type WantedStatus } from "./status-writer.ts";

const { signal } = new AbortController();
const collection = "telemetry.platformapis/v1alpha1/exportpolicies";

/** How long a tick takes. */
const tickMs = 70;
/** And while nothing changes for minutes, which would be thousands of the others. */
const idleTickMs = 1_000;

type Reason = keyof typeof conditionReasons.Delivering;
/** A sink starts once; see below for a restart. */
const reasons = (Object.keys(conditionReasons.Delivering) as Reason[]).filter(
  (reason) => reason !== "Starting",
);

interface Replica {
  readonly tick: (signal: AbortSignal) => Promise<number>;
  nextMs: number;
}

/** A policy with sinks whose states a test sets, its object in a control plane, and the replicas' writers. */
class Scene {
  readonly plane = new FakePlane();
  readonly clock = new TestClock(Date.UTC(2026, 10, 20, 12));
  /** Monotonic times of the status writes. */
  readonly writtenMs: number[] = [];
  /** `reason sink`, as they happened. */
  readonly events: string[] = [];
  generation = 1;
  /** Writes are carried out, and their responses lost. */
  losesResponses = false;
  /** How long a request takes, and how much later a write is seen by the watch. */
  delaysMs = { request: 0, watch: 0 };
  /** The replica that runs a sink; 0 for others. */
  readonly owners = new Map<string, number>();
  /** Monotonic times at which a sink's condition was written with another reason. */
  readonly changedMs = new Map<string, number[]>();
  readonly #states = new Map<string, { reason: Reason; conditions: readonly Condition[] }>();
  readonly #uid: string;
  readonly #seen: { readonly atMs: number; readonly status: SeenStatus }[] = [];
  readonly #replicaCount: number;
  #replicas: Replica[];

  constructor(sinks: readonly string[], replicas = 1) {
    for (const name of sinks) this.#states.set(name, { reason: "Starting", conditions: [] });
    const { metadata } = this.plane.put(collection, "shop", "orders", {});
    this.#uid = String((metadata as { uid: unknown }).uid);
    this.#replicaCount = replicas;
    this.#replicas = this.#startReplicas();
  }

  #startReplicas(): Replica[] {
    const client = {
      ready: () => this.plane.ready(),
      watch: this.plane.watch.bind(this.plane),
      send: async (...request: Parameters<FakePlane["send"]>) => {
        this.clock.advance(this.delaysMs.request);
        const writes = this.plane.writes.length;
        const before = this.written();
        const outcome = await this.plane.send(...request);
        const nowMs = this.clock.monotonicMs();
        if (this.plane.writes.length > writes) {
          this.writtenMs.push(nowMs);
          for (const [sink, reason] of Object.entries(this.written())) {
            if (reason !== before[sink])
              this.changedMs.set(sink, [...(this.changedMs.get(sink) ?? []), nowMs]);
          }
          this.#seen.push({ atMs: nowMs + this.delaysMs.watch, status: seenStatus(this.status()) });
        }
        if (this.losesResponses && request[0] === "PATCH")
          return { outcome: "failed" as const, message: "lost" };
        return outcome;
      },
    };
    const source = {
      statusOf: () => this.#seen.findLast(({ atMs }) => atMs <= this.clock.monotonicMs())?.status,
    };
    return Array.from({ length: this.#replicaCount }, (_, replica) => {
      const { tick } = createStatusWriter({
        groupDomain: "platformapis",
        planeOf: () => ({ client, source }),
        wanted: () => [this.#wanted(replica)],
        onEvents: (_ref, reports) => {
          for (const { sink, report } of reports) this.events.push(`${report.reason} ${sink}`);
        },
        clock: this.clock,
        log: silentLogger,
      });
      return { tick, nextMs: this.clock.monotonicMs() };
    });
  }

  /** Everything that the writers remember is gone. */
  restart(): void {
    this.#replicas = this.#startReplicas();
  }

  set(sink: string, reason: Reason): void {
    this.#states.set(sink, { reason, conditions: this.#states.get(sink)?.conditions ?? [] });
  }

  status() {
    return this.plane.get(collection, "shop", "orders")?.["status"] as {
      conditions: Condition[];
      sinks: { name: string; conditions: Condition[] }[];
    };
  }

  /** Reasons of the sinks as the control plane has them. */
  written(): Record<string, string | undefined> {
    return Object.fromEntries(
      (this.status()?.sinks ?? []).map(({ name, conditions }) => [
        name,
        conditions.find(({ type }) => type === "Delivering")?.reason,
      ]),
    );
  }

  wanted(): Record<string, string> {
    return Object.fromEntries([...this.#states].map(([name, { reason }]) => [name, reason]));
  }

  /** Runs the writer for a while, as its loop does. */
  async run(ms: number, takesMs = tickMs): Promise<void> {
    const endMs = this.clock.monotonicMs() + ms;
    const advanceTo = (atMs: number) => this.clock.advance(Math.max(0, atMs - this.clock.monotonicMs()));
    for (;;) {
      const next = this.#replicas.reduce((first, each) => (each.nextMs < first.nextMs ? each : first));
      if (next.nextMs >= endMs) break;
      advanceTo(next.nextMs);
      const pauseMs = await next.tick(signal);
      // As with other policies to check.
      this.clock.advance(takesMs);
      next.nextMs = this.clock.monotonicMs() + pauseMs;
    }
    advanceTo(endMs);
  }

  #wanted(replica: number): WantedStatus {
    const nowMs = this.clock.nowMs();
    const { generation } = this;
    const ready = { type: "Ready", status: "True", reason: "SinksAccepted", message: "" } as const;
    const since = { observedGeneration: generation, lastTransitionTime: conditionTime(nowMs) };
    const sinks = [...this.#states].map(([name, sink]) => {
      const { status } = conditionReasons.Delivering[sink.reason];
      // The message changes all the time.
      const state = { type: "Delivering", status, reason: sink.reason, message: `${nowMs}` } as const;
      sink.conditions = nextConditions(sink.conditions, [state], generation, nowMs);
      if ((this.owners.get(name) ?? 0) !== replica) return { name, conditions: [] };
      return { name, conditions: sink.conditions, checkpoint: new Date(nowMs).toISOString() };
    });
    const ref = { plane: "web", namespace: "shop", name: "orders", uid: this.#uid };
    return { ref, status: { conditions: [{ ...ready, ...since }], sinks } };
  }
}

interface Change {
  readonly sink: string;
  readonly reason: Reason;
  /** Whether the policy is edited, too. */
  readonly edits: boolean;
  readonly thenMs: number;
}

const steps = fc.array(
  fc.record<Change>({
    sink: fc.constantFrom("a", "b", "c"),
    reason: fc.constantFrom(...reasons),
    edits: fc.boolean(),
    thenMs: fc.integer({ min: 0, max: 15_000 }),
  }),
  { minLength: 1, maxLength: 30 },
);
const delays = fc.record({
  request: fc.integer({ min: 0, max: 400 }),
  watch: fc.integer({ min: 0, max: 3_000 }),
});

test("whatever the sinks do, writes are 10 s apart and the truth is there 10 s later", async () => {
  const history = async (changes: readonly Change[], delaysMs: Scene["delaysMs"]) => {
    const scene = new Scene(["a", "b", "c"]);
    scene.delaysMs = delaysMs;
    await scene.run(1);
    for (const { sink, reason, edits, thenMs } of changes) {
      scene.set(sink, reason);
      if (edits) scene.generation++;
      await scene.run(thenMs);
    }
    // A write takes two requests, and the one before may just have begun when the last change came.
    await scene.run(minIntervalMs + 4 * delaysMs.request + 100);
    expect(scene.written()).toEqual(scene.wanted());
    expectApart(scene.writtenMs);
    // No more than a refresh while nothing changes.
    const writes = scene.writtenMs.length;
    await scene.run(290_000, idleTickMs);
    expect(scene.writtenMs.length - writes).toBeLessThanOrEqual(1);
  };
  await fc.assert(fc.asyncProperty(steps, delays, history), { numRuns: 300 });
});

test("replicas that hand sinks over to each other write each sink's condition at most once in 10 s, too", async () => {
  const history = async (changes: readonly Change[], owners: readonly number[]) => {
    const scene = new Scene(["a", "b", "c"], 3);
    await scene.run(1_000);
    for (const [index, { sink, reason, thenMs }] of changes.entries()) {
      scene.set(sink, reason);
      scene.owners.set(sink, owners[index % owners.length] ?? 0);
      await scene.run(thenMs);
    }
    // The new owner may just have written another sink's condition.
    await scene.run(minIntervalMs + 2_000 + 6 * tickMs);
    expect(scene.written()).toEqual(scene.wanted());
    for (const times of scene.changedMs.values()) expectApart(times);
    const writes = scene.writtenMs.length;
    await scene.run(280_000, idleTickMs);
    expect(scene.writtenMs.length - writes).toBeLessThanOrEqual(3);
  };
  const owners = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 30 });
  await fc.assert(fc.asyncProperty(steps, owners, history), { numRuns: 300 });
});

/** Expects times in ascending order to be at least the minimum interval apart. */
function expectApart(times: readonly number[]): void {
  for (const [index, time] of times.slice(1).entries()) {
    expect(time - (times[index] ?? 0)).toBeGreaterThanOrEqual(minIntervalMs);
  }
}

test("a receiver that goes away and comes back: conditions, events, and few writes", async () => {
  const scene = new Scene(["a", "b"]);
  const delivering = () => scene.status().conditions.find(({ type }) => type === "Delivering");
  await scene.run(1);
  expect(delivering()).toMatchObject({ status: "Unknown", reason: "Starting" });
  scene.set("a", "UpToDate");
  scene.set("b", "UpToDate");
  await scene.run(60_000);
  expect(delivering()).toMatchObject({ status: "True", reason: "UpToDate" });
  scene.set("b", "Retrying");
  await scene.run(1_000);
  expect(delivering()).toMatchObject({
    status: "False",
    reason: "Retrying",
    message: expect.stringMatching(/^b: \d+$/),
  });
  const since = delivering()?.lastTransitionTime;
  await scene.run(30_000);
  scene.set("b", "Suspended");
  await scene.run(30_000);
  expect(delivering()).toMatchObject({ status: "False", reason: "Suspended", lastTransitionTime: since });
  scene.set("b", "CatchingUp");
  await scene.run(60_000);
  expect(delivering()).toMatchObject({ status: "True", reason: "CatchingUp" });
  expect(scene.events).toEqual(["Retrying b", "Suspended b", "Recovered b"]);
  expect(scene.writtenMs).toHaveLength(5);
});

test("a daemon that restarts during an outage does not end it, and reports it once", async () => {
  const scene = new Scene(["a", "b"]);
  const delivering = () => scene.status().conditions.find(({ type }) => type === "Delivering");
  scene.set("a", "UpToDate");
  scene.set("b", "Retrying");
  await scene.run(30_000);
  const since = delivering()?.lastTransitionTime;
  scene.restart();
  scene.set("a", "Starting");
  scene.set("b", "Starting");
  await scene.run(30_000);
  expect(scene.written()).toEqual({ a: "UpToDate", b: "Retrying" });
  expect(delivering()).toMatchObject({ status: "False", reason: "Retrying", lastTransitionTime: since });
  const writes = scene.writtenMs.length;
  await scene.run(60_000);
  expect(scene.writtenMs).toHaveLength(writes);
  scene.set("a", "UpToDate");
  scene.set("b", "Retrying");
  await scene.run(30_000);
  scene.set("b", "UpToDate");
  await scene.run(30_000);
  expect(scene.written()).toEqual({ a: "UpToDate", b: "UpToDate" });
  expect(scene.events).toEqual(["Retrying b", "Recovered b"]);
});

test("a status that cannot be written makes no event; once it is written, it does", async () => {
  const scene = new Scene(["a"]);
  scene.set("a", "Suspended");
  scene.plane.isUnavailable = true;
  await scene.run(30_000);
  expect(scene.events).toEqual([]);
  scene.plane.isUnavailable = false;
  await scene.run(30_000);
  expect(scene.events).toEqual(["Suspended a"]);
});

test("a write whose response is lost has its events once it is written again", async () => {
  const scene = new Scene(["a", "b"]);
  scene.set("a", "UpToDate");
  scene.set("b", "Suspended");
  await scene.run(30_000);
  scene.losesResponses = true;
  scene.set("a", "Retrying");
  scene.set("b", "UpToDate");
  await scene.run(20_000);
  // The second attempt is lost, too, and has reported something else.
  scene.set("a", "Suspended");
  await scene.run(20_000);
  expect(scene.written()).toEqual({ a: "Suspended", b: "UpToDate" });
  expect(scene.events).toEqual(["Suspended b"]);
  scene.losesResponses = false;
  await scene.run(30_000);
  expect(scene.events).toEqual(["Suspended b", "Suspended a", "Recovered b"]);
  await scene.run(600_000);
  expect(scene.events).toHaveLength(3);
});

test("a policy that was deleted and created again is left alone", async () => {
  const scene = new Scene(["a"]);
  scene.plane.put(collection, "shop", "orders", { metadata: { uid: "another" } });
  scene.set("a", "Suspended");
  await scene.run(30_000);
  expect([scene.writtenMs, scene.events]).toEqual([[], []]);
});

test("many policies that change together are written side by side, within a bound", async () => {
  const plane = new FakePlane();
  const refs = Array.from({ length: 100 }, (_, index) => {
    const { metadata } = plane.put(collection, "shop", `policy-${index}`, {});
    const uid = String((metadata as { uid: unknown }).uid);
    return { plane: "web", namespace: "shop", name: `policy-${index}`, uid };
  });
  let [open, most] = [0, 0];
  const client = {
    ready: () => plane.ready(),
    watch: plane.watch.bind(plane),
    send: async (...request: Parameters<FakePlane["send"]>) => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return plane.send(...request);
    },
  };
  const { tick } = createStatusWriter({
    groupDomain: "platformapis",
    planeOf: () => ({ client, source: { statusOf: () => undefined } }),
    wanted: () => refs.map((ref) => ({ ref, status: { conditions: [], sinks: [] } })),
    onEvents: () => undefined,
    clock: new TestClock(0),
    log: silentLogger,
  });
  await tick(signal);
  expect([plane.writes.length, most]).toEqual([100, 16]);
});
