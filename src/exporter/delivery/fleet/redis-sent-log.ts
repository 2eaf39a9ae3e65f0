import type { Window } from "../../metrics-store/ports/window.ts";
import { SinkCounts } from "../late/known-counts.ts";
import { blocksOf, type SentLog, wholeRecords } from "../late/sent-log.ts";
import { decodeSentRecord, encodeSentRecord, type SentRecord } from "../late/sent-record.ts";
import { fleetKeys, stateFields } from "./keys.ts";
import type { RedisState } from "./redis-state.ts";
import { appendSent } from "./scripts.ts";

/**
 * Bytes that a sink's records may take in Redis: an hour of about 100,000 series in one replica. With more
 * series, or more replicas that take turns, the oldest records go sooner.
 */
const maxBytesOfSink = 16 * 2 ** 20;

interface RedisSentLogOptions {
  readonly state: RedisState;
  readonly stepMs: number;
  /** Records are kept for this long at least, unless there are too many. */
  readonly keepMs: number;
  readonly maxBytes?: number;
}

/**
 * What was sent, in one list for each sink, written under the sink's lease. Each replica continues its own
 * block, whichever replica has run the cycles in between.
 */
export class RedisSentLog implements SentLog {
  readonly stepMs: number;
  readonly #options: RedisSentLogOptions;
  /** The block that this replica may continue, by sink. */
  readonly #blocks = new Map<string, number>();

  constructor(options: RedisSentLogOptions) {
    this.#options = options;
    this.stepMs = options.stepMs;
  }

  async append(sink: string, record: SentRecord): Promise<boolean> {
    const { state, keepMs, maxBytes = maxBytesOfSink } = this.#options;
    const { kind, blockId, isFirstOfBlock, ordinal, toMs } = record;
    if (!isFirstOfBlock && this.#blocks.get(sink) !== blockId) return false;
    const oldestMs = kind === "live" ? toMs - keepMs : 0;
    const ofBlock = kind === "live" ? [blockId, ordinal] : ["", ""];
    const args = [encodeSentRecord(record), maxBytes, oldestMs, Math.ceil(keepMs), ...ofBlock];
    const reply = await state.write(sink, appendSent, [fleetKeys.sent(sink)], args);
    if (reply === "lost") {
      this.#blocks.delete(sink);
      return false;
    }
    if (kind === "live") this.#blocks.set(sink, blockId);
    return true;
  }

  async counts(sink: string): Promise<SinkCounts | undefined> {
    const records = await this.#records(sink);
    if (records.length === 0) return undefined;
    const counts = new SinkCounts(this.stepMs);
    for (const record of wholeRecords(records)) counts.take(record);
    const lostToMs = await this.#options.state.connection.hget(fleetKeys.state(sink), stateFields.sentLostTo);
    if (lostToMs !== null) counts.noteLost(Number(lostToMs));
    return counts;
  }

  async blocks(sink: string, span: Window): Promise<readonly (readonly SentRecord[])[]> {
    return blocksOf(await this.#records(sink), span);
  }

  async #records(sink: string): Promise<SentRecord[]> {
    const list = await this.#options.state.connection.lrangeBuffer(fleetKeys.sent(sink), 0, -1);
    // A write whose reply was lost may have been repeated.
    return list.filter((bytes, index) => !(list[index - 1]?.equals(bytes) ?? false)).map(decodeSentRecord);
  }
}
