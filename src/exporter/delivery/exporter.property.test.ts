import fc from "fast-check";
import { expect, test } from "vitest";
import { bodyOf, plainEncoder } from "../../../test/support/receiver/encoded.ts";
import { remoteWrite1 } from "../../../test/support/receiver/protocol.ts";
import { type DeliveringState, deliveringState } from "../../../test/support/sink/delivering-state.ts";
import { destinationWith, exporterDeps, sinkPlan } from "../../../test/support/sink/exporter-deps.ts";
import { MemorySentLog } from "../../../test/support/sink/memory-sent-log.ts";
import { sinkStore } from "../../../test/support/sink/sink-store.ts";
import { bufferOf, seriesOf } from "../../../test/support/store/series.ts";
import type { Clock } from "../../base/core/clock.ts";
import type { SampleCounter } from "../metrics-store/ports/sample-counter.ts";
import type { SampleReader } from "../metrics-store/ports/sample-reader.ts";
import type { SinkPlan } from "../policy/spec/types.ts";
import type { EncodedRequest } from "../remote-write/encoding/request.ts";
import { EndpointState } from "../remote-write/endpoint/endpoint-state.ts";
import type { Outcome, Sender } from "../remote-write/send/outcome.ts";
import { SeriesHashTable } from "../series/series-hash-table.ts";
import { MemoryBudget } from "./batch/memory-budget.ts";
import { seriesHashOf } from "./batch/series-hash.ts";
import { Interruption, type InterruptionReason } from "./dispatch/interruption.ts";
import { Exporter } from "./exporter.ts";
import type { LateDeps } from "./late/late-samples.ts";
import type { SentLog } from "./late/sent-log.ts";
import type { RequestEntries } from "./state/request-entries.ts";
import { SinkStates } from "./state/sink-states.ts";
import { decodeRecords, encodeRecord } from "./state/state-record.ts";

/**
 * Drives the exporter through random histories, with a simulated clock, store and receiver, and checks the
 * project's guarantees: every sample arrives, none is invented, only requests whose response was lost are
 * ever repeated, and a repeat never affects other requests.
 */

type Fate =
  | "stored"
  | "stored, response lost"
  | "not stored, response lost"
  | "unavailable"
  | "unauthorized"
  | "refused"
  | "limited";
type ReadFate = "whole" | "fails at once" | "breaks off";

interface Step {
  readonly advanceMs: number;
  /** The process is killed after this many state records in this step; never, if there are fewer records. */
  readonly killAfterRecords: number;
  readonly fates: readonly Fate[];
  readonly reads: readonly ReadFate[];
  readonly counts: ReadonlyArray<"whole" | "fails">;
  /** Durations of the reads, and then of the requests, in order; all later ones take no time. */
  readonly readMs: readonly number[];
  readonly responseMs: readonly number[];
  /** The policy's sources in this life; state of any other source is used again when it returns. */
  readonly sources: readonly string[];
  readonly maxSize: number;
  readonly interruptAfter: number | undefined;
  readonly interruption: InterruptionReason;
  readonly memoryBytes: number;
}

/** The special conditions of all histories of one test. */
interface Circumstances {
  /**
   * A receiver that rejects a whole request for one repeat, like Prometheus without an out-of-order window.
   */
  readonly isStrict: boolean;
  /** `delivery.lateness`; the store shows samples up to this late. */
  readonly latenessMs: number;
  /** Some samples are refused by the receiver with every request that holds one, or make it fail. */
  readonly culprits: "none" | "refused" | "fail";
  /** It refuses everything for a while, now and then. */
  readonly refusesAll: boolean;
  /** It refuses requests with more samples. */
  readonly maxSamples: number;
  readonly onExhausted: "replay" | "drop";
  /** It limits its rate now and then, under `retryOn429: false`. */
  readonly isLimiting: boolean;
  readonly order: "oldestFirst" | "newestFirst";
}

interface StoredSample {
  readonly series: string;
  readonly source: string;
  readonly ms: number;
  readonly value: number;
  /** Time from which the store shows it. */
  readonly visibleMs: number;
}

/** Of each source. */
type Checkpoints = ReadonlyMap<string, number | undefined>;

const partitionCount = 3;
/** The length of the steps by which samples are counted. */
const stepMs = 1_000;
/** Within a step, as a sink usually begins. */
const historyStartMs = -300;
const historyEndMs = 120_000;
const sources = ["even", "odd"];

