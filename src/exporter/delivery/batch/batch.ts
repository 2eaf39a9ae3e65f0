import type {
  CapacityListener,
  EncodedRequest,
  RequestBuilder,
} from "../../remote-write/encoding/request.ts";
import type { SampleBuffer } from "../../series/series.ts";
import { eachSampleHash } from "../late/sample-hash.ts";
import type { LaneChoice } from "../send/lanes.ts";
import { RequestEntries } from "../state/request-entries.ts";

/** A finished request, with the data that its journal entry needs. */
export interface Batch {
  readonly request: EncodedRequest;
  readonly entries: RequestEntries;
  /** One entry per sample (see `sample-hash.ts`); set only when the options ask for it. */
  readonly samples?: RequestEntries | undefined;
  readonly lanes: LaneChoice;
  /** Its number in the journal when it was sent before and is in doubt. */
  readonly inDoubt: number | undefined;
}

export interface OpenBatchOptions {
  readonly newBuilder: (onCapacity: CapacityListener) => RequestBuilder;
  readonly onCapacity: CapacityListener;
  /** Start of the window. */
  readonly fromMs: number;
  readonly lanes: LaneChoice;
  readonly inDoubt?: number | undefined;
}

/** A batch being built. */
export class OpenBatch {
  readonly builder: RequestBuilder;
  /** Monotonic time of its first sample. */
  firstAtMs = 0;
  /** Of the series, each with the time up to which the batch holds it. */
  entries: RequestEntries;
  readonly #options: OpenBatchOptions;
  #samples: RequestEntries | undefined;

  constructor(options: OpenBatchOptions) {
    this.#options = options;
    this.builder = options.newBuilder(options.onCapacity);
    this.entries = new RequestEntries(options.fromMs);
  }

  /** Records these samples; `high` and `low` are the hash of their series. */
  addSamples(high: number, low: number, samples: SampleBuffer, start: number, end: number): void {
    const entries = this.#samples ?? new RequestEntries(this.#options.fromMs);
    this.#samples = entries;
    eachSampleHash(high, low, samples, start, end, (sampleHigh, sampleLow, index) =>
      entries.add(sampleHigh, sampleLow, samples.timestampsMs[index] ?? 0),
    );
  }

  /** Empties the batch, which can be filled again. */
  finish(): Batch {
    const { lanes, inDoubt, fromMs } = this.#options;
    const { entries } = this;
    const samples = this.#samples;
    this.entries = new RequestEntries(fromMs);
    this.#samples = undefined;
    return { request: this.builder.finish(), entries, samples, lanes, inDoubt };
  }
}
