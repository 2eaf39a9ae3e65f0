import { yieldToEventLoop } from "../../base/core/yield-to-event-loop.ts";
import { sectionName } from "./haproxy/backend-section.ts";
import type { Haproxy } from "./haproxy/haproxy-process.ts";
import { loadOfSlot } from "./haproxy/plain-section.ts";

/** Requests of one program since the gateway started. */
export interface Traffic {
  /** By class: `1xx` to `5xx`, and `other`. */
  readonly responses: Readonly<Record<ResponseClass, number>>;
  /** Bytes from clients and to them. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
  /** Requests that are being worked on now. */
  readonly open: number;
  /** Average time of the last 1,024 requests, in seconds. */
  readonly averageSeconds: number;
}

export const responseClasses = ["1xx", "2xx", "3xx", "4xx", "5xx", "other"] as const;
export type ResponseClass = (typeof responseClasses)[number];

/** What only grows, in the order of {@link counterFields}. */
type Counts = readonly number[];

const counterFields = [...responseClasses.map((each) => `hrsp_${each}`), "bin", "bout"] as const;
const linesAtOnce = 1_000;
/** Statistics of backends only (management guide, section 9.3, "show stat"). */
const command = "show stat -1 2 -1";
const sectionPrefix = sectionName("");

/**
 * Adds up what HAProxy counts. Each reload starts a worker that counts from zero, while earlier ones finish
 * their requests: what a worker had counted when it was last asked stays.
 */
export class TrafficCounts {
  readonly #haproxy: Pick<Haproxy, "askAll">;
  /** Of workers that are gone, by section. */
  readonly #past = new Map<string, Counts>();
  /** Of workers that live, by pid and section. */
  #workers = new Map<number, ReadonlyMap<string, Row>>();
  #asking: Promise<void> | undefined;
  /** Gateways of slots, by load: of those loads that have a worker, and of the newest. */
  readonly #owners = new Map<string, ReadonlyMap<string, string>>();
  #newest = "";

  constructor(haproxy: Pick<Haproxy, "askAll">) {
    this.#haproxy = haproxy;
  }

  /** A load's slots are given away: all that are so far. */
  noteOwners(load: string, owners: ReadonlyMap<string, string>): void {
    this.#owners.set(load, owners);
    this.#newest = load;
  }

  /** Asks all workers; concurrent calls share one response. @throws HaproxyError */
  refresh(): Promise<void> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Traffic by the gateway's uid. */
  byGateway(): Map<string, Traffic> {
    const found = new Map<string, { counts: number[]; open: number; averageMs: number }>();
    const add = (gateway: string, counts: Counts, open = 0, averageMs?: number): void => {
      const sum = found.get(gateway) ?? { counts: counterFields.map(() => 0), open: 0, averageMs: 0 };
      for (const [index, count] of counts.entries()) sum.counts[index] = (sum.counts[index] ?? 0) + count;
      sum.open += open;
      sum.averageMs = averageMs ?? sum.averageMs;
      found.set(gateway, sum);
    };
    for (const [gateway, counts] of this.#past) add(gateway, counts);
    for (const rows of this.#workers.values()) {
      for (const [gateway, { counts, open, averageMs }] of rows) add(gateway, counts, open, averageMs);
    }
    return new Map([...found].map(([gateway, sum]) => [gateway, trafficOf(sum)]));
  }

  /** Forgets programs that are gone. */
  keepOnly(has: (gateway: string) => boolean): void {
    for (const gateway of this.#past.keys()) if (!has(gateway)) this.#past.delete(gateway);
  }

  async #ask(): Promise<void> {
    const responses = await this.#haproxy.askAll(command);
    const next = new Map<number, ReadonlyMap<string, Row>>();
    const loads = new Set([this.#newest]);
    let isComplete = true;
    for (const [pid, text] of responses) {
      isComplete &&= text !== undefined;
      // A worker that is silent for once keeps its counts: as one that is gone, they would count twice.
      const rows = text === undefined ? this.#workers.get(pid) : await this.#parse(text, loads);
      if (rows !== undefined) next.set(pid, rows);
    }
    for (const load of this.#owners.keys()) if (isComplete && !loads.has(load)) this.#owners.delete(load);
    for (const [pid, rows] of this.#workers) {
      if (next.has(pid)) continue;
      for (const [gateway, { counts }] of rows) this.#addPast(gateway, counts);
    }
    this.#workers = next;
  }

  #parse(text: string, loads: Set<string>): Promise<Map<string, Row>> {
    return parseStatistics(text, (section) => {
      if (section.startsWith(sectionPrefix)) return section.slice(sectionPrefix.length);
      const load = loadOfSlot(section);
      if (load === undefined) return undefined;
      loads.add(load);
      return this.#owners.get(load)?.get(section);
    });
  }

  #addPast(gateway: string, counts: Counts): void {
    if (counts.every((count) => count === 0)) return;
    const before = this.#past.get(gateway);
    this.#past.set(
      gateway,
      before === undefined ? counts : counts.map((count, i) => count + (before[i] ?? 0)),
    );
  }
}

interface Row {
  readonly counts: Counts;
  readonly open: number;
  readonly averageMs: number;
}

/**
 * The sections of programs in a CSV response to `show stat`, by the gateway's uid.
 *
 * @param gatewayOf undefined for a section that is no gateway's
 */
export async function parseStatistics(
  text: string,
  gatewayOf: (section: string) => string | undefined,
): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  const lines = text.split("\n");
  const names = (lines[0] ?? "").replace(/^# /, "").split(",");
  const place = (name: string): number => names.indexOf(name);
  const counters = counterFields.map(place);
  const [open, average] = [place("scur"), place("ttime")];
  for (let at = 1; at < lines.length; at++) {
    if (at % linesAtOnce === 0) await yieldToEventLoop();
    const fields = (lines[at] ?? "").split(",");
    const [section = ""] = fields;
    const gateway = gatewayOf(section);
    if (gateway === undefined) continue;
    const row = {
      counts: counters.map((index) => Number(fields[index] ?? 0)),
      open: Number(fields[open] ?? 0),
      averageMs: Number(fields[average] ?? 0),
    };
    const before = rows.get(gateway);
    rows.set(gateway, before === undefined ? row : sumOf(before, row));
  }
  return rows;
}

/** Of a gateway's earlier slot and a later one. */
function sumOf(a: Row, b: Row): Row {
  return {
    counts: a.counts.map((count, index) => count + (b.counts[index] ?? 0)),
    open: a.open + b.open,
    averageMs: b.averageMs || a.averageMs,
  };
}

function trafficOf(sum: { counts: readonly number[]; open: number; averageMs: number }): Traffic {
  const { counts, open, averageMs } = sum;
  const responses = Object.fromEntries(responseClasses.map((each, index) => [each, counts[index] ?? 0]));
  return {
    responses: responses as Record<ResponseClass, number>,
    receivedBytes: counts[responseClasses.length] ?? 0,
    sentBytes: counts[responseClasses.length + 1] ?? 0,
    open,
    averageSeconds: averageMs / 1_000,
  };
}
