import { randomInt } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import { yieldToEventLoop } from "../../../base/core/yield-to-event-loop.ts";
import type { Window } from "../../metrics-store/ports/window.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import type { OpenWindow } from "../state/sink-state.ts";
import type { SinkCounts } from "./known-counts.ts";
import { SentBlock } from "./sent-block.ts";
import { maxBlockRecords, type SentLog } from "./sent-log.ts";
import type { SourceCounts } from "./sent-record.ts";
import { type Sent, SentSamples } from "./sent-samples.ts";

interface SentMemoryDeps {
  /** The sink's key. */
  readonly sink: string;
  readonly sent: SentLog;
  readonly clock: Clock;
}

/** What was sent since `fromMs`. */
interface OpenBlock {
  readonly id: number;
  /** Number of its records. */
  records: number;
  readonly sent: SentBlock;
  readonly fromMs: number;
  /** By the monotonic clock. */
  readonly begunMs: number;
  /** The query that its records have last for each source; none is written while it is empty. */
  readonly queries: Map<string, string>;
}

/** A block is forgotten after this, and the next window begins another. */
const blockMs = 5 * 60_000;
/** More than the longest horizon, and half of the times that a block can distinguish. */
const longestLagMs = 2 ** 31;
/** The record of a block without samples: no sets, no moves. */
const noSamples = Buffer.alloc(8);

/** What one sink has sent within the horizon: writes it to the log, block by block, and looks it up there. */
export class SentMemory {
  readonly #deps: SentMemoryDeps;
  #block: OpenBlock | undefined;

  constructor(deps: SentMemoryDeps) {
    this.#deps = deps;
  }

  /** The length of the steps by which samples are counted. */
  get stepMs(): number {
    return this.#deps.sent.stepMs;
  }

  /** What is known of the sink's sources; valid until the next await. */
  counts(): Promise<SinkCounts | undefined> {
    return this.#deps.sent.counts(this.#deps.sink);
  }

  /**
   * Records what a window has sent.
   *
   * @param window with its journal; undefined if nothing was sent
   * @param read what its sources have in it, each with its query
   * @returns whether it can be remembered
   */
  async add(
    { fromMs, toMs }: Window,
    window: OpenWindow | undefined,
    read: readonly SourceCounts[],
  ): Promise<boolean> {
    const requests = acknowledgedOf(window);
    // The log refuses to continue a block of which it has lost something: it takes a new one.
    for (const isSecondTry of [false, true]) {
      const block = isSecondTry ? this.#newBlock(fromMs) : this.#blockFor(fromMs, toMs);
      const { id, sent, queries } = block;
      const ordinal = block.records++;
      const body = await sent.add(requests, yieldToEventLoop);
      this.#block = undefined;
      if (body === undefined) return false;
      const sources = read.map(({ source, query = "", counts }) => {
        const isSame = queries.get(source) === query;
        queries.set(source, query);
        return { source, query: isSame ? undefined : query, counts };
      });
      const isKept = await this.#deps.sent.append(this.#deps.sink, {
        kind: "live",
        fromMs,
        toMs,
        sources,
        body,
        blockId: id,
        isFirstOfBlock: ordinal === 0,
        ordinal,
        blockBaseMs: sent.baseMs,
      });
      if (!isKept) continue;
      if (sent.isCompact) this.#block = block;
      return true;
    }
    return false;
  }

  /**
   * Records late samples, in a block of their own, and corrects what the sources have.
   *
   * @param window whose requests have sent them; undefined if none has
   */
  async addLate(
    { fromMs, toMs }: Window,
    window: OpenWindow | undefined,
    sources: readonly SourceCounts[],
  ): Promise<void> {
    const { id, sent } = this.#newBlock(fromMs);
    const body = (await sent.add(acknowledgedOf(window), yieldToEventLoop)) ?? noSamples;
    await this.#deps.sent.append(this.#deps.sink, {
      kind: "late",
      fromMs,
      toMs,
      sources,
      body,
      blockId: id,
      isFirstOfBlock: true,
      ordinal: 0,
      blockBaseMs: sent.baseMs,
    });
  }

  /**
   * The samples of a span that were sent; all there may be, when the log has forgotten something of it.
   *
   * @param sources identities of the sources that are asked about
   */
  async sentIn(span: Window, sources: readonly string[]): Promise<readonly Sent[]> {
    const blocks = await this.#deps.sent.blocks(this.#deps.sink, span);
    const sent: Sent[] = [];
    for (const records of blocks) {
      const bodies = records.map(({ body }) => body);
      sent.push(await SentSamples.of(records[0]?.blockBaseMs ?? 0, bodies, yieldToEventLoop));
    }
    const counts = await this.counts();
    return sources.every((source) => counts?.get(source)?.has(span)) ? sent : [everything];
  }

  /** A log may forget its records after a while, so a block must not have a record that is much younger. */
  #blockFor(fromMs: number, toMs: number): OpenBlock {
    const block = this.#block;
    if (block === undefined) return this.#newBlock(fromMs);
    const isLong =
      toMs - block.fromMs > blockMs ||
      this.#deps.clock.monotonicMs() - block.begunMs > blockMs ||
      block.records === maxBlockRecords;
    // About as many series as the last one.
    return isLong ? this.#newBlock(fromMs, block.sent.seriesCount) : block;
  }

  #newBlock(fromMs: number, expectedSeries?: number): OpenBlock {
    // A source that lags behind sends samples of before the block's first window.
    const sent = new SentBlock(fromMs - longestLagMs, expectedSeries);
    const begunMs = this.#deps.clock.monotonicMs();
    return { id: randomInt(2 ** 32 - 1), records: 0, sent, fromMs, begunMs, queries: new Map() };
  }
}

const everything: Sent = { has: () => true };

function acknowledgedOf(window: OpenWindow | undefined): RequestEntries[] {
  return [...(window?.requests.values() ?? [])].flatMap(({ entries, state }) =>
    state === "acknowledged" ? [entries] : [],
  );
}
