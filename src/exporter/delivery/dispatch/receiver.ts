import type { Destination } from "../../remote-write/destination.ts";
import type { RejectedRequest } from "../../remote-write/rejected/rejected-store.ts";
import type { ReceiverMemory, RefusalEpisode } from "./receiver-memory.ts";

/** Keeps rejected samples. Never rejects. */
export interface RejectedSamples {
  add(rejected: RejectedRequest): Promise<unknown>;
}

/** A sink's receiver, for one cycle. */
export interface Receiver {
  readonly endpoint: string;
  readonly destination: Destination;
  /** What is known of it, kept between cycles. */
  readonly memory: ReceiverMemory;
  readonly episode: RefusalEpisode;
  readonly partitionCount: number;
  /** `retry.onExhausted: drop` */
  readonly dropExhausted: boolean;
}
