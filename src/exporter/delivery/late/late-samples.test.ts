import { expect, test } from "vitest";
import { MemorySentLog } from "../../../../test/support/sink/memory-sent-log.ts";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import type { CountOutcome, CountRequest, SampleCounter } from "../../metrics-store/ports/sample-counter.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import { RequestEntries } from "../state/request-entries.ts";
import { SampleCounts } from "../state/sample-counts.ts";
import { SinkStates } from "../state/sink-states.ts";
import { lateKey } from "../state/state-keys.ts";
import { SinkStats } from "../stats/sink-stats.ts";
import { LateSamples, type LateSamplesDeps } from "./late-samples.ts";
import { RecentReads } from "./recent-reads.ts";

const stepMs = 60_000;
const startMs = 1_700_000_040_000;
const times = { horizonMs: 60 * stepMs, delayMs: 45_000, quietMs: 330_000, alertMs: 90_000 };
const signal = new AbortController().signal;
const none: ReadonlySet<string> = new Set();
const sink = "web/shop/export/-/sink";

function planOf(...sources: string[]): SinkPlan {
  return {
    policy: { plane: "web", namespace: "shop", name: "export", uid: "-" },
    ...{ generation: 1, name: "sink", endpoint: "http://127.0.0.1/write", paused: false },
    sources: sources.map((metricsql) => ({ name: metricsql.replace(/\{.*/, ""), metricsql })),
    batch: { timeoutMs: 5_000, maxSize: 500, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 1, backoffMs: 1 },
  };
}

/** A sink of the sources a and b, whose windows were read without a sample, and a store with some late ones. */
class Scene {
  readonly clock = new TestClock(startMs);
  readonly state = new SinkStates();
  readonly stats = new SinkStats(0);
  readonly #sent = new MemorySentLog(stepMs);
  /** Times of the late samples, by source. */
  readonly #late: Array<{ readonly source: string; readonly ms: number }> = [];
  /** Sources whose counts fail. */
  readonly uncountable = new Set<string>();
  readonly counted: string[] = [];
  readonly isShared: boolean;
  late: LateSamples;

  constructor(isShared = false) {
    this.isShared = isShared;
    this.late = this.replica();
  }

  replica(): LateSamples {
    const deps: LateSamplesDeps = {
      ...{ sent: this.#sent, times, isShared: this.isShared, sink, state: this.state, stats: this.stats },
      ...{ clock: this.clock, log: silentLogger, tenantOf: () => undefined },
    };
    return new LateSamples(planOf("a", "b"), deps);
  }

  readonly counter: SampleCounter = {
    count: async ({ selector, window, of }) => {
      const source = selector.replace(/\{.*/, "");
      if (of === "staleMarkers") return this.#countMarkers(source, window);
      this.counted.push(`${source} ${Math.round((this.clock.nowMs() - window.fromMs) / stepMs)}`);
      if (this.uncountable.has(source)) return { kind: "failed", reason: "store_error", message: "503" };
      const counts = new Array<number>((window.toMs - window.fromMs) / stepMs).fill(0);
      for (const one of this.#late) {
        const step = Math.ceil((one.ms - window.fromMs) / stepMs) - 1;
        if (one.source === source && counts[step] !== undefined) counts[step]++;
      }
      return { kind: "counts", counts, startedMs: this.sharedMs ?? this.clock.monotonicMs() };
    },
  };

  /** When the counts of samples were requested; undefined: now. */
  sharedMs: number | undefined;

  /** Ages of the windows of which markers were counted, in minutes. */
  readonly markersCounted: number[] = [];
  /** Where their counts fail, and the times of markers; undefined: the store has none. */
  markers: { fail: boolean; readonly ms: number[] } | undefined;

  #countMarkers(source: string, { fromMs, toMs }: CountRequest["window"]): CountOutcome {
    if (this.markers === undefined || source !== "a") return { kind: "unsupported" };
    this.markersCounted.push(Math.round((this.clock.nowMs() - fromMs) / stepMs));
    if (this.markers.fail) return { kind: "failed", reason: "store_error", message: "503" };
    const counts = new Array<number>((toMs - fromMs) / stepMs).fill(0);
    for (const ms of this.markers.ms) {
      const step = Math.ceil((ms - fromMs) / stepMs) - 1;
      if (counts[step] !== undefined) counts[step]++;
    }
    return { kind: "counts", counts, startedMs: this.clock.monotonicMs() };
  }

  /** A sample reaches the store, with a time so many minutes ago. */
  arrives(source: string, minutesAgo: number): void {
    this.#late.push({ source, ms: this.clock.nowMs() - minutesAgo * stepMs });
  }

  /** The store loses its late samples. */
  lose(): void {
    this.#late.length = 0;
  }

  /** A minute passes, and is read; then late samples are looked for. */
  async minute(failed: ReadonlySet<string> = none): Promise<PlannedWindow | undefined> {
    const fromMs = this.clock.nowMs();
    this.clock.advance(stepMs);
    const nowMs = this.clock.nowMs();
    const counts = new Map(["a", "b"].map((name) => [name, new SampleCounts(stepMs)]));
    await this.late.remember({ fromMs, toMs: nowMs }, undefined, counts, nowMs);
    return this.next(failed);
  }

  next(failed: ReadonlySet<string> = none): Promise<PlannedWindow | undefined> {
    const nowMs = this.clock.nowMs();
    const checkpoints = new Map(["a", "b"].map((name) => [name, nowMs]));
    return this.late.next({ nowMs, checkpoints, failed, counter: this.counter }, signal);
  }

  /** So many minutes pass. @returns the sources and ages, in minutes, of the spans to read, which are read */
  async pass(count: number, failed: ReadonlySet<string> = none): Promise<string[]> {
    const found: string[] = [];
    for (let minute = 0; minute < count; minute++) {
      for (let span = await this.minute(failed); span !== undefined; span = await this.next(failed)) {
        found.push(`${span.sources} ${Math.round((this.clock.nowMs() - span.toMs) / stepMs)}`);
        await this.finish(span);
      }
    }
    return found;
  }

  async finish(span: PlannedWindow): Promise<void> {
    await this.late.noteFound(span);
    await this.late.rememberLate(span, undefined, new Map(), 0);
    const counts = new Map(span.sources.map((name) => [name, new SampleCounts(stepMs)]));
    await this.late.rememberLate(span, undefined, counts, 0);
  }

  /** A part of the span was sent, and acknowledged. */
  async send({ fromMs, toMs, sources }: PlannedWindow): Promise<void> {
    const window = await this.state.openWindow(lateKey(sink), { fromMs, toMs, stepMs: 1 }, sources);
    const entries = new RequestEntries(fromMs);
    entries.addTimes(1, 1, [toMs]);
    await this.state.requestAcknowledged(window, await this.state.requestSent(window, entries));
  }
}

test("a source that cannot be read stops no search in the others, and its time counts as unchecked", async () => {
  const scene = new Scene();
  await scene.pass(30);
  const failed = new Set(["b"]);
  scene.arrives("a", 10);
  scene.arrives("b", 10);
  const found = await scene.pass(60, failed);
  expect(found.map((span) => span.split(" ")[0])).toEqual(["a"]);
  expect(scene.stats.uncheckedSeconds).toBeGreaterThan(0);
  const before = scene.stats.uncheckedSeconds;
  expect(before).toBeLessThan(60 * 60);
  // When it can be read again, everything is counted that may still be sent.
  expect((await scene.pass(6)).map((span) => span.split(" ")[0])).toEqual(["b"]);
  await scene.pass(60);
  expect(scene.stats.uncheckedSeconds - before).toBeLessThan(600);
});

/** After 80 minutes, in which another replica has looked at everything too. */
async function twoReplicas(isShared: boolean): Promise<{ scene: Scene; other: LateSamples }> {
  const scene = new Scene(isShared);
  const first = scene.late;
  await scene.pass(80);
  const other = isShared ? scene.replica() : first;
  scene.late = other;
  await scene.pass(1);
  scene.late = first;
  return { scene, other };
}

test.each([
  ["in one process", false],
  ["also when another replica makes the next check", true],
])("a count that fails once is repeated as far back, %s", async (_, isShared) => {
  // A rehearsal: when the next check of everything is due.
  const { scene: rehearsal } = await twoReplicas(isShared);
  let dueIn = 0;
  for (rehearsal.counted.length = 0; !rehearsal.counted.some(isOfEverything); dueIn++)
    await rehearsal.pass(1);
  const { scene, other } = await twoReplicas(isShared);
  await scene.pass(dueIn - 1);
  scene.arrives("a", 58);
  scene.uncountable.add("a");
  scene.counted.length = 0;
  expect(await scene.pass(1)).toEqual([]);
  expect(scene.counted.some(isOfEverything)).toBe(true);
  scene.uncountable.delete("a");
  scene.late = other;
  expect(await scene.pass(6)).toEqual([expect.stringMatching(/^a 6/)]);
});

/** Others look back by up to 58 minutes. */
function isOfEverything(counted: string): boolean {
  return Number(counted.split(" ")[1]) > 70;
}

test("a span that is not finished is read again: at once if something was sent, else with the next check", async () => {
  const scene = new Scene();
  await scene.pass(60);
  scene.arrives("a", 35);
  let span: PlannedWindow | undefined;
  while (span === undefined) span = await scene.minute();
  // It was not finished in time.
  await scene.send(span);
  expect(await scene.next()).toEqual(span);
  // Nothing more was sent.
  expect(await scene.next()).toBeUndefined();
  scene.counted.length = 0;
  let again: PlannedWindow | undefined;
  let waited = 0;
  for (; again === undefined; waited++) again = await scene.minute();
  expect(again).toEqual(span);
  expect(waited).toBeLessThanOrEqual(6);
  // Although that check does not look as far back.
  expect(scene.counted.filter((text) => text.startsWith("a"))).toEqual([expect.stringMatching(/^a [12]/)]);
  await scene.finish(again);
  expect(await scene.pass(40)).toEqual([]);
});

test("an edit keeps the spans of the sources that it leaves as they were", async () => {
  const scene = new Scene();
  await scene.pass(30);
  scene.arrives("a", 10);
  scene.arrives("b", 12);
  let span: PlannedWindow | undefined;
  while (span === undefined) span = await scene.minute();
  expect(span.sources).toEqual(["b"]);
  await scene.finish(span);
  scene.late.change({ ...planOf("a", 'b{x="y"}'), generation: 2 });
  span = await scene.next();
  expect(span?.sources).toEqual(["a"]);
  if (span !== undefined) await scene.finish(span);
  // That of an edited one is looked for again.
  scene.arrives("b", 20);
  for (span = undefined; span === undefined || span.sources[0] === "a"; ) {
    if (span !== undefined) await scene.finish(span);
    span = await scene.minute();
  }
  scene.late.change(planOf("a", "b"));
  scene.counted.length = 0;
  const [found] = await scene.pass(6);
  expect(found).toMatch(/^b/);
});

test("staleness markers of the whole horizon are found within 22 minutes", async () => {
  const scene = new Scene();
  scene.markers = { fail: false, ms: [] };
  await scene.pass(70);
  scene.markersCounted.length = 0;
  const ms = scene.clock.nowMs() - 50 * stepMs;
  scene.markers.ms.push(ms);
  const found: number[] = [];
  for (let minute = 1; found.length === 0 && minute < 60; minute++) {
    if ((await scene.pass(1)).length > 0) found.push(minute);
  }
  expect(found[0]).toBeLessThanOrEqual(22);
  expect(scene.markersCounted).toEqual([expect.toSatisfy((minutes: number) => minutes >= 60)]);
});

test("a count of staleness markers that fails is repeated with the next check, and stops no other", async () => {
  const scene = new Scene();
  scene.markers = { fail: false, ms: [] };
  await scene.pass(70);
  scene.markers.fail = true;
  scene.markersCounted.length = 0;
  while (scene.markersCounted.length === 0) await scene.pass(1);
  const failures = scene.stats.lateCheckFailures;
  expect(failures).toBe(1);
  scene.arrives("a", 10);
  scene.markers.ms.push(scene.clock.nowMs() - 50 * stepMs);
  // The late sample is found by the checks that count only samples.
  expect(await scene.pass(24)).toEqual([expect.stringMatching(/^a/)]);
  scene.markers.fail = false;
  scene.markersCounted.length = 0;
  expect(await scene.pass(6)).toEqual([expect.stringMatching(/^a/)]);
  expect(scene.markersCounted.length).toBeGreaterThan(0);
  expect(scene.stats.uncheckedSeconds).toBe(0);
  await scene.pass(10);
});

test("in a count that is older than the sink's own reading no sample has vanished, in a newer one it has", async () => {
  const scene = new Scene();
  await scene.pass(30);
  scene.counted.length = 0;
  while (scene.counted.length === 0) await scene.pass(1);
  // Shortly before the next check, so that the one after it reaches back as far.
  await scene.pass(4);
  scene.arrives("a", 2);
  let span: PlannedWindow | undefined;
  while (span === undefined) span = await scene.minute();
  // Another sink has asked for its counts before, when the store did not have the sample.
  scene.sharedMs = scene.clock.monotonicMs() - 1;
  await scene.finish(span);
  scene.lose();
  scene.counted.length = 0;
  while (scene.counted.length === 0) await scene.minute();
  expect(scene.stats.vanished).toBe(0);
  scene.sharedMs = undefined;
  await scene.pass(30);
  expect(scene.stats.vanished).toBe(1);
});

test("what was not recorded is unchecked once, whichever replica checks; the time before it still is checked", async () => {
  const scene = new Scene(true);
  await scene.pass(20);
  // Two minutes of which the record is lost.
  scene.clock.advance(2 * stepMs);
  await scene.pass(8);
  expect(scene.stats.uncheckedSeconds).toBe(120);
  scene.arrives("a", 20);
  scene.arrives("b", 9);
  scene.late = scene.replica();
  expect((await scene.pass(30)).toSorted()).toEqual([expect.stringMatching(/^a/)]);
  expect(scene.stats.uncheckedSeconds).toBe(120);
});

test("when a time was read last", () => {
  const reads = new RecentReads();
  reads.note({ fromMs: 0, toMs: 100 }, 1_000);
  reads.note({ fromMs: 100, toMs: 200 }, 9_000);
  reads.note({ fromMs: 200, toMs: 300 }, 50_000);
  reads.note({ fromMs: 50, toMs: 60 }, 90_000);
  expect([0, 1, 55, 100, 200, 300, 301].map((ms) => reads.lastOf(ms))).toEqual([
    ...[undefined, 9_000, 90_000, 9_000, 9_000, 50_000, undefined],
  ]);
  reads.note({ fromMs: 300, toMs: 400 }, 140_000);
  expect(reads.lastOf(100)).toBeUndefined();
  expect(reads.lastOf(55)).toBe(90_000);
});