const samplesOfStore = ({ latenessMs }: Circumstances) => {
  const lateMs = fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 1, arbitrary: fc.nat(latenessMs) },
  );
  const ms = fc.integer({ min: historyStartMs + 1, max: historyEndMs });
  return fc
    .array(fc.record({ series: fc.nat(6), ms, lateMs }), { minLength: 1, maxLength: 150 })
    .map(samplesOf);
};

function samplesOf(drawn: readonly { series: number; ms: number; lateMs: number }[]): StoredSample[] {
  const unique = new Map(drawn.map((sample) => [`${sample.series}/${sample.ms}`, sample]));
  return [...unique.values()]
    .map(
      ({ series, ms, lateMs }, index): StoredSample => ({
        series: `s${series}`,
        source: sources[series % 2]!,
        ms,
        value: index,
        visibleMs: ms + lateMs,
      }),
    )
    .sort((a, b) => a.ms - b.ms);
}

const fate = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fate>("stored") },
  { weight: 2, arbitrary: fc.constant<Fate>("stored, response lost") },
  { weight: 1, arbitrary: fc.constant<Fate>("not stored, response lost") },
  { weight: 1, arbitrary: fc.constant<Fate>("unavailable") },
  { weight: 1, arbitrary: fc.constant<Fate>("unauthorized") },
);
/** The receiver refuses everything at first, if it does at all. */
const fatesOf = ({ refusesAll, isLimiting }: Circumstances): fc.Arbitrary<Fate[]> =>
  fc
    .tuple(
      fc.nat(refusesAll ? 40 : 0),
      fc.array(isLimiting ? fc.oneof(fate, fc.constant<Fate>("limited")) : fate, { maxLength: 8 }),
    )
    .map(([refused, fates]) => [...new Array<Fate>(refused).fill("refused"), ...fates]);
const readFate = fc.oneof(
  { weight: 6, arbitrary: fc.constant<ReadFate>("whole") },
  { weight: 1, arbitrary: fc.constant<ReadFate>("fails at once") },
  { weight: 1, arbitrary: fc.constant<ReadFate>("breaks off") },
);
const stepOf = (circumstances: Circumstances): fc.Arbitrary<Step> =>
  fc.record({
    advanceMs: fc.integer({ min: 500, max: 30_000 }),
    killAfterRecords: fc.oneof(fc.constant(Infinity), fc.integer({ min: 1, max: 15 })),
    fates: fatesOf(circumstances),
    reads: fc.array(readFate, { maxLength: 4 }),
    counts: fc.array(fc.constantFrom<"whole" | "fails">("whole", "fails"), { maxLength: 3 }),
    // A cycle longer than its period (5 s) continues with samples that have become complete in the meantime.
    readMs: fc.array(fc.constantFrom(0, 300, 3_000, 8_000), { maxLength: 6 }),
    responseMs: fc.array(fc.constantFrom(0, 100, 2_000, 6_000), { maxLength: 6 }),
    sources: fc.oneof(
      { weight: 4, arbitrary: fc.constant(sources) },
      { weight: 1, arbitrary: fc.subarray(sources, { minLength: 1, maxLength: 1 }) },
    ),
    maxSize: fc.integer({ min: 1, max: 20 }),
    interruptAfter: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
    interruption: fc.constantFrom<InterruptionReason>("edit", "stop"),
    // So small that every second request exceeds it; or never spent.
    memoryBytes: fc.constantFrom(150, 2 ** 20),
  });

class World {
  /** By the store's clock, which determines the visible samples. */
  nowMs = historyStartMs;
  /** For pauses, which exceed the histories: a waiting sink must not see a whole history at once. */
  monotonicMs = 0;
  readonly samples: StoredSample[];
  readonly #series: readonly StoredSample[];
  readonly isStrict: boolean;
  /** In order of arrival; for the strict receiver, accepted samples only. */
  readonly arrived: Array<{ readonly key: string; readonly ms: number; readonly value: number }> = [];
  readonly newest = new Map<string, { ms: number; value: number }>();
  /** Samples in requests that were stored although their response was lost: only these may arrive twice. */
  inDoubt = 0;
  rejected = 0;
  /** Samples in the rejected store. */
  readonly kept = new Set<string>();
  /** The same for those that an earlier request may have stored. */
  readonly keptRepeats = new Set<string>();
  /**
   * Samples in requests whose response was lost: if rejected later, they count as repeats, correctly or not.
   */
  readonly doubtful = new Set<string>();
  /** Samples of requests that had the response 429. */
  readonly limited = new Set<string>();
  /** Samples that failed alone or with others of their series; how many requests had been accepted. */
  readonly #failedAlone = new Map<string, number>();
  /** Samples that failed so before a request was accepted, and after that. */
  readonly failedTwice = new Set<string>();
  #accepted = 0;
  readonly circumstances: Circumstances;
  log: Buffer[] = [];
  /** What was sent, as the processes remember it. */
  readonly sent = new MemorySentLog(stepMs);
  cycleBeganMs = 0;
  /** Reads of samples that appeared after their cycle had begun. */
  readsBeyond = 0;
  /** Conditions that said more than what had happened. */
  readonly untrue: string[] = [];
  #shownMs = 0;

