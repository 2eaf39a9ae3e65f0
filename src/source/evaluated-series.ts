import { type SampleBuffer, Series } from "../core/series.ts";
import type { Grid } from "./grid.ts";
import type { LabelCache } from "./label-cache.ts";
import { pointValue, type QueryPoint, type QuerySeries } from "./query-answer.ts";

const nameLabel = "__name__";

/** A result series as it is to be sent; the labels are sorted, and a name is among them. */
export interface NamedSeries {
  readonly labels: Readonly<Record<string, string>>;
  readonly source: QuerySeries;
}

/**
 * Gives the series that have no name the one given. Two that are equal then would be mixed up: neither is kept.
 *
 * @returns the others, and of those the labels
 */
export function nameSeries(
  series: readonly QuerySeries[],
  name: string,
): { readonly named: readonly NamedSeries[]; readonly collided: readonly (readonly QuerySeries[])[] } {
  const groups = new Map<
    string,
    { readonly labels: NamedSeries["labels"]; readonly sources: QuerySeries[] }
  >();
  for (const source of series) {
    const entries = Object.entries({ [nameLabel]: name, ...source.labels });
    entries.sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify(entries);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { labels: Object.fromEntries(entries), sources: [source] });
    else group.sources.push(source);
  }
  const named: NamedSeries[] = [];
  const collided: (readonly QuerySeries[])[] = [];
  for (const { labels, sources } of groups.values()) {
    const [source, ...others] = sources;
    if (source !== undefined && others.length === 0) named.push({ labels, source });
    else collided.push(sources);
  }
  return { named, collided };
}

/**
 * The samples of a result series at the points of a grid, from what was evaluated there and at the point before: where a
 * series that was there is gone, a staleness marker. So the markers, too, do not depend on how time is cut into grids.
 *
 * @returns undefined when a point is no number, or is not where it was asked for
 */
export function samplesOnGrid(
  points: readonly QueryPoint[],
  grid: Grid,
  samples: SampleBuffer,
): SampleBuffer | undefined {
  const { firstMs, lastMs, stepMs } = grid;
  samples.length = 0;
  let at = 0;
  let wasThere = false;
  for (let timeMs = firstMs - stepMs; timeMs <= lastMs; timeMs += stepMs) {
    const point = points[at];
    const isThere = point?.timestampMs === timeMs;
    if (isThere) at++;
    if (timeMs >= firstMs && (isThere || wasThere)) {
      const index = samples.length;
      samples.reserve(index + 1);
      samples.timestampsMs[index] = timeMs;
      if (isThere) {
        const value = pointValue(point.text);
        if (value === undefined) return undefined;
        setValue(samples, index, value);
      } else samples.setStale(index);
      samples.length = index + 1;
    }
    wasThere = isThere;
  }
  return at === points.length ? samples : undefined;
}

/** A NaN that was computed is Prometheus' ordinary one (model/value/value.go, NormalNaN), never a marker. */
function setValue(samples: SampleBuffer, index: number, value: number): void {
  if (Number.isNaN(value)) samples.setBits(index, 0x7ff80000, 1);
  else samples.values[index] = value;
}

/** The series of labels, from the cache where their text is sound. @returns why it is refused otherwise */
export function seriesOf({ labels, source }: NamedSeries, cache: LabelCache): ReturnType<LabelCache["find"]> {
  if (!source.isUtf8)
    return new Series(
      Object.entries(labels).map(([name, value]) => ({ name, value })),
      false,
    );
  const bytes = Buffer.from(JSON.stringify(labels));
  return cache.find(bytes, new DataView(bytes.buffer, bytes.byteOffset, bytes.length), 0, bytes.length);
}

export function describeSeries({ labels }: Pick<QuerySeries, "labels">): string {
  const text = Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(",");
  return `{${text.length > 256 ? `${text.slice(0, 256)}…` : text}}`;
}
