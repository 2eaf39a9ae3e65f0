import { bytesOf } from "../../series/label-blocks.ts";
import type { EncodedSeries, Series } from "../../series/series.ts";
import { SeriesHashTable } from "../../series/series-hash-table.ts";
import type { KnownCollisions } from "./known-collisions.ts";
import { type InvalidSeries, type SeriesEncoder, sentHash } from "./labels.ts";

/**
 * Detects different series of one window that are sent with equal labels: their samples would be mixed up,
 * and a receiver would reject them as out of order. All such series are rejected (`name_collision`), but one
 * whose names needed no change is sent although a renamed one has become equal to it: a new metric must not
 * end an old one.
 *
 * Costs nothing until the encoder has changed labels in a way that can make two series equal. When two series
 * collide for the first time, the samples of the first one have already been sent; it is rejected from the
 * next window on.
 */
export class CollisionDetector {
  readonly #encoder: SeriesEncoder;
  readonly #known: KnownCollisions;
  readonly #windowMs: number;
  /** Of each hash of labels as sent, the index of its series in {@link #owners}: bench/relabel.bench.ts. */
  #table: SeriesHashTable | undefined;
  readonly #owners: Series[] = [];

  /**
   * @param known of the sink, for all of its windows
   * @param windowMs the window's start
   */
  constructor(encoder: SeriesEncoder, known: KnownCollisions, windowMs: number) {
    this.#encoder = encoder;
    this.#known = known;
    this.#windowMs = windowMs;
  }

  /** Call for each series before its samples are appended. @returns why it must not be sent */
  claim(series: Series, encoded: EncodedSeries): InvalidSeries | undefined {
    if (!this.#encoder.mayCollide) {
      if (this.#encoder.hasRules) this.#owners.push(series);
      return undefined;
    }
    const { hashHigh, hashLow } = sentHash(encoded);
    this.#table ??= this.#tableOfOwners();
    const index = this.#table.add(hashHigh, hashLow, this.#owners.length);
    if (index === undefined) this.#owners.push(series);
    else {
      const owner = this.#owners[index];
      if (owner !== undefined && owner !== series && this.#collide(index, owner, series, encoded)) {
        return collision(`${describe(owner)} and ${describe(series)}`);
      }
    }
    return this.knows(encoded) ? collision(`${describe(series)} and one that was seen before`) : undefined;
  }

  /** Of the series that were claimed before any two could collide. */
  #tableOfOwners(): SeriesHashTable {
    const table = new SeriesHashTable();
    for (const [index, owner] of this.#owners.entries()) {
      const form = this.#encoder.encode(owner);
      if (form.kind === "series") table.add(sentHash(form).hashHigh, sentHash(form).hashLow, index);
    }
    return table;
  }

  /** Whether the series must not be sent because of a collision seen before. */
  knows(encoded: EncodedSeries): boolean {
    if (!this.#encoder.mayCollide || this.#known.isEmpty) return false;
    const key = keyOf(encoded);
    if (this.#known.has(key, this.#windowMs)) return true;
    return encoded.renamed !== undefined && this.#known.has(ofRenamed(key), this.#windowMs);
  }

  /** @returns whether the series must not be sent because of the owner of its key */
  #collide(index: number, owner: Series, series: Series, encoded: EncodedSeries): boolean {
    // The reader's cache may have recreated the series, and two sources may select it: that is not a
    // collision.
    if (sameLabels(owner, series)) return false;
    const other = this.#encoder.encode(owner);
    if (other.kind !== "series" || !bytesOf(other).equals(bytesOf(encoded))) return false;
    const isEither = other.renamed !== undefined || encoded.renamed !== undefined;
    const key = keyOf(encoded);
    this.#known.note(isEither ? ofRenamed(key) : key, this.#windowMs);
    if (encoded.renamed !== undefined || other.renamed === undefined) return true;
    // Others are compared with the series that keeps its names.
    this.#owners[index] = series;
    return false;
  }
}

/**
 * 53 of the 64 bits: a Map with number keys is much faster than one with bigint keys. An equal hash alone
 * rejects nothing until the two series have been compared.
 */
function keyOf(encoded: EncodedSeries): number {
  const { hashHigh, hashLow } = sentHash(encoded);
  return (hashHigh >>> 11) * 0x1_0000_0000 + (hashLow >>> 0);
}

/** The key of a collision that concerns only the renamed series of this key. */
function ofRenamed(key: number): number {
  return -1 - key;
}

function collision(pair: string): InvalidSeries {
  return {
    kind: "invalid",
    reason: "name_collision",
    message: `two series are equal once their labels are made ready to send: ${pair}`,
  };
}

function sameLabels(a: Series, b: Series): boolean {
  if (a.labels.length !== b.labels.length) return false;
  return a.labels.every((label, index) => {
    const other = b.labels[index];
    return other !== undefined && label.name === other.name && label.value === other.value;
  });
}

function describe(series: Series): string {
  const text = series.labels.map(({ name, value }) => `${name}=${JSON.stringify(value)}`).join(", ");
  return `{${text.length > 256 ? `${text.slice(0, 256)}…` : text}}`;
}
