import { bytesOf } from "../core/label-blocks.ts";
import type { Series } from "../core/series.ts";
import type { EncodedSeries, RefusedSeries, SeriesEncoder } from "./labels.ts";

/**
 * Finds different series of one window that are sent with equal labels: their samples would be mixed up, and a
 * receiver would refuse them as out of order. All of them are refused from then on (`name_collision`).
 *
 * Costs nothing until the encoder has changed labels in a way that can make two series equal. What came before the
 * second of a pair has been sent: a pair is refused whole from the third window on at the latest, not from the first.
 */
export class CollisionDetector {
  readonly #encoder: SeriesEncoder;
  readonly #owners = new Map<number, Series>();
  readonly #collided = new Map<number, RefusedSeries>();

  constructor(encoder: SeriesEncoder) {
    this.#encoder = encoder;
  }

  /** To be called for each series before its samples are appended. @returns why it must not be sent */
  claim(series: Series, encoded: EncodedSeries): RefusedSeries | undefined {
    if (!this.#encoder.mayCollide) return undefined;
    // 53 of the 64 bits: a Map keyed by numbers is several times faster than one keyed by bigints, and equality of the
    // hash alone decides nothing.
    const key = (encoded.hashHigh >>> 11) * 0x1_0000_0000 + (encoded.hashLow >>> 0);
    const collided = this.#collided.get(key);
    if (collided !== undefined) return collided;
    const owner = this.#owners.get(key);
    if (owner === undefined) {
      this.#owners.set(key, series);
      return undefined;
    }
    if (owner === series || !this.#collide(owner, series, encoded)) return undefined;
    const refused: RefusedSeries = {
      kind: "refused",
      reason: "name_collision",
      message: `two series are equal once their labels are made ready to send: ${describe(owner)} and ${describe(series)}`,
    };
    this.#collided.set(key, refused);
    return refused;
  }

  /** To be called when a window begins. */
  reset(): void {
    this.#owners.clear();
  }

  #collide(owner: Series, series: Series, encoded: EncodedSeries): boolean {
    // The reader's cache may have made the same series again, and two sources may select it: that is no collision.
    if (sameLabels(owner, series)) return false;
    const other = this.#encoder.encode(owner);
    return other.kind === "series" && bytesOf(other).equals(bytesOf(encoded));
  }
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
