import { createHash } from "node:crypto";
import type { SeriesEncoder } from "../../remote-write/encoding/labels.ts";
import type { EncodedSeries, Series } from "../../series/series.ts";
import { SeriesHashTable } from "../../series/series-hash-table.ts";
import type { OpenWindow } from "../state/sink-state.ts";

/** The hash that identifies a series of a source in journals, as two halves. */
export interface SeriesHash {
  readonly high: number;
  readonly low: number;
}

/** Distinguishes the sources in hashes: two sources that select the same series send it twice. */
export function sourceSalt(name: string): SeriesHash {
  const digest = createHash("sha1").update(name).digest();
  return { high: digest.readUInt32LE(0), low: digest.readUInt32LE(4) };
}

/** @returns a function from a series of this source to its hash; undefined for one that cannot be sent */
export function seriesHashOf(
  source: string,
  encoder: SeriesEncoder,
): (series: Series) => SeriesHash | undefined {
  const salt = sourceSalt(source);
  return (series) => {
    const encoded = encoder.encode(series);
    return encoded.kind === "series" ? salted(encoded, salt) : undefined;
  };
}

function salted({ hashHigh, hashLow }: EncodedSeries, salt: SeriesHash): SeriesHash {
  return { high: hashHigh ^ salt.high, low: hashLow ^ salt.low };
}

/**
 * The time up to which each series of a window is acknowledged or rejected, from its journal, in ms after the
 * window's start.
 */
export function acknowledgedSeries(window: OpenWindow | undefined): SeriesHashTable {
  let expected = 0;
  if (window === undefined) return new SeriesHashTable();
  for (const { entries, state } of window.requests.values()) {
    if (state === "acknowledged") expected += entries.length;
  }
  const acknowledged = new SeriesHashTable(expected);
  for (const { entries, state } of window.requests.values()) {
    if (state === "acknowledged")
      entries.each((high, low, untilMs) => acknowledged.raise(high, low, untilMs - window.fromMs));
  }
  return acknowledged;
}
