import { withEither } from "../../../base/core/signals.ts";
import { writeBody } from "../../remote-write/encoding/request-body.ts";
import { refusalOf, type Unfinished } from "../../remote-write/send/outcome.ts";
import type { SampleBuffer, Series } from "../../series/series.ts";
import { type Batch, OpenBatch } from "../batch/batch.ts";
import { InDoubtBatcher } from "../batch/in-doubt-batcher.ts";
import { firstAfter } from "../batch/sample-range.ts";
import { acknowledgedSeries, type SeriesHash, sourceSalt } from "../batch/series-hash.ts";
import { type DeliveryFailure, failureOf } from "../dispatch/delivery-state.ts";
import type { UnprovenRefusal } from "../dispatch/parked-batches.ts";
import { RefusedBatches } from "../dispatch/refused-batches.ts";
import { WindowJournal } from "../dispatch/window-journal.ts";
import { hasRequestsInDoubt, type PlannedWindow } from "../state/planned-window.ts";
import type { WindowExportDeps } from "./window-export.ts";

/** What a search for a proof has shown. */
export type Proof =
  | { readonly kind: "proven" | "interrupted" }
  /** The search continues in the next cycle. */
  | { readonly kind: "waiting" }
  /** A request has failed. */
  | { readonly kind: "failing"; readonly failure: DeliveryFailure }
  /** Nothing up to the watermark was accepted. */
  | { readonly kind: "unproven"; readonly failure: DeliveryFailure };

/** `nothing`: the store has no later sample of the series. */
type LaterProof =
  | { readonly kind: "proven" | "refused" | "nothing" | "interrupted" }
  | { readonly kind: "unfinished"; readonly outcome: Unfinished };

interface Trial {
  readonly wanted: readonly SeriesHash[];
  readonly isFailing: boolean;
}

/** What a later window has shown of series whose samples are refused. */
type LaterResult =
  | { readonly kind: "accepted" | "refused" | "nothing" | "unread" }
  | { readonly kind: "unfinished"; readonly outcome: Unfinished };

/** Samples of one window that are tried: of the series, of those that they are chosen from, and of others. */
const mostTried = 2;
const mostWanted = 4;
/** A search that takes longer continues in the next cycle. */
const longestSearchMs = 30_000;

/** The first pause of a sink whose samples are all refused: the next samples may be the proof. */
const refusedPauseMs = 5_000;

/**
 * Looks for a proof that the endpoint accepts later samples of refused series.
 *
 * @param windows in order
 * @param wasRefused the last search has found none
 */
export async function proveEndpoint(
  windows: AsyncIterable<PlannedWindow>,
  unproven: UnprovenRefusal,
  deps: WindowExportDeps,
  wasRefused: boolean,
  signals: readonly [AbortSignal, ...AbortSignal[]],
): Promise<Proof> {
  const { refusal, isInDoubt, isFailing } = unproven;
  const { memory, destination } = deps.dispatcher.receiver;
  const proof = await proveLater(windows, unproven, deps, signals);
  if (signals.some(({ aborted }) => aborted)) return { kind: "interrupted" };
  if (proof.kind === "proven") return { kind: "proven" };
  if (proof.kind === "interrupted") return { kind: "waiting" };
  const { message } = refusal;
  if (isFailing) return { kind: "unproven", failure: { kind: "retrying", message } };
  if (proof.kind === "unfinished" && proof.outcome.kind !== "aborted") {
    const failure = failureOf(proof.outcome);
    return { kind: "failing", failure: { kind: failure.kind, message: failure.message } };
  }
  const empty = writeBody(destination.state.protocol, []);
  const acceptsEmpty = (await destination.sender.send(empty, signals[0], 1)).kind === "delivered";
  // The second time: the store has nothing that could prove it, and the samples were sent already.
  if (isInDoubt && proof.kind === "nothing" && acceptsEmpty && wasRefused) {
    memory.hasNothingLater = true;
    return { kind: "proven" };
  }
  const failure = unprovenFailure(message, isInDoubt, acceptsEmpty);
  return { kind: "unproven", failure: { ...failure, firstPauseMs: refusedPauseMs } };
}

function unprovenFailure(message: string, isInDoubt: boolean, acceptsEmpty: boolean): DeliveryFailure {
  if (isInDoubt) {
    const what = "the receiver refuses samples that it may have already, since its response was lost";
    return { kind: "retrying", message: `${what}; later ones will show: ${message}` };
  }
  const what = acceptsEmpty ? "accepts empty requests, and refuses every sample" : "refuses every request";
  return { kind: "suspended", message: `the receiver ${what}: ${message}` };
}

/**
 * Goes on in time, window by window, until a later sample of a refused series is accepted, or one of another
 * series. Windows that were tried before are passed.
 */
async function proveLater(
  windows: AsyncIterable<PlannedWindow>,
  { series, isFailing }: UnprovenRefusal,
  deps: WindowExportDeps,
  signals: readonly [AbortSignal, ...AbortSignal[]],
): Promise<LaterProof> {
  const { receiver, clock } = deps.dispatcher;
  const { memory } = receiver;
  const untilMs = clock.monotonicMs() + longestSearchMs;
  const turn = (memory.turn * mostWanted) % Math.max(1, series.length);
  const wanted = [...series.slice(turn), ...series.slice(0, turn)].slice(0, mostWanted);
  let kind: "refused" | "nothing" = "nothing";
  for await (const later of windows) {
    if (signals.some(({ aborted }) => aborted) || clock.monotonicMs() > untilMs)
      return { kind: "interrupted" };
    if (later.toMs <= memory.triedUntilMs) {
      kind = "refused";
      continue;
    }
    const result = await tryLater(later, { wanted, isFailing }, deps, signals);
    if (result.kind === "accepted") {
      // The next proof has to be another sample, and may be of this window.
      memory.triedUntilMs = later.fromMs;
      return { kind: "proven" };
    }
    if (result.kind === "unfinished") return result;
    if (result.kind === "unread") return { kind: "interrupted" };
    if (result.kind === "refused") {
      kind = "refused";
      memory.triedUntilMs = later.toMs;
    }
  }
  return { kind };
}