  constructor(samples: readonly StoredSample[], circumstances: Circumstances) {
    this.samples = [...samples];
    this.#series = [...new Map(samples.map((sample) => [sample.series, sample])).values()];
    if (circumstances.culprits !== "none" || circumstances.refusesAll) this.goOn(historyEndMs);
    this.circumstances = circumstances;
    this.isStrict = circumstances.isStrict;
  }

  /** Each series goes on from then on, so that the receiver accepts something in the end. */
  goOn(fromMs: number): void {
    for (const { series, source } of this.#series) {
      const index = this.samples.length;
      const ms = fromMs + index;
      this.samples.push({ series, source, ms, value: 23 * (1_000 + index), visibleMs: ms });
    }
  }

  pass(ms: number): void {
    this.nowMs += ms;
    this.monotonicMs += ms;
  }

  /** The store's visible samples; a visible sample never disappears. */
  visible(): StoredSample[] {
    this.#shownMs = Math.max(this.#shownMs, this.nowMs);
    return this.samples.filter(({ visibleMs }) => visibleMs <= this.#shownMs);
  }

  /** Whether every sample has arrived, or is in the rejected store. */
  isSettled(): boolean {
    const arrived = new Set(this.arrived.map(sampleText));
    return this.samples.every(({ series, ms, value }) => {
      const text = sampleText({ key: `__name__=${series}`, ms, value });
      return arrived.has(text) || this.kept.has(text) || this.keptRepeats.has(text);
    });
  }

  /** Checks a status that is read between two cycles. */
  judge({ status, reason, message }: DeliveringState, checkpoints: Checkpoints, life: Life): void {
    if (status !== "True" || life.isOver) return;
    if (life.concluded > 0 && life.accepted.length === 0) {
      this.untrue.push(`${reason} although nothing was accepted: ${message}`);
    }
    const arrived = new Set(this.arrived.map(sampleText));
    for (const { series, source, ms, value, visibleMs } of this.samples) {
      const text = sampleText({ key: `__name__=${series}`, ms, value });
      const isDue = ms <= (checkpoints.get(source) ?? -Infinity) && visibleMs === ms;
      if (!isDue || arrived.has(text) || this.kept.has(text) || this.keptRepeats.has(text)) continue;
      this.untrue.push(`${reason} without ${text}: ${message}`);
    }
  }

  doubt(request: EncodedRequest): void {
    for (const sample of decode(request)) this.doubtful.add(sampleText(sample));
  }

  /** A request has failed, or was accepted. */
  note(request: EncodedRequest, isAccepted: boolean): void {
    const samples = decode(request);
    if (isAccepted) this.#accepted++;
    if (isAccepted || new Set(samples.map(({ key }) => key)).size !== 1) return;
    for (const text of samples.map(sampleText)) {
      const before = this.#failedAlone.get(text);
      if (before === undefined) this.#failedAlone.set(text, this.#accepted);
      else if (this.#accepted > before) this.failedTwice.add(text);
    }
  }

  /**
   * Requests recorded as sent without a response: a kill can come between a request's record and its sending.
   */
  raiseDoubts(): void {
    const inDoubt = new Map<string, RequestEntries>();
    for (const record of decodeRecords(Buffer.concat(this.log)).records) {
      if (record.type === "sent") inDoubt.set(`${record.id}/${record.number}`, record.entries);
      if (record.type === "acknowledged" || record.type === "returned")
        inDoubt.delete(`${record.id}/${record.number}`);
    }
    const untilMs = new SeriesHashTable();
    for (const entries of inDoubt.values()) entries.each((high, low, ms) => untilMs.raise(high, low, ms));
    for (const { series, source, ms, value } of this.samples) {
      const hash = seriesHashOf(source, plainEncoder)(seriesOf(series));
      if (hash === undefined || ms > (untilMs.get(hash.high, hash.low) ?? 0)) continue;
      this.doubtful.add(sampleText({ key: `__name__=${series}`, ms, value }));
    }
  }

  /** Whether the receiver fails at the request. */
  fails(request: EncodedRequest): boolean {
    return this.circumstances.culprits === "fail" && decode(request).some(({ value }) => isCulprit(value));
  }

  /**
   * Stores all or nothing, like Prometheus without an out-of-order window. @returns whether it was accepted
   */
  store(request: EncodedRequest): boolean {
    const incoming = decode(request);
    const { culprits, maxSamples } = this.circumstances;
    if (incoming.length > maxSamples) return false;
    if (culprits === "refused" && incoming.some(({ value }) => isCulprit(value))) return false;
    if (this.isStrict) {
      const newest = new Map(this.newest);
      for (const { key, ms, value } of incoming) {
        const last = newest.get(key);
        if (last !== undefined && (ms < last.ms || (ms === last.ms && value !== last.value))) return false;
        newest.set(key, { ms, value });
      }
      for (const [key, last] of newest) this.newest.set(key, last);
    }
    this.arrived.push(...incoming);
    return true;
  }
}

function decode(request: EncodedRequest): { key: string; ms: number; value: number }[] {
  const decoded = remoteWrite1.WriteRequest.decode(bodyOf(request));
  return decoded.timeseries!.flatMap((series) => {
    const key = series.labels!.map(({ name, value }) => `${name}=${value}`).join(",");
    return series.samples!.map((sample) => ({
      key,
      ms: Number(sample.timestamp),
      value: Number(sample.value),
    }));
  });
}

function isCulprit(value: number): boolean {
  return value % 23 === 7;
}

function sampleText({ key, ms, value }: { key: string; ms: number; value: number }): string {
  return `${key}@${ms}=${value}`;
}

class Killed extends Error {}

/** One life of the process. It ends at a random record; later actions have no effect. */
class Life {
  isOver = false;
  /** Number of samples of each accepted request, in order. */
  readonly accepted: number[] = [];
  /** The last requests sent, which a kill leaves in doubt. */
  readonly sent: EncodedRequest[] = [];
  /** Requests that had a response, whatever it was. */
  concluded = 0;
  #recordsLeft: number;
  readonly #world: World;
  readonly state: SinkStates;
  #end: (error: Killed) => void = () => undefined;
  readonly ended: Promise<never>;

  constructor(world: World, killAfterRecords: number) {
    this.#world = world;
    this.#recordsLeft = killAfterRecords;
    this.ended = new Promise((_, reject) => {
      this.#end = reject;
    });
    this.ended.catch(() => undefined);
    this.state = new SinkStates((record) => {
      if (this.isOver) return new Promise(() => undefined);
      world.log.push(encodeRecord(record));
      return this.#survive();
    });
    for (const record of decodeRecords(Buffer.concat(world.log)).records) this.state.apply(record);
  }

  /** Resolves unless the process is killed after this record. */
  #survive(): Promise<void> {
    if (--this.#recordsLeft > 0) return Promise.resolve();
    this.isOver = true;
    this.#end(new Killed());
    return new Promise(() => undefined);
  }

  late(): LateDeps {
    const { sent } = this.#world;
    const mortal: SentLog = {
      stepMs,
      append: async (sink, record) => {
        if (this.isOver) return new Promise(() => undefined);
        const isKept = await sent.append(sink, record);
        await this.#survive();
        return isKept;
      },
      counts: (sink) => sent.counts(sink),
      blocks: (sink, span) => sent.blocks(sink, span),
    };
    return {
      sent: mortal,
      times: { horizonMs: 10_000_000, delayMs: 500, quietMs: 2_000, alertMs: 1_000 },
      isShared: false,
    };
  }

  counter({ counts }: Step): SampleCounter {
    const world = this.#world;
    const left = [...counts];
    return {
      count: async ({ selector, window, of }) => {
        if (of === "staleMarkers") return { kind: "unsupported" };
        if (left.shift() === "fails") return { kind: "failed", reason: "timeout", message: "timeout" };
        const counted = new Array<number>((window.toMs - window.fromMs) / stepMs).fill(0);
        for (const { source, ms } of world.visible()) {
          if (source !== selector || ms <= window.fromMs || ms > window.toMs) continue;
          const step = Math.ceil((ms - window.fromMs) / stepMs) - 1;
          counted[step] = (counted[step] ?? 0) + 1;
        }
        return { kind: "counts", counts: counted, startedMs: world.monotonicMs };
      },
    };
  }

  reader({ reads, readMs }: Step): SampleReader {
    const world = this.#world;
    const left = [...reads];
    const durations = [...readMs];
    return {
      storeNowMs: () => world.nowMs,
      read: async ({ selector, window }, consumer, signal) => {
        const readFate = left.shift() ?? "whole";
        const durationMs = durations.shift() ?? 0;
        if (window.toMs > world.cycleBeganMs) world.readsBeyond++;
        await Promise.resolve();
        if (readFate === "fails at once")
          return { kind: "failed", reason: "unreachable", message: "no response" };
        const visible = world.visible();
        const names = [
          ...new Set(visible.filter(({ source }) => source === selector).map(({ series }) => series)),
        ];
        let count = 0;
        for (const [index, name] of names.entries()) {
          if (signal.aborted) return { kind: "detached" };
          if (readFate === "breaks off" && index === 1) {
            world.pass(durationMs);
            return { kind: "failed", reason: "incomplete_body", message: "cut" };
          }
          const chosen = visible.filter(
            ({ series, ms }) => series === name && ms > window.fromMs && ms <= window.toMs,
          );
          if (chosen.length === 0) continue;
          count += chosen.length;
          consumer.onSeries(seriesOf(name), bufferOf(chosen.map(({ ms, value }) => [ms, value])));
          await Promise.resolve();
        }
        world.pass(durationMs);
        return {
          kind: "complete",
          series: names.length,
          samples: count,
          bytes: 0,
          durationMs,
          invalidLines: 0,
        };
      },
    };
  }

  sending({ fates, responseMs }: Step, afterRequest: () => void): Sender["send"] {
    const world = this.#world;
    const left = [...fates];
    const durations = [...responseMs];
    return async (request): Promise<Outcome> => {
      if (this.isOver) return new Promise(() => undefined);
      const drawn = left.shift() ?? "stored";
      const chosen = drawn === "stored" && world.fails(request) ? "unavailable" : drawn;
      this.sent.push(request);
      if (chosen.endsWith("lost")) world.doubt(request);
      const isStored = chosen === "stored" || chosen === "stored, response lost";
      const isAccepted = isStored && world.store(request);
      if (isAccepted && chosen === "stored, response lost") world.inDoubt += request.sampleCount;
      if (isAccepted) {
        this.accepted.push(request.sampleCount);
      }
      world.note(request, isAccepted && chosen === "stored");
      await Promise.resolve();
      world.pass(durations.shift() ?? 0);
      if (!chosen.endsWith("lost")) this.concluded++;
      afterRequest();
      if (this.isOver) return new Promise(() => undefined);
      if (chosen === "unavailable") {
        return {
          kind: "exhausted",
          reason: "server_error",
          message: "503",
          status: 503,
          responseLost: false,
        };
      }
      if (chosen === "limited") {
        for (const sample of decode(request)) world.limited.add(sampleText(sample));
        return { kind: "limited", status: 429, message: "429", responseLost: false };
      }
      if (chosen === "unauthorized")
        return { kind: "suspended", status: 401, message: "401", responseLost: false };
      if (chosen !== "stored" && chosen !== "refused") {
        return { kind: "exhausted", reason: "answer_timeout", message: "no response", responseLost: true };
      }
      if (!isAccepted) return { kind: "rejected", status: 400, message: "out of order", responseLost: false };
      return { kind: "delivered", status: 204 };
    };
  }
}

function planOf({ maxSize, sources }: Step, { order }: Circumstances): SinkPlan {
  return sinkPlan({
    sources: sources.map((name) => ({ name, metricsql: name })),
    batch: { timeoutMs: 5_000, maxSize, maxBytes: 2 ** 23 },
    retry: { maxAttempts: 1, backoffMs: 1, order },
  });
}

async function live(world: World, stepOf: Step): Promise<void> {
  const life = new Life(world, stepOf.killAfterRecords);
  const interruption = new Interruption();
  let requests = 0;
  const judge = () => {
    const snapshot = exporter.snapshot();
    const checkpoints = new Map(snapshot.sources.map(({ name, checkpointMs }) => [name, checkpointMs]));
    world.judge(deliveringState(snapshot, world.nowMs), checkpoints, life);
  };
  const afterRequest = () => {
    if (++requests === stepOf.interruptAfter) interruption.begin(stepOf.interruption);
  };
  const clock: Clock = {
    nowMs: () => world.nowMs,
    monotonicMs: () => world.monotonicMs,
    // Pauses between the requests of a search for culprits end at once; the watch for aged batches never
    // ends.
    sleep: (ms, signal) =>
      ms <= 1_000
        ? Promise.resolve()
        : new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error))),
  };
  const endpoint = new EndpointState("1.0");
  const store = sinkStore(life.reader(stepOf), life.counter(stepOf));
  const deps = exporterDeps({
    store,
    late: world.circumstances.latenessMs > 0 ? life.late() : undefined,
    rejected: {
      add: async ({ request, isRepeat }) => {
        const kept = isRepeat === true ? world.keptRepeats : world.kept;
        for (const sample of decode(request)) kept.add(sampleText(sample));
      },
    },
    state: life.state,
    budget: new MemoryBudget(stepOf.memoryBytes),
    settings: {
      delayMs: 1_000,
      expressionDelayMs: 1_000,
      maxWindowMs: 20_000,
      newestMs: 10_000,
      partitionCount,
      onExhausted: world.circumstances.onExhausted,
    },
    clock,
    destinationOf: () => destinationWith(life.sending(stepOf, afterRequest), { state: endpoint }),
  });
  const exporter = new Exporter(planOf(stepOf, world.circumstances), deps);
  try {
    const hard = new AbortController();
    world.cycleBeganMs = world.nowMs;
    await Promise.race([exporter.cycle(interruption, hard.signal), life.ended]);
    // At its end a process says nothing more.
    if (interruption.reason === undefined) judge();
    // Further cycles in the same life, the second some samples later: pauses are over, and unfinished work is
    // resumed. What fails is searched after some failures.
    const further = world.circumstances.culprits === "fail" ? 4 : 1;
    for (let turn = 0; turn < further; turn++) {
      world.monotonicMs += 600_000;
      if (turn === 0) world.nowMs += Math.floor(stepOf.advanceMs / 2);
      world.cycleBeganMs = world.nowMs;
      await Promise.race([exporter.cycle(new Interruption(), hard.signal), life.ended]);
      judge();
    }
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    // A kill finds at most one request of each partition in flight.
    for (const samples of life.accepted.slice(-partitionCount)) world.inDoubt += samples;
    for (const request of life.sent.slice(-partitionCount)) world.doubt(request);
    world.raiseDoubts();
  }
  world.rejected += exporter.snapshot().stats.rejected;
}

