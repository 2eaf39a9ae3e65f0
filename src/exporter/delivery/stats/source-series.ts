/** How long readings count, and how long a sink has no series before it is idle. */
const recentlyMs = 600_000;

interface Readings {
  /** Since then (Unix ms), no reading has had a series. */
  emptySinceMs: number;
  readAtMs: number;
  /** The largest reading of the current half of the time, and of the one before. */
  sinceMs: number;
  series: number;
  seriesBefore: number;
}

/**
 * How many series a sink's sources selected in their readings of the last minutes: a window may well be
 * shorter than the pause between two samples.
 */
export class SourceSeries {
  readonly #sources = new Map<string, Readings>();

  /** Notes a complete reading of new samples. */
  note(source: string, series: number, nowMs: number): void {
    const known = this.#sources.get(source);
    if (known === undefined || nowMs - known.readAtMs > recentlyMs) {
      const fresh = { emptySinceMs: nowMs, readAtMs: nowMs, sinceMs: nowMs, series, seriesBefore: 0 };
      this.#sources.set(source, fresh);
      return;
    }
    known.readAtMs = nowMs;
    if (series > 0) known.emptySinceMs = nowMs;
    if (nowMs - known.sinceMs < recentlyMs / 2) known.series = Math.max(known.series, series);
    else Object.assign(known, { sinceMs: nowMs, series, seriesBefore: known.series });
  }

  /** Undefined before the source's first reading. */
  of(source: string): number | undefined {
    const known = this.#sources.get(source);
    return known && Math.max(known.series, known.seriesBefore);
  }

  /** The time (Unix ms) since which none of these sources has selected a series, if that is long. */
  idleSinceMs(sources: readonly string[], nowMs: number): number | undefined {
    let sinceMs = -Infinity;
    for (const source of sources) {
      const known = this.#sources.get(source);
      if (known === undefined) return undefined;
      sinceMs = Math.max(sinceMs, known.emptySinceMs);
    }
    return Number.isFinite(sinceMs) && nowMs - sinceMs >= recentlyMs ? sinceMs : undefined;
  }
}