/**
 * Sends the first samples that a later window has of refused series, each alone: if one is accepted, the
 * earlier samples are the problem, and not the endpoint. What is accepted counts as sent in that window.
 */
async function tryLater(
  planned: PlannedWindow,
  { wanted, isFailing }: Trial,
  deps: WindowExportDeps,
  signals: readonly [AbortSignal, ...AbortSignal[]],
): Promise<LaterResult> {
  const journal = new WindowJournal(planned, deps.stepMs, deps.journal);
  const found = hasRequestsInDoubt(planned.open)
    ? await requestsInDoubt(planned, deps, journal, signals)
    : await firstSamples(planned, wanted, deps, journal, signals);
  if (found === undefined) return { kind: "unread" };
  const { recorder, receiver } = deps.dispatcher;
  let result: LaterResult = { kind: "nothing" };
  for (const batch of found) {
    if (signals.some(({ aborted }) => aborted)) break;
    const number = await journal.sent(batch);
    const outcome = await receiver.destination.sender.send(batch.request, signals[0], 1);
    if (outcome.kind === "delivered") {
      recorder.delivered(batch.request.sampleCount, outcome.unwritten);
      receiver.memory.acceptLater(batch.request.maxMs);
      await journal.acknowledged(number, batch);
      return { kind: "accepted" };
    }
    const mayHaveArrived = batch.inDoubt !== undefined || outcome.responseLost;
    if (outcome.kind === "limited") {
      await new RefusedBatches(deps.dispatcher, journal).drop(batch, refusalOf(outcome), mayHaveArrived);
      await journal.acknowledged(number, batch);
      return { kind: "unfinished", outcome };
    }
    if (!mayHaveArrived) await journal.returned(number);
    const isRefused = outcome.kind === "rejected" || (isFailing && outcome.kind === "exhausted");
    if (!isRefused) return { kind: "unfinished", outcome };
    result = { kind: "refused" };
  }
  return result;
}

/** Requests without a response come first in their window. @returns undefined if a source could not be read */
async function requestsInDoubt(
  planned: PlannedWindow,
  deps: WindowExportDeps,
  journal: WindowJournal,
  signals: readonly AbortSignal[],
): Promise<Batch[] | undefined> {
  const { open, sources, fromMs } = planned;
  if (open === undefined) return [];
  const { destination } = deps.dispatcher.receiver;
  const batcher = new InDoubtBatcher(open, {
    encoder: destination.encoder(),
    newBuilder: (onCapacity) => destination.newBuilder(onCapacity),
    fromMs,
  });
  return withEither(signals, async (ended) => {
    const consumerOf = (name: string) => {
      const source = batcher.source(name);
      return { onSeries: (series: Series, samples: SampleBuffer) => void source.add(series, samples) };
    };
    const { errors } = await deps.sources.read(sources, journal.bounds, consumerOf, ended);
    if (errors.size > 0 || ended.aborted) return undefined;
    const batches = batcher.finishAll().filter(({ request }) => request.sampleCount > 0);
    return batches.slice(0, mostTried);
  });
}

/**
 * The first samples of some of the wanted series and, after them, of some others.
 *
 * @returns undefined if a source could not be read
 */
async function firstSamples(
  planned: PlannedWindow,
  series: readonly SeriesHash[],
  deps: WindowExportDeps,
  journal: WindowJournal,
  signals: readonly AbortSignal[],
): Promise<Batch[] | undefined> {
  const { destination } = deps.dispatcher.receiver;
  const encoder = destination.encoder();
  const acknowledged = acknowledgedSeries(planned.open);
  const wanted = new Set(series.map(({ high, low }) => keyOf(high, low)));
  const found: Batch[] = [];
  const others: Batch[] = [];
  const enough = new AbortController();
  const consumerOf = (name: string) => {
    const salt = sourceSalt(name);
    return {
      onSeries: (read: Series, samples: SampleBuffer) => {
        if (enough.signal.aborted) return;
        const encoded = encoder.encode(read);
        if (encoded.kind !== "series") return;
        const high = encoded.hashHigh ^ salt.high;
        const low = encoded.hashLow ^ salt.low;
        const untilMs = acknowledged.get(high, low);
        const start = untilMs === undefined ? 0 : firstAfter(samples, planned.fromMs + untilMs);
        if (start >= samples.length) return;
        const isWanted = wanted.has(keyOf(high, low));
        const list = isWanted ? found : others;
        if (list.length >= mostTried) return;
        const open = new OpenBatch({
          newBuilder: (onCapacity) => destination.newBuilder(onCapacity),
          onCapacity: () => undefined,
          fromMs: planned.fromMs,
          partitions: "all",
        });
        open.builder.append(encoded, samples, start, start + 1);
        open.entries.add(high, low, samples, start, start + 1);
        list.push(open.finish());
        if (isWanted) wanted.delete(keyOf(high, low));
        if (found.length >= mostTried && others.length >= mostTried) enough.abort();
      },
    };
  };
  return withEither([...signals, enough.signal], async (ended) => {
    const { errors } = await deps.sources.read(planned.sources, journal.bounds, consumerOf, ended);
    return errors.size > 0 && found.length === 0 ? undefined : [...found, ...others];
  });
}

function keyOf(high: number, low: number): string {
  return `${high | 0} ${low | 0}`;
}
