import { type SampleBuffer, Series } from "../../series/series.ts";
import type { LabelCache } from "../samples/label-cache.ts";
import type { Grid } from "./grid.ts";
import { pointValue, type QueryPoint, type QuerySeries } from "./query-response.ts";

const nameLabel = "__name__";

/** Merges the results of evaluations at consecutive times: series with equal labels become one series. */
export function mergeResults(results: readonly (readonly QuerySeries[])[]): readonly QuerySeries[] {
  const [only, ...others] = results;
  if (only !== undefined && others.length === 0) return only;
  return [...groupBy(results.flat(), ({ labels }) => labelsKey(labels)).values()].map((group) => ({
    labels: group[0].labels,
    isUtf8: group.every(({ isUtf8 }) => isUtf8),
    points: group.flatMap(({ points }) => points),
    hasHistograms: group.some(({ hasHistograms }) => hasHistograms),
  }));
}

/**
 * Gives nameless series the name `name`. Series that are then equal are merged; their points at the same time
 * are ambiguous and dropped.
 *
 * @returns the series, their labels sorted, and the groups that lost points
 */
export function nameSeries(
  series: readonly QuerySeries[],
  name: string,
): { readonly named: readonly QuerySeries[]; readonly collided: readonly (readonly QuerySeries[])[] } {
  const named: QuerySeries[] = [];
  const collided: (readonly QuerySeries[])[] = [];
  const nameOf = (one: QuerySeries) => ({ [nameLabel]: name, ...one.labels });
  for (const group of groupBy(series, (one) => labelsKey(nameOf(one))).values()) {
    const [first, ...others] = group;
    const labels = Object.fromEntries(sortedEntries(nameOf(first)));
    if (others.length === 0) {
      named.push({ ...first, labels });
      continue;
    }
    const byTime = groupBy(
      group.flatMap(({ points }) => points),
      ({ timestampMs }) => timestampMs,
    );
    const points = [...byTime.values()].flatMap((atOnce) => (atOnce.length === 1 ? atOnce : []));
    points.sort((a, b) => a.timestampMs - b.timestampMs);
    if (points.length < byTime.size) collided.push(group);
    named.push({ ...first, labels, points });
  }
  return { named, collided };
}

function groupBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, [Item, ...Item[]]> {
  const groups = new Map<Key, [Item, ...Item[]]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

function labelsKey(labels: QuerySeries["labels"]): string {
  return JSON.stringify(sortedEntries(labels));
}

function sortedEntries(labels: QuerySeries["labels"]): [string, string][] {
  return Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
}

/**
 * The samples of a result series at the points of a grid, from the points there and at the preceding step. A
 * staleness marker follows where the series ends. So the markers do not depend on how time is split into
 * grids either.
 *
 * @returns undefined when a point is not a number, or is not at a requested time
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

/** A computed NaN is Prometheus' ordinary one (model/value/value.go, NormalNaN), never a staleness marker. */
function setValue(samples: SampleBuffer, index: number, value: number): void {
  if (Number.isNaN(value)) samples.setBits(index, 0x7ff80000, 1);
  else samples.values[index] = value;
}

/**
 * Finds the series of a result's labels: in the cache if they are UTF-8.
 *
 * @returns the series, or the reason it is invalid
 */
export function seriesOf({ labels, isUtf8 }: QuerySeries, cache: LabelCache): ReturnType<LabelCache["find"]> {
  if (!isUtf8)
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
