import { createHash } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import { logErrors, runLoop } from "../../../base/core/loop.ts";
import type { Service } from "../../../base/core/service.ts";
import { valueAt } from "../../../base/documents/yaml/document-path.ts";
import type { Logger } from "../../../base/log/log.ts";
import { conditionTime } from "../../../exporter/policy/status/condition-changes.ts";
import type { ApiOutcome, PlaneClient } from "../api/plane-client.ts";
import { type EventBudget, fullBudget, isFull, refilled, spend } from "./event-budget.ts";
import {
  type EventReport,
  type EventSubject,
  eventMessage,
  eventName,
  eventsPath,
  kubeEvent,
  type Occurrences,
} from "./kube-event.ts";

export interface EventWriterOptions {
  /** What reports the events. */
  readonly component: string;
  clientOf(plane: string): PlaneClient | undefined;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface EventWriter extends Service {
  /**
   * Notes an occurrence of an event, to be written soon.
   *
   * @param topic with the reason, distinguishes the subject's events
   */
  report(plane: string, subject: EventSubject, topic: string, report: EventReport): void;
  /** Writes what may be written. @returns ms until the next check */
  tick(signal: AbortSignal): Promise<number>;
}

/** Occurrences that have not been written yet. */
interface Pending extends Occurrences {
  readonly report: EventReport;
}

/** An event in the control plane, as far as this writer knows. */
interface Known {
  readonly count: number;
  readonly resourceVersion: unknown;
}

interface Subject {
  readonly plane: string;
  readonly subject: EventSubject;
  budget: EventBudget;
  /** By the event's name. */
  readonly pending: Map<string, Pending>;
  readonly known: Map<string, Known>;
}

type Failure = Exclude<ApiOutcome, { outcome: "ok" }>;

const turnMs = 1_000;
/** Pause after a control plane could not be reached. */
const retryMs = 60_000;
/** At most one warning per control plane in this time. */
const warnPauseMs = 600_000;
/** As long as control planes keep events: later, an occurrence is no news. */
const keepMs = 3_600_000;
const maxSteps = 6;

/**
 * Writes events as client-go's recorder does: an event that occurs again is counted, not repeated, and each
 * object has a token bucket. Occurrences without a token wait and are counted with a later write. Two writers
 * share an event, since its name follows from what it is about.
 *
 * An event is worth no failure: what a control plane refuses is logged and forgotten, and one that cannot be
 * reached or is busy is tried again after a minute, for an hour.
 */
export function createEventWriter({ component, clientOf, clock, log }: EventWriterOptions): EventWriter {
  const subjects = new Map<string, Subject>();
  /** Monotonic times, by plane. */
  const retryAtMs = new Map<string, number>();
  const warnedAtMs = new Map<string, number>();

  /** @returns undefined when the control plane has the event, else its last response */
  const write = async (
    client: PlaneClient,
    { subject, known }: Subject,
    name: string,
    { report, ...occurrences }: Pending,
    signal: AbortSignal,
  ): Promise<Failure | undefined> => {
    const path = eventsPath(subject);
    const news = { message: eventMessage(report.message), lastTimestamp: conditionTime(occurrences.lastMs) };
    const patch = (body: object) =>
      client.send("PATCH", `${path}/${name}`, { body, contentType: mergePatch, isOptional: true }, signal);
    let isThere = known.has(name);
    let outcome: ApiOutcome | undefined;
    for (let step = 1; step <= maxSteps; step++) {
      const before = known.get(name);
      if (before !== undefined) {
        const { count, resourceVersion } = before;
        outcome = await patch({ metadata: { resourceVersion }, count: count + occurrences.count, ...news });
        if (outcome.outcome === "ok") known.set(name, knownOf(outcome.json));
        else known.delete(name);
      } else if (isThere) {
        // Has its count without the right to read events.
        outcome = await patch(news);
        if (outcome.outcome === "ok") {
          known.set(name, knownOf(outcome.json));
          continue;
        }
      } else {
        const body = kubeEvent(name, subject, report, occurrences, component);
        outcome = await client.send("POST", path, { body, isOptional: true }, signal);
        if (outcome.outcome === "ok") known.set(name, knownOf(outcome.json));
      }
      if (outcome.outcome === "ok") return undefined;
      const code = outcome.outcome === "rejected" ? outcome.code : undefined;
      // 404 of a POST: there is no such namespace.
      if (code !== 409 && !(code === 404 && isThere)) return outcome;
      isThere = code === 409;
    }
    return outcome?.outcome === "ok" ? undefined : outcome;
  };

  const flush = async (each: Subject, signal: AbortSignal): Promise<void> => {
    const client = clientOf(each.plane);
    // The newest first: that is how things stand.
    const newest = [...each.pending].sort(([, a], [, b]) => b.lastMs - a.lastMs);
    for (const [name, pending] of newest) {
      if (client === undefined || clock.nowMs() - pending.lastMs > keepMs) each.pending.delete(name);
      else {
        if ((retryAtMs.get(each.plane) ?? 0) > clock.monotonicMs()) return;
        const rest = spend(each.budget);
        if (rest === undefined) return;
        each.pending.delete(name);
        const failure = await write(client, each, name, pending, signal);
        if (failure === undefined) each.budget = rest;
        else fail(each, name, pending, failure);
      }
    }
  };

  const fail = (each: Subject, name: string, pending: Pending, failure: Failure): void => {
    const { plane, subject, budget } = each;
    const nowMs = clock.monotonicMs();
    if (failure.outcome === "rejected" && failure.code < 500 && !passingRefusals.includes(failure.code)) {
      // A refusal costs as much as a write.
      each.budget = spend(budget) ?? budget;
    } else {
      // Another occurrence may have been reported meanwhile.
      each.pending.set(name, together(pending, each.pending.get(name)));
      retryAtMs.set(plane, nowMs + retryMs);
    }
    const isNews = nowMs - (warnedAtMs.get(plane) ?? Number.NEGATIVE_INFINITY) >= warnPauseMs;
    if (isNews) warnedAtMs.set(plane, nowMs);
    const { namespace, name: object } = subject;
    log[isNews ? "warn" : "debug"](
      { plane, namespace, object, error: failure.message },
      "an event cannot be written; delivery is not affected",
    );
  };

  const tick = async (signal: AbortSignal): Promise<number> => {
    for (const [key, each] of subjects) {
      each.budget = refilled(each.budget, clock.monotonicMs());
      await flush(each, signal);
      if (each.pending.size === 0 && isFull(each.budget)) subjects.delete(key);
    }
    return turnMs;
  };

  return {
    name: "events",
    snapshot: () => ({ objects: subjects.size }),
    tick,
    run: (signal) =>
      runLoop(tick, { clock, pauseAfterErrorMs: retryMs, onError: logErrors("events", log) }, signal),
    report(plane, subject, topic, report) {
      const key = `${plane} ${subject.uid}`;
      const budget = fullBudget(clock.monotonicMs());
      const each = subjects.get(key) ?? { plane, subject, budget, pending: new Map(), known: new Map() };
      subjects.set(key, each);
      const identity = createHash("sha256")
        .update(JSON.stringify([component, subject.uid, topic, report.reason]))
        .digest("hex");
      const name = eventName(subject, identity);
      const nowMs = clock.nowMs();
      const occurrence = { report, count: 1, firstMs: nowMs, lastMs: nowMs };
      const before = each.pending.get(name);
      each.pending.set(name, before === undefined ? occurrence : together(before, occurrence));
    },
  };
}

/** A token that is being replaced, and a server that is busy. */
const passingRefusals: readonly number[] = [401, 429];

const mergePatch = "application/merge-patch+json";

function knownOf(event: Record<string, unknown>): Known {
  return {
    count: Number(event["count"]) || 1,
    resourceVersion: valueAt(event, ["metadata", "resourceVersion"]),
  };
}

function together(earlier: Pending, later: Pending | undefined): Pending {
  if (later === undefined) return earlier;
  return { ...later, count: earlier.count + later.count, firstMs: earlier.firstMs };
}