const healthy: Step = {
  // To the end of the history, in few windows.
  advanceMs: historyEndMs + 10_000,
  killAfterRecords: Infinity,
  fates: [],
  reads: [],
  counts: [],
  readMs: [],
  responseMs: [],
  sources,
  maxSize: 10,
  interruptAfter: undefined,
  interruption: "edit",
  memoryBytes: 2 ** 20,
};

/** Histories that revealed bugs; they are run first. */
const found: [StoredSample[], Step[]][] = [
  // An in-doubt request of two sources, only one of which can be read when it is resolved.
  [
    samplesOf([
      { series: 3, ms: 1, lateMs: 0 },
      { series: 0, ms: 1, lateMs: 0 },
    ]),
    [
      { ...healthy, advanceMs: 1_001, killAfterRecords: 4, fates: ["unauthorized"], maxSize: 2 },
      { ...healthy, advanceMs: 500, killAfterRecords: 1, reads: ["fails at once"], maxSize: 1 },
    ],
  ],
  // A request that fails during the daemon's shutdown, and a later one that is delivered.
  [
    samplesOf([
      { series: 0, ms: 1, lateMs: 0 },
      { series: 0, ms: 2, lateMs: 0 },
    ]),
    [
      {
        ...{ ...healthy, advanceMs: 1_002, fates: ["unavailable"], maxSize: 1, memoryBytes: 150 },
        ...{ interruptAfter: 1, interruption: "stop" },
      },
    ],
  ],
  // Late samples: a window closed for one source but not for the other.
  [
    samplesOf([{ series: 0, ms: 1, lateMs: 0 }]),
    [{ ...healthy, advanceMs: 668, reads: ["fails at once"], maxSize: 1 }],
  ],
  // Late samples: a kill between the record of a window and its end.
  [
    samplesOf([{ series: 0, ms: 1, lateMs: 1_001 }]),
    [{ ...healthy, advanceMs: 1_001, killAfterRecords: 1, maxSize: 1 }],
  ],
  // A search for culprits interrupted by a lost response: only the part without a response is in doubt.
  [
    samplesOf(Array.from({ length: 12 }, (_, index) => ({ series: 0, ms: index + 1, lateMs: 0 }))),
    [
      {
        ...{ ...healthy, advanceMs: 2_000, maxSize: 4 },
        fates: ["stored", "stored", "not stored, response lost"],
      },
    ],
  ],
  // An in-doubt request whose source is removed from the policy for a while.
  [
    samplesOf([
      { series: 0, ms: 1, lateMs: 0 },
      { series: 0, ms: 2, lateMs: 0 },
    ]),
    [
      {
        ...{ ...healthy, advanceMs: 1_002, killAfterRecords: 5, maxSize: 2 },
        fates: ["unavailable", "stored, response lost"],
      },
      { ...healthy, advanceMs: 500, killAfterRecords: 1, sources: ["odd"], maxSize: 1 },
    ],
  ],
  // An in-doubt request of two sources, only one of which is in the policy when it is resolved and delivered.
  [
    samplesOf([
      { series: 3, ms: 0, lateMs: 0 },
      { series: 0, ms: 0, lateMs: 0 },
    ]),
    [
      { ...healthy, advanceMs: 500, fates: ["not stored, response lost"], readMs: [3_000], maxSize: 2 },
      { ...healthy, advanceMs: 500, killAfterRecords: 1, sources: ["odd"], maxSize: 1, memoryBytes: 150 },
    ],
  ],
  // Late samples of a source that is not in the policy during the second reading.
  [
    samplesOf([
      { series: 3, ms: 1, lateMs: 1_001 },
      { series: 0, ms: 2, lateMs: 0 },
    ]),
    [
      { ...healthy, advanceMs: 1_001, killAfterRecords: 3, maxSize: 1 },
      { ...healthy, advanceMs: 26_000, sources: ["even"], maxSize: 1 },
    ],
  ],
];

