import { SinkCounts } from "../../../src/exporter/delivery/late/known-counts.ts";
import { blocksOf, type SentLog } from "../../../src/exporter/delivery/late/sent-log.ts";
import {
  decodeSentRecord,
  encodeSentRecord,
  type SentRecord,
} from "../../../src/exporter/delivery/late/sent-record.ts";
import type { Window } from "../../../src/exporter/metrics-store/ports/window.ts";

/** A log in memory, from which the records are lost with the process. For tests. */
export class MemorySentLog implements SentLog {
  readonly stepMs: number;
  readonly #records = new Map<string, Buffer[]>();

  constructor(stepMs: number) {
    this.stepMs = stepMs;
  }

  async append(sink: string, record: SentRecord): Promise<boolean> {
    const records = this.#records.get(sink) ?? [];
    this.#records.set(sink, records);
    const isKnown = records.some((bytes) => decodeSentRecord(bytes).blockId === record.blockId);
    if (!record.isFirstOfBlock && !isKnown) return false;
    records.push(encodeSentRecord(record));
    return true;
  }

  async counts(sink: string): Promise<SinkCounts | undefined> {
    const counts = new SinkCounts(this.stepMs);
    for (const bytes of this.#records.get(sink) ?? []) counts.take(decodeSentRecord(bytes));
    return counts;
  }

  async blocks(sink: string, span: Window): Promise<readonly (readonly SentRecord[])[]> {
    return blocksOf((this.#records.get(sink) ?? []).map(decodeSentRecord), span);
  }
}
