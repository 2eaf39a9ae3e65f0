import { bytesOf } from "../../series/label-blocks.ts";
import type { EncodedSeries, LabelsHash, Series } from "../../series/series.ts";
import type { KnownCollisions } from "./known-collisions.ts";
import type { InvalidSeries, SeriesEncoder } from "./labels.ts";

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
  readonly #owners = new Map<number, Series>();

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
    if (!this.#encoder.mayCollide) return undefined;
    const key = keyOf(encoded);
    const owner = this.#owners.get(key);
    if (owner === undefined) this.#owners.set(key, series);
    else if (owner !== series && this.#collide(owner, series, encoded, key)) {
      return collision(`${describe(owner)} and ${describe(series)}`);
    }
    return this.knows(encoded) ? collision(`${describe(series)} and one that was seen before`) : undefined;
  }

  /** Whether the series must not be sent because of a collision seen before. */
  knows(encoded: EncodedSeries): boolean {
    if (!this.#encoder.mayCollide) return false;
    const key = keyOf(encoded);
    if (this.#known.has(key, this.#windowMs)) return true;
    return encoded.renamed !== undefined && this.#known.has(ofRenamed(key), this.#windowMs);
  }

  /** @returns whether the series must not be sent because of the owner of its key */
  #collide(owner: Series, series: Series, encoded: EncodedSeries, key: number): boolean {
    // The reader's cache may have recreated the series, and two sources may select it: that is not a
    // collision.
    if (sameLabels(owner, series)) return false;
    const other = this.#encoder.encode(owner);
    if (other.kind !== "series" || !bytesOf(other).equals(bytesOf(encoded))) return false;
    const isEither = other.renamed !== undefined || encoded.renamed !== undefined;
    this.#known.note(isEither ? ofRenamed(key) : key, this.#windowMs);
    if (encoded.renamed !== undefined || other.renamed === undefined) return true;
    // Others are compared with the series that keeps its names.
    this.#owners.set(key, series);
    return false;
  }
}

/**
 * 53 of the 64 bits: a Map with number keys is much faster than one with bigint keys. An equal hash alone
 * rejects nothing until the two series have been compared.
 */
function keyOf(encoded: EncodedSeries): number {
  const { hashHigh, hashLow }: LabelsHash = encoded.renamed ?? encoded.relabelled?.hash ?? encoded;
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