/** `npm run prove -- histories` sets it. */
const histories = Number(process.env["TELEMETRYD_TEST_HISTORIES"] ?? 100);
/** The same histories in each run, so that only the change under test matters; set it to search for more. */
const seed = Number(process.env["TELEMETRYD_TEST_SEED"] ?? 1);
const timeout = 60_000 + histories * 100;

const plain: Circumstances = {
  ...{ isStrict: false, latenessMs: 0, culprits: "none", onExhausted: "replay", isLimiting: false },
  order: "oldestFirst",
  ...{ refusesAll: false, maxSamples: Infinity },
};

test.each<[string, Circumstances]>([
  ["a receiver that takes everything, repeats too", plain],
  ["a receiver that refuses a whole request for one repeat", { ...plain, isStrict: true }],
  ["samples that come late, and delivery.lateness", { ...plain, latenessMs: 40_000 }],
])("everything arrives: %s", { timeout }, async (_, circumstances) => {
  await overHistories(circumstances, (world, { expected, arrived }) => {
    expect([...new Set(arrived)].sort()).toEqual([...expected].sort());
    expect(world.rejected).toBe(0);
    if (circumstances.latenessMs === 0) expectTimeOrder(world);
  });
});

test.each<[string, Circumstances]>([
  ["samples that the receiver refuses", { ...plain, culprits: "refused" }],
  ["samples that make it fail", { ...plain, culprits: "fail" }],
  ["samples that make it fail, and onExhausted: drop", { ...plain, culprits: "fail", onExhausted: "drop" }],
  ["it refuses everything for a while", { ...plain, refusesAll: true }],
  ["the same, and some samples always", { ...plain, culprits: "refused", refusesAll: true }],
  ["the same, the newest first", { ...plain, culprits: "refused", refusesAll: true, order: "newestFirst" }],
  ["it refuses large requests", { ...plain, maxSamples: 3 }],
  ["the same, and some samples always", { ...plain, culprits: "refused", maxSamples: 3 }],
])("only what is refused alone is rejected: %s", { timeout }, async (_, circumstances) => {
  await overHistories(circumstances, (world, { expected, arrived }) => {
    const accounted = new Set([...arrived, ...world.kept, ...world.keptRepeats]);
    expect([...accounted].sort()).toEqual([...expected].sort());
    const isWrong = (text: string) =>
      !isCulprit(Number(text.split("=").at(-1))) &&
      !(circumstances.culprits === "fail" && world.failedTwice.has(text));
    // A single failure is enough for `drop` with one attempt.
    if (circumstances.onExhausted === "drop") return;
    if (circumstances.culprits !== "none") expect([...world.kept].filter(isWrong)).toEqual([]);
    else expect([...world.kept]).toEqual([]);
    if (circumstances.refusesAll) return;
    for (const repeat of world.keptRepeats) expect(world.doubtful).toContain(repeat);
  });
});

