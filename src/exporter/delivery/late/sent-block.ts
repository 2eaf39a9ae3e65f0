import { SeriesHashTable } from "../../series/series-hash-table.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import { TimeSets } from "../state/time-sets.ts";

/** The set of a series of which nothing was sent in the block. */
const emptySet = 0;

/**
 * The samples that one process has sent in a few minutes of a sink: for each series, the set of its times.
 * It is written as it grows, one record for each window, and is forgotten when it is long enough.
 *
 * Series of one target move from set to set together. So a record holds a move for all series of a set, and
 * lists only the series that did not move with the others: at a steady scrape that is 12 bytes for a series
 * in the block's first window, and next to nothing after it.
 *
 * A record, in u32: number of words of the new sets, these words (see {@link TimeSets}); number of moves, and
 * for each the set before and after; then for each listed series its hash and its set. Times are ms after the
 * block's start.
 */
export class SentBlock {
  /** Unix ms; no sample is before it, and none more than 49 days after it. */
  readonly baseMs: number;
  readonly #sets = new TimeSets();
  readonly #setOf: SeriesHashTable;
  /** Number of series that have each set. */
  readonly #sizes: number[] = [0];
  /** The set after a move, by the set before and the set of times added; see {@link #key}. */
  readonly #unions = new Map<number, number>();
  /** Words of the sets that are in a record already. */
  #writtenWords: number;

  /** @param expectedSeries avoids growth, which takes twice the memory for a moment */
  constructor(baseMs: number, expectedSeries = 16) {
    this.baseMs = baseMs;
    this.#setOf = new SeriesHashTable(expectedSeries);
    this.#sets.add([], 0, 0, 0);
    this.#writtenWords = this.#sets.words.length;
  }

  /** Whether its series share their times, so that the next windows take little space. */
  get isCompact(): boolean {
    return this.#sets.count < 1_000 + this.#setOf.size / 4;
  }

  get seriesCount(): number {
    return this.#setOf.size;
  }

  /**
   * Adds the samples of a window's requests.
   *
   * @param yieldTurn called between slices of the work; the block must not be used until this resolves
   * @returns the record of what was added; undefined if there were too many different times to remember
   */
  async add(
    requests: readonly RequestEntries[],
    yieldTurn: () => Promise<void>,
  ): Promise<Buffer | undefined> {
    const moves = new Moves();
    const rest = new Rest(yieldTurn);
    for (const entries of requests) {
      if (this.#sets.count > maxSets) return undefined;
      const ways = this.#setsOf(entries).map((added): Way => ({ added, before: -1, after: -1, series: 0 }));
      const move = (before = emptySet): number => {
        const way = ways[set] ?? noWay;
        // Series with equal times in this request mostly had equal times before.
        if (way.before !== before) {
          moves.add(way);
          way.before = before;
          way.after = this.#union(before, way.added);
          way.series = 0;
        }
        way.series++;
        return way.after;
      };
      let set = 0;
      for (let start = 0; start < entries.length; start += sliceLength) {
        await rest.after(Math.min(sliceLength, entries.length - start));
        entries.eachOf(start, start + sliceLength, (high, low, own) => {
          set = own;
          this.#setOf.update(high, low, move);
        });
      }
      for (const way of ways) moves.add(way);
    }
    const whole = moves.ofWholeSets(this.#sizes);
    const listed = await this.#list(requests, moves, whole, rest);
    moves.applyTo(this.#sizes);
    return this.#record(whole.moves, listed);
  }

  /** The series whose moves are not those of a whole set, each with its hash and its set. */
  async #list(
    requests: readonly RequestEntries[],
    moves: Moves,
    whole: WholeMoves,
    rest: Rest,
  ): Promise<Uint32Array> {
    if (whole.seriesCount === moves.total) return new Uint32Array(0);
    // More than the moves: a series may come several times, or have had before what another one moves to.
    const listed = new Uint32Array(requests.reduce((sum, entries) => sum + entries.length, 0) * 3);
    let length = 0;
    for (const entries of requests) {
      for (let start = 0; start < entries.length; start += sliceLength) {
        await rest.after(Math.min(sliceLength, entries.length - start));
        entries.eachOf(start, start + sliceLength, (high, low) => {
          const set = this.#setOf.get(high, low) ?? emptySet;
          if (whole.targets.has(set) || !moves.isTarget(set)) return;
          listed[length++] = high;
          listed[length++] = low;
          listed[length++] = set;
        });
      }
    }
    return listed.subarray(0, length);
  }

  /** The block's own numbers of the request's sets. */
  #setsOf(entries: RequestEntries): number[] {
    return Array.from({ length: entries.setCount }, (_, set) => {
      const offsets = entries.offsetsOf(set);
      return this.#sets.add(offsets, 0, offsets.length, this.baseMs - entries.baseMs);
    });
  }

  #union(before: number, added: number): number {
    if (before === emptySet) return added;
    const key = before * 2 ** 26 + added;
    let after = this.#unions.get(key);
    if (after === undefined) {
      const times = new Set([...this.#sets.get(before), ...this.#sets.get(added)]);
      const inOrder = [...times].sort((a, b) => a - b);
      after = this.#sets.add(inOrder, 0, inOrder.length, 0);
      this.#unions.set(key, after);
    }
    return after;
  }

  #record(moves: readonly number[], listed: Uint32Array): Buffer {
    const sets = this.#sets.words.subarray(this.#writtenWords);
    this.#writtenWords += sets.length;
    const words = new Uint32Array(2 + sets.length + moves.length + listed.length);
    words[0] = sets.length;
    words.set(sets, 1);
    words[1 + sets.length] = moves.length / 2;
    words.set(moves, 2 + sets.length);
    words.set(listed, 2 + sets.length + moves.length);
    return Buffer.from(words.buffer);
  }
}

/** Sets of times that a block may have: about 50 MB. */
const maxSets = 300_000;
/** Series whose sets are looked up in one go: about a millisecond. */
const sliceLength = 2_000;

/** Lets others run between slices of the work. */
class Rest {
  readonly #yieldTurn: () => Promise<void>;
  #series = 0;

