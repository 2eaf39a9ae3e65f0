/** How long readings count, and how long a sink has no series before it is idle. */
const recentlyMs = 600_000;
/** A longer span is one of the past, which may have had other series: what follows takes its place. */
const pastSpanMs = 60_000;

/** What a source had in one reading. */
export interface SourceCounts {
  readonly series: number;
  readonly samples: number;
  /** The span of sample time that was read (ms). */
  readonly spanMs: number;
  /** Readings without a sample lie between those of a source that has an interval (ms). */
  readonly everyMs?: number | undefined;
}

interface Readings {
  /** Since then (Unix ms), no reading has had a series. */
  emptySinceMs: number;
  readAtMs: number;
  /** Of the current half of the time: when it began, the largest reading, the sum of all readings. */
  sinceMs: number;
  series: number;
  samples: number;
  spanMs: number;
  /** Whether these samples are those of one long span. */
  isPast: boolean;
  /** Of the half before. */
  seriesBefore: number;
  samplesBefore: number;
  spanBeforeMs: number;
  /** How long its readings count. */
  recentlyMs: number;
}

/**
 * How many series and samples a sink's sources selected in their readings of the last minutes: a window may
 * well be shorter than the pause between two samples.
 */
export class SourceSeries {
  readonly #sources = new Map<string, Readings>();

  /** Notes a complete reading of new samples. */
  note(source: string, counts: SourceCounts, nowMs: number): void {
    const { series, samples, spanMs, everyMs = 0 } = counts;
    const isPast = spanMs > pastSpanMs;
    const known = this.#sources.get(source);
    const longMs = Math.max(recentlyMs, 2 * everyMs);
    if (known === undefined || nowMs - known.readAtMs > longMs) {
      const before = { seriesBefore: 0, samplesBefore: 0, spanBeforeMs: 0 };
      const now = { readAtMs: nowMs, sinceMs: nowMs, series, samples, spanMs, isPast, recentlyMs: longMs };
      this.#sources.set(source, { emptySinceMs: nowMs, ...now, ...before });
      return;
    }
    known.readAtMs = nowMs;
    known.recentlyMs = longMs;
    if (series > 0) known.emptySinceMs = nowMs;
    if (nowMs - known.sinceMs < longMs / 2) {
      known.series = Math.max(known.series, series);
      known.samples = known.isPast ? samples : known.samples + samples;
      known.spanMs = known.isPast ? spanMs : known.spanMs + spanMs;
      known.isPast &&= isPast;
      return;
    }
    known.seriesBefore = known.series;
    known.samplesBefore = known.isPast ? 0 : known.samples;
    known.spanBeforeMs = known.isPast ? 0 : known.spanMs;
    Object.assign(known, { sinceMs: nowMs, series, samples, spanMs, isPast });
  }

  /** Undefined before the source's first reading. */
  of(source: string): number | undefined {
    const known = this.#sources.get(source);
    return known && Math.max(known.series, known.seriesBefore);
  }

  /** Per minute of sample time, so that catching up does not raise it; undefined before the first reading. */
  samplesPerMinute(source: string): number | undefined {
    const known = this.#sources.get(source);
    const spanMs = known && known.spanMs + known.spanBeforeMs;
    return spanMs ? Math.round(((known.samples + known.samplesBefore) * 60_000) / spanMs) : undefined;
  }

  /** The time (Unix ms) since which none of these sources has selected a series, if that is long. */
  idleSinceMs(sources: readonly string[], nowMs: number): number | undefined {
    let sinceMs = -Infinity;
    for (const source of sources) {
      const known = this.#sources.get(source);
      if (known === undefined || nowMs - known.emptySinceMs < known.recentlyMs) return undefined;
      sinceMs = Math.max(sinceMs, known.emptySinceMs);
    }
    return Number.isFinite(sinceMs) ? sinceMs : undefined;
  }
}