test.each<[string, Circumstances]>([
  ["one that takes everything else", { ...plain, isLimiting: true }],
  ["one that refuses everything for a while", { ...plain, isLimiting: true, refusesAll: true }],
])(
  "only what had the response 429 is dropped, once, under retryOn429: false: %s",
  {
    timeout,
  },
  async (_, circumstances) => {
    await overHistories(circumstances, (world, { expected, arrived }) => {
      const kept = [...world.kept, ...world.keptRepeats];
      expect([...new Set([...arrived, ...kept])].sort()).toEqual([...expected].sort());
      expect(kept.filter((text) => !world.limited.has(text))).toEqual([]);
      expect(arrived.filter((text) => world.limited.has(text) && !world.doubtful.has(text))).toEqual([]);
    });
  },
);

test("everything arrives, the newest samples first", { timeout }, async () => {
  const circumstances: Circumstances = { ...plain, order: "newestFirst" };
  let spans = 0;
  await overHistories(circumstances, (world, { expected, arrived }) => {
    expect([...new Set(arrived)].sort()).toEqual([...expected].sort());
    expect(world.rejected).toBe(0);
    const { records } = decodeRecords(Buffer.concat(world.log));
    if (records.some((record) => record.type === "open" && record.sink.endsWith(" ahead"))) spans++;
  });
  expect(spans).toBeGreaterThan(histories / 3);
});