  constructor(yieldTurn: () => Promise<void>) {
    this.#yieldTurn = yieldTurn;
  }

  /** Call before each slice. */
  async after(series: number): Promise<void> {
    if (this.#series > sliceLength) {
      this.#series = 0;
      await this.#yieldTurn();
    }
    this.#series += series;
  }
}

/** Moves that all series of a set have made together. */
interface WholeMoves {
  /** Pairs of sets, one after another: before and after. */
  readonly moves: readonly number[];
  readonly targets: ReadonlySet<number>;
  /** Number of series that have moved. */
  readonly seriesCount: number;
}

/** Series of one request, with equal times in it and before, and what they have now. */
interface Way {
  /** The set of their times in the request. */
  readonly added: number;
  before: number;
  after: number;
  series: number;
}

const noWay: Way = { added: emptySet, before: -1, after: -1, series: 0 };

/** The moves of series from set to set in one window. */
class Moves {
  /** Number of series, by set before and set after. */
  readonly #counts = new Map<number, Map<number, number>>();
  readonly #sources = new Map<number, number>();
  /** Number of moves. */
  total = 0;

  add({ before, after, series }: Way): void {
    if (before === after || series === 0) return;
    this.total += series;
    let targets = this.#counts.get(before);
    if (targets === undefined) {
      targets = new Map();
      this.#counts.set(before, targets);
    }
    const count = targets.get(after);
    if (count === undefined) this.#sources.set(after, (this.#sources.get(after) ?? 0) + 1);
    targets.set(after, (count ?? 0) + series);
  }

  /** Whether series have moved to this set. */
  isTarget(set: number): boolean {
    return this.#sources.has(set);
  }

  /**
   * The moves that all series of a set have made, and no others: from a set that none has reached or left
   * otherwise, to a set that none has reached or left otherwise.
   *
   * @param sizes of the sets before the window
   */
  ofWholeSets(sizes: readonly number[]): WholeMoves {
    const moves: number[] = [];
    const wholeTargets = new Set<number>();
    let seriesCount = 0;
    for (const [before, targets] of this.#counts) {
      if (before === emptySet || targets.size !== 1 || this.#sources.has(before)) continue;
      for (const [after, count] of targets) {
        if (count !== sizes[before] || this.#sources.get(after) !== 1 || this.#counts.has(after)) continue;
        moves.push(before, after);
        wholeTargets.add(after);
        seriesCount += count;
      }
    }
    return { moves, targets: wholeTargets, seriesCount };
  }

  applyTo(sizes: number[]): void {
    for (const [before, targets] of this.#counts) {
      for (const [after, count] of targets) {
        if (before !== emptySet) sizes[before] = (sizes[before] ?? 0) - count;
        sizes[after] = (sizes[after] ?? 0) + count;
      }
    }
  }
}
