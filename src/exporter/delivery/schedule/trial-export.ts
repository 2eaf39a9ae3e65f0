import { TelemetrydError } from "../../../base/core/errors.ts";
import { withEither } from "../../../base/core/signals.ts";
import type { ReadConsumer } from "../../metrics-store/ports/sample-reader.ts";
import type { SinkStore } from "../../metrics-store/sink-store.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import type { Sender } from "../../remote-write/send/outcome.ts";
import type { SampleBuffer, Series } from "../../series/series.ts";
import { Interruption } from "../dispatch/interruption.ts";
import { Exporter, type ExporterDeps } from "../exporter.ts";
import { onGrid } from "../plan/cycle-times.ts";
import { SinkStates } from "../state/sink-states.ts";
import { cycleError, withoutBackfillLimit } from "./backfill.ts";

export interface TrialLimits {
  /** The span to read, in whole cycles and intervals of sources, of which there is at least one; ms. */
  readonly wantedMs: number;
  /** No cycle begins after as many samples, or as much time (ms); one that takes twice as much is aborted. */
  readonly maxSamples: number;
  readonly maxMs: number;
}

/** What a sink would have sent in whole cycles that have just passed. */
export interface TrialExport {
  /** After `fromMs`, up to and including `toMs` (Unix ms). */
  readonly fromMs: number;
  readonly toMs: number;
  readonly requests: number;
  /** Of the requests' bodies, compressed. */
  readonly bytes: number;
  readonly samples: number;
  /** Samples that no request may carry. */
  readonly invalidSamples: number;
}

/** A source's series with its samples, as it is read; see `ReadConsumer.onSeries`. */
export type TrialListener = (source: string, series: Series, samples: SampleBuffer) => void;

/** Beyond this, intervals are counted as if they were all equal to the longest of them. */
const longestRoundMs = 2 * 3_600_000;

/** The number of cycles in which each source of a sink has whole intervals. */
function cyclesOfRound({ sources }: SinkPlan, periodMs: number): number {
  const intervals = sources.flatMap(({ intervalMs = [] }) => intervalMs);
  const roundMs = Number.isInteger(periodMs) ? intervals.reduce(leastCommonMultiple, periodMs) : Infinity;
  if (roundMs <= longestRoundMs) return roundMs / periodMs;
  return Math.ceil(Math.max(periodMs, ...intervals) / periodMs);
}

function leastCommonMultiple(one: number, other: number): number {
  let [divisor, rest] = [one, other];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return (one / divisor) * other;
}

/**
 * Runs the daemon's own exporter over the latest whole cycles of one sink, with a sender that counts requests
 * and sends none: the numbers are those of batches, encoding and compression as they are.
 *
 * @param store of the sink, whose clock is known
 * @returns undefined when the limits did not allow a single cycle
 * @throws TelemetrydError SOURCE_FAILED when the store cannot be read, DELIVERY_FAILED for an invalid
 *   endpoint; the signal's reason
 */
export async function trialExport(
  plan: SinkPlan,
  store: SinkStore,
  deps: ExporterDeps,
  listener: TrialListener,
  { wantedMs, maxSamples, maxMs }: TrialLimits,
  signal: AbortSignal,
): Promise<TrialExport | undefined> {
  const { settings } = deps;
  const periodMs = Math.max(settings.intervalMs, plan.batch.timeoutMs);
  const delayMs = Math.max(settings.delayMs, settings.expressionDelayMs);
  const endMs = onGrid((store.reader.storeNowMs() ?? deps.clock.nowMs()) - delayMs, settings.windowGridMs);
  const round = cyclesOfRound(plan, periodMs);
  const rounds = Math.max(1, Math.floor(wantedMs / (round * periodMs)));
  const fromMs = endMs - rounds * round * periodMs;

  const sent = { requests: 0, bytes: 0, samples: 0 };
  const sender: Sender = {
    send: ({ payload, sampleCount }) => {
      sent.requests++;
      sent.bytes += payload.length;
      sent.samples += sampleCount;
      return Promise.resolve({ kind: "delivered", status: 204 });
    },
    close: () => Promise.resolve(),
  };
  const tooMuch = new AbortController();
  let read = 0;
  let toMs = fromMs;
  const observed = (source: string, consumer: ReadConsumer): ReadConsumer => ({
    onAttached: (handle) => consumer.onAttached?.(handle),
    onExemplars: (series, exemplars) => consumer.onExemplars?.(series, exemplars),
    onSeries: (series, samples) => {
      if (tooMuch.signal.aborted) return;
      read += samples.length;
      if (read > 2 * maxSamples) tooMuch.abort();
      listener(source, series, samples);
      consumer.onSeries(series, samples);
    },
  });
  const state = new SinkStates();
  const exporter = new Exporter(withoutBackfillLimit(plan), {
    ...deps,
    state,
    late: undefined,
    reportedMs: () => fromMs,
    storeOf: () => ({
      ...store,
      // Metadata would be sent to the receiver.
      metadata: undefined,
      reader: {
        read: (request, consumer, limited) =>
          store.reader.read(request, observed(request.name, consumer), limited),
        storeNowMs: () => toMs + periodMs,
      },
    }),
    destinationOf: (of, hooks) => {
      const destination = deps.destinationOf(of, hooks);
      if (destination.kind === "invalid") return destination;
      const { kind, state: endpoint } = destination;
      return {
        kind,
        sender,
        state: endpoint,
        encoder: () => destination.encoder(),
        newBuilder: (onCapacity) => destination.newBuilder(onCapacity),
      };
    },
    settings: { ...settings, delayMs: 0, expressionDelayMs: 0, maxBackfillMs: Number.POSITIVE_INFINITY },
  });
  const beganMs = deps.clock.monotonicMs();
  let cycles = 0;
  let done: TrialExport | undefined;
  try {
    await withEither([signal, tooMuch.signal, AbortSignal.timeout(2 * maxMs)], async (limited) => {
      while (toMs < endMs && read <= maxSamples && deps.clock.monotonicMs() - beganMs <= maxMs) {
        const end = await exporter.cycle(new Interruption(), limited);
        if (limited.aborted) return;
        if (end !== "up-to-date") throw cycleError(exporter, end);
        toMs += periodMs;
        if (++cycles % round !== 0) continue;
        done = { fromMs, toMs, ...sent, invalidSamples: exporter.snapshot().stats.rejected };
      }
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TelemetrydError) throw error;
    if (!tooMuch.signal.aborted) throw error;
  } finally {
    exporter.close();
  }
  signal.throwIfAborted();
  return done;
}
