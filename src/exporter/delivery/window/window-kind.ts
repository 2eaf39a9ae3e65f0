import type { ReadConsumer } from "../../metrics-store/ports/sample-reader.ts";
import type { SeriesEncoder } from "../../remote-write/encoding/labels.ts";
import { Batcher, type BatcherOptions, type WindowBatcher } from "../batch/batcher.ts";
import { acknowledgedSeries } from "../batch/series-hash.ts";
import type { DispatcherDeps } from "../dispatch/dispatcher.ts";
import type { WindowJournal, WindowJournalDeps } from "../dispatch/window-journal.ts";
import type { SentExemplars, WindowExemplars } from "../exemplars/sent-exemplars.ts";
import { LateBatcher } from "../late/late-batcher.ts";
import type { LateSamples } from "../late/late-samples.ts";
import type { MetricNames } from "../metadata/metric-names.ts";
import type { PlannedWindow } from "../state/planned-window.ts";
import type { Reading } from "./source-reader.ts";

export interface WindowKindDeps {
  readonly dispatcher: DispatcherDeps;
  readonly journal: WindowJournalDeps;
  /** Set in the cycles that are followed by metadata. */
  readonly metricNames: MetricNames | undefined;
  /** Set when exemplars are sent. */
  readonly exemplars?: SentExemplars | undefined;
}

/** What differs between one run of a window of new samples, and of a span that is read again for late ones. */
export interface WindowKind {
  readonly dispatcher: DispatcherDeps;
  /** After this monotonic time, no batch but the first is sent. */
  readonly untilMs?: number;
  newBatcher(options: BatcherOptions): Promise<WindowBatcher>;
  /** The consumer of one source, which passes samples on to `add`. */
  consumer(add: ReadConsumer["onSeries"]): ReadConsumer;
  /** A reading has ended, whether or not it is complete, and sent. */
  noteReading(reading: Reading): Promise<void>;
  /** All of a reading was delivered. */
  close(reading: Reading): Promise<void>;
  /** Call last. */
  end(): void;
}

export function windowKindOf(
  planned: PlannedWindow,
  journal: WindowJournal,
  deps: WindowKindDeps,
): WindowKind {
  const { late } = deps.journal;
  const isLive = planned.late === undefined || late === undefined;
  return isLive ? liveWindow(planned, journal, deps) : lateWindow(planned, journal, deps, late);
}

function liveWindow(planned: PlannedWindow, journal: WindowJournal, deps: WindowKindDeps): WindowKind {
  const { dispatcher, metricNames } = deps;
  /** Set while samples are read that exemplars may go with. */
  let exemplars: WindowExemplars | undefined;
  let encoder: SeriesEncoder | undefined;
  return {
    dispatcher,
    async newBatcher(options) {
      encoder = options.encoder;
      exemplars = deps.exemplars?.begin(planned, options.encoder);
      return new Batcher(acknowledgedSeries(journal.window), { ...options, exemplars });
    },
    consumer(add) {
      exemplars?.clear();
      return {
        ...(exemplars && { onExemplars: exemplars.offer.bind(exemplars) }),
        onSeries(series, samples) {
          add(series, samples);
          if (encoder !== undefined) metricNames?.add(encoder.encode(series));
        },
      };
    },
    async noteReading({ counts }) {
      exemplars?.clear();
      dispatcher.recorder.read(counts);
    },
    async close({ whole }) {
      if (exemplars !== undefined) dispatcher.recorder.exemplars(exemplars.taken);
      exemplars = undefined;
      await journal.close(whole);
    },
    end: () => exemplars?.discard(),
  };
}

/** Late samples keep new ones waiting for about this long at most; the next check finds the rest. */
const lateLimitMs = 15_000;

/** It has no exemplars: those of its time were sent before, or are gone. */
function lateWindow(
  planned: PlannedWindow,
  journal: WindowJournal,
  { dispatcher }: WindowKindDeps,
  late: LateSamples,
): WindowKind {
  let batcher: LateBatcher | undefined;
  const found = () => batcher?.found ?? 0;
  // A receiver that refuses late samples says nothing about the others.
  const receiver = { ...dispatcher.receiver, episode: dispatcher.receiver.memory.late };
  return {
    dispatcher: { ...dispatcher, receiver, recorder: dispatcher.recorder.forLate() },
    untilMs: dispatcher.clock.monotonicMs() + lateLimitMs,
    async newBatcher(options) {
      batcher = new LateBatcher(await late.sentIn(planned), options);
      return batcher;
    },
    consumer: (add) => ({ onSeries: add }),
    async noteReading() {
      if (found() > 0) await late.noteFound(planned);
    },
    async close({ whole }) {
      if (whole.length > 0) await late.rememberLate(planned, journal.window, journal.counts, found());
    },
    end: () => undefined,
  };
}
