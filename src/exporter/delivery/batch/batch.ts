import type {
  CapacityListener,
  EncodedRequest,
  RequestBuilder,
} from "../../remote-write/encoding/request.ts";
import { RequestEntries } from "../state/request-entries.ts";
import type { PartitionChoice } from "./partitions.ts";

/** A finished request, with the data that its journal entry needs. */
export interface Batch {
  readonly request: EncodedRequest;
  readonly entries: RequestEntries;
  readonly partitions: PartitionChoice;
  /** Its number in the journal when it was sent before and is in doubt. */
  readonly inDoubt: number | undefined;
  /** Set when its series were refused lately. */
  readonly suspicion?: Suspicion;
}

export interface Suspicion {
  /** They were refused so often that one response is enough for all of them. */
  readonly isSure: boolean;
  /** They were not refused, but made the receiver fail. */
  readonly isFailing: boolean;
}

interface OpenBatchOptions {
  readonly newBuilder: (onCapacity: CapacityListener) => RequestBuilder;
  readonly onCapacity: CapacityListener;
  /** Start of the window. */
  readonly fromMs: number;
  readonly partitions: PartitionChoice;
  readonly inDoubt?: number | undefined;
  readonly suspicion?: Suspicion | undefined;
}

/** A batch being built. */
export class OpenBatch {
  readonly builder: RequestBuilder;
  /** Monotonic time of its first sample. */
  firstAtMs = 0;
  entries: RequestEntries;
  readonly #options: OpenBatchOptions;

  constructor(options: OpenBatchOptions) {
    this.#options = options;
    this.builder = options.newBuilder(options.onCapacity);
    this.entries = new RequestEntries(options.fromMs);
  }

  /** Empties the batch, which can be filled again. */
  finish(): Batch {
    const { partitions, inDoubt, fromMs, suspicion } = this.#options;
    const { entries } = this;
    this.entries = new RequestEntries(fromMs);
    const batch = { request: this.builder.finish(), entries, partitions, inDoubt };
    return suspicion === undefined ? batch : { ...batch, suspicion };
  }
}
