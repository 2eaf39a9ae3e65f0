import { bytesOf } from "../../series/label-blocks.ts";
import type { Series } from "../../series/series.ts";
import type { KnownCollisions } from "./known-collisions.ts";
import type { EncodedSeries, RefusedSeries, SeriesEncoder } from "./labels.ts";

/**
 * Finds different series of one window that are sent with equal labels: their samples would be mixed up, and a
 * receiver would refuse them as out of order. All of them are refused (`name_collision`).
 *
 * Costs nothing until the encoder has changed labels in a way that can make two series equal. Where two meet for the
 * first time, what came before the second has been sent: they are refused whole from the next window on.
 */
export class CollisionDetector {
  readonly #encoder: SeriesEncoder;
  readonly #known: KnownCollisions;
  readonly #windowMs: number;
  readonly #owners = new Map<number, Series>();

  /**
   * @param known of the sink, for all of its windows
   * @param windowMs where the window begins
   */
  constructor(encoder: SeriesEncoder, known: KnownCollisions, windowMs: number) {
    this.#encoder = encoder;
    this.#known = known;
    this.#windowMs = windowMs;
  }

  /** To be called for each series before its samples are appended. @returns why it must not be sent */
  claim(series: Series, encoded: EncodedSeries): RefusedSeries | undefined {
    if (!this.#encoder.mayCollide) return undefined;
    const key = keyOf(encoded);
    const owner = this.#owners.get(key);
    if (owner === undefined) this.#owners.set(key, series);
    else if (owner !== series && this.#collide(owner, series, encoded)) {
      this.#known.note(key, this.#windowMs);
      return collision(`${describe(owner)} and ${describe(series)}`);
    }
    return this.knows(encoded) ? collision(`${describe(series)} and one that was seen before`) : undefined;
  }

  /** Whether the series, or what its labels have become, is one of a pair that has met before. */
  knows(encoded: EncodedSeries): boolean {
    return this.#encoder.mayCollide && this.#known.has(keyOf(encoded), this.#windowMs);
  }

  #collide(owner: Series, series: Series, encoded: EncodedSeries): boolean {
    // The reader's cache may have made the same series again, and two sources may select it: that is no collision.
    if (sameLabels(owner, series)) return false;
    const other = this.#encoder.encode(owner);
    return other.kind === "series" && bytesOf(other).equals(bytesOf(encoded));
  }
}

/**
 * 53 of the 64 bits: a Map keyed by numbers is several times faster than one keyed by bigints, and equality of the hash
 * alone refuses nothing before two series have been compared.
 */
function keyOf({ hashHigh, hashLow }: EncodedSeries): number {
  return (hashHigh >>> 11) * 0x1_0000_0000 + (hashLow >>> 0);
}

function collision(pair: string): RefusedSeries {
  return {
    kind: "refused",
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