/** Cycles after which a history has to be over, whatever the receiver has refused. */
const mostFurtherCycles = 40;
const furtherMs = 10_000;

async function overHistories(
  circumstances: Circumstances,
  check: (world: World, samples: { expected: readonly string[]; arrived: readonly string[] }) => void,
): Promise<void> {
  let readsBeyond = 0;
  await fc.assert(
    fc.asyncProperty(
      samplesOfStore(circumstances),
      fc.array(stepOf(circumstances), { maxLength: 6 }),
      async (samples, steps) => {
        const world = new World(samples, circumstances);
        // The first cycle fixes the sink's start, before the first sample.
        await live(world, { ...healthy, advanceMs: 0 });
        expect(world.arrived).toEqual([]);
        for (const each of steps) {
          world.nowMs += each.advanceMs;
          await live(world, each);
        }
        world.nowMs += healthy.advanceMs;
        await live(world, healthy);
        readsBeyond += world.readsBeyond;
        for (let more = 0; more < mostFurtherCycles && !world.isSettled(); more++) {
          if (circumstances.culprits === "fail") world.goOn(world.nowMs);
          world.nowMs += furtherMs;
          // The later samples that prove the endpoint were delivered before: new ones have to come in a life.
          if (circumstances.order === "newestFirst") world.goOn(world.nowMs);
          await live(world, { ...healthy, advanceMs: furtherMs });
        }

        const expected = world.samples.map(({ series, ms, value }) =>
          sampleText({ key: `__name__=${series}`, ms, value }),
        );
        const arrived = world.arrived.map(sampleText);
        expect(arrived.length - new Set(arrived).size).toBeLessThanOrEqual(world.inDoubt);
        expect(world.untrue).toEqual([]);
        check(world, { expected, arrived });
      },
    ),
    {
      numRuns: histories,
      // A history that is never settled takes long: shrinking it would take for ever.
      endOnFailure: process.env["TELEMETRYD_TEST_SHRINK"] === undefined,
      seed,
      // Without lateness, late samples are lost by design.
      examples: found.filter(([samples]) =>
        samples.every(({ ms, visibleMs }) => visibleMs - ms <= circumstances.latenessMs),
      ),
    },
  );
  expect(readsBeyond).toBeGreaterThan(histories / 30);
}

/** Checks that the first arrivals of each series are in time order. */
function expectTimeOrder(world: World): void {
  const seen = new Set<string>();
  const last = new Map<string, number>();
  for (const { key, ms } of world.arrived) {
    if (seen.has(`${key}@${ms}`)) continue;
    seen.add(`${key}@${ms}`);
    expect(ms).toBeGreaterThan(last.get(key) ?? -Infinity);
    last.set(key, ms);
  }
}
