import { readFile } from "node:fs/promises";
import { cycleTimes } from "../../../src/exporter/delivery/plan/cycle-times.ts";
import { intervalMs, namespaceOf, others } from "./scene.ts";

/** The records of `probe.mjs`; times are Unix epoch, ms. */
export interface ProbeNotes {
  readonly exchanges: readonly Exchange[];
  /** The longest block of the event loop in each half second. */
  readonly loop: readonly Span[];
  readonly collections: readonly Span[];
  /** The stall that took the main thread the most CPU time in each half second. */
  readonly stalls: readonly Stall[];
}

interface Exchange {
  readonly kind: "read" | "send";
  readonly team: number;
  readonly madeMs: number;
  readonly endedMs: number;
}

interface Span {
  readonly atMs: number;
  readonly forMs: number;
}

export interface Stall extends Span {
  /** Functions in most of its samples, the outermost first; of a short one none. */
  readonly names: readonly string[];
}

export async function readNotes(file: string): Promise<ProbeNotes> {
  const notes = (await readFile(file, "utf8"))
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line)]));
  const of = (...kinds: string[]) => notes.filter(({ kind }) => kinds.includes(kind));
  return { exchanges: of("read", "send"), loop: of("loop"), collections: of("gc"), stalls: of("stall") };
}

export interface Phase {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Maximum, median and 99th percentile of some durations (ms). */
export interface Durations {
  readonly worst: number;
  readonly p99: number;
  readonly p50: number;
  readonly count: number;
}

export function durations(values: readonly number[]): Durations {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (fraction: number) => Math.round(sorted[Math.floor((sorted.length - 1) * fraction)] ?? 0);
  return { worst: at(1), p99: at(0.99), p50: at(0.5), count: sorted.length };
}

/** Delays between the due times of the other teams' cycles in the phase and their first reads. */
export function startDelays({ exchanges }: ProbeNotes, { fromMs, toMs }: Phase): number[] {
  const delays: number[] = [];
  for (const team of others) {
    const reads = exchanges.filter((each) => each.kind === "read" && each.team === team);
    const starts = reads.map(({ madeMs }) => madeMs).sort((a, b) => a - b);
    const { periodMs, offsetMs } = cycleTimes(
      `directory/${namespaceOf(team)}/policy`,
      intervalMs,
      intervalMs,
    );
    let dueMs = Math.ceil((fromMs - offsetMs) / periodMs) * periodMs + offsetMs;
    for (; dueMs < toMs; dueMs += periodMs) {
      // A timer may fire a millisecond early.
      const startMs = starts.find((ms) => ms >= dueMs - 5);
      delays.push(Math.max(0, (startMs ?? Infinity) - dueMs));
    }
  }
  return delays;
}

/** Durations of these teams' requests of one kind, up to the end of their responses. */
export function exchangeTimes(
  { exchanges }: ProbeNotes,
  kind: Exchange["kind"],
  teams: readonly number[],
  phase: Phase,
): number[] {
  return exchanges
    .filter((each) => each.kind === kind && teams.includes(each.team) && isWithin(each.madeMs, phase))
    .map(({ madeMs, endedMs }) => endedMs - madeMs);
}

export function spansWithin(spans: readonly Span[], phase: Phase): number[] {
  return spans.filter(({ atMs }) => isWithin(atMs, phase)).map(({ forMs }) => forMs);
}

/** The stalls of a phase, the worst first. */
export function worstStalls({ stalls }: ProbeNotes, phase: Phase): Stall[] {
  return stalls.filter(({ atMs }) => isWithin(atMs, phase)).toSorted((a, b) => b.forMs - a.forMs);
}

function isWithin(ms: number, { fromMs, toMs }: Phase): boolean {
  return ms >= fromMs && ms < toMs;
}
