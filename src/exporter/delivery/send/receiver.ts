import type { Destination } from "../../remote-write/endpoint/endpoints.ts";
import type { RejectedRequest } from "../../remote-write/rejected/rejected-store.ts";

/** Keeps rejected samples. Never rejects. */
export interface RejectedSamples {
  add(rejected: RejectedRequest): Promise<unknown>;
}

/** A sink's receiver, for one cycle. */
export interface Receiver {
  readonly endpoint: string;
  readonly destination: Destination;
  /** A sink's memory of rejections, kept between cycles. */
  readonly rejections: RejectionMemory;
  readonly laneCount: number;
  /** `delivery.onExhausted: drop` */
  readonly dropExhausted: boolean;
}

export interface RejectionMemory {
  /** Nothing of the last rejected request was accepted, nor anything since: searching culprits is futile. */
  isHopeless: boolean;
}
