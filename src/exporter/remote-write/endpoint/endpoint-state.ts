import type { Protocol } from "../encoding/labels.ts";
import { SerialQueue } from "../send/serial-queue.ts";

/** `auto`: 1.0, and 2.0 when a receiver responds with 415 to it. */
export type ProtocolSetting = Protocol | "auto";

const recentlyMs = 600_000;
const sizeCountsMs = 3_600_000;
const metadataRefusedMs = 3_600_000;

/**
 * State of an endpoint, shared by all of one tenant's sinks that send to it: a receiver's behaviour may
 * depend on the tenant. In memory only: it is detected again after a restart.
 *
 * Protocol: starts with the configured one. 2.0 is `unproven` until a response carries the written-counts
 * headers. Only then is a 2xx trusted, since some receivers that cannot read 2.0 respond with 204. An
 * unproven endpoint that responds otherwise is `settled` at 1.0.
 */
export class EndpointState {
  #protocol: Protocol;
  #proven = false;
  #settled: boolean;
  #acceptedAtMs = Number.NEGATIVE_INFINITY;
  #maxRequestBytes = Infinity;
  #tooLargeAtMs = Number.NEGATIVE_INFINITY;
  #metadataRefusedAtMs = Number.NEGATIVE_INFINITY;
  readonly #proving = new SerialQueue();

  constructor(setting: ProtocolSetting) {
    this.#protocol = setting === "2.0" ? "2.0" : "1.0";
    this.#settled = setting === "1.0";
  }

  /** The protocol of new requests. */
  get protocol(): Protocol {
    return this.#protocol;
  }

  /** Whether a 2xx to a 2.0 request can be trusted. */
  get proven(): boolean {
    return this.#proven;
  }

  /** Whether 2.0 is worth trying after a 415 to a 1.0 request. */
  get mayTryVersion2(): boolean {
    return this.#protocol === "1.0" && !this.#settled;
  }

  tryVersion2(): void {
    this.#protocol = "2.0";
    this.#proven = false;
  }

  prove(): void {
    this.#proven = true;
  }

  settleAtVersion1(): void {
    this.#protocol = "1.0";
    this.#proven = false;
    this.#settled = true;
  }

  /**
   * Runs tasks one after another: a request that is to prove the endpoint is sent alone.
   *
   * @returns undefined when the signal aborts before the task's turn
   */
  alone<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    return this.#proving.run(task, signal);
  }

  /** @param nowMs of a monotonic clock */
  accepted(nowMs: number): void {
    this.#acceptedAtMs = nowMs;
  }

  /**
   * Whether a request was accepted in the last ten minutes: a rejection is then about the payload's content.
   */
  acceptedRecently(nowMs: number): boolean {
    return nowMs - this.#acceptedAtMs <= recentlyMs;
  }

  /**
   * A request of this size (uncompressed) got 413: for an hour, requests are limited to half of it. Then a
   * larger one is tried again, since the receiver may have been reconfigured.
   *
   * @param nowMs of a monotonic clock
   */
  tooLarge(bytes: number, nowMs: number): void {
    this.#maxRequestBytes = Math.max(1, Math.min(this.maxRequestBytes(nowMs), bytes >>> 1));
    this.#tooLargeAtMs = nowMs;
  }

  /** Maximum uncompressed size of a request in bytes; Infinity while none was too large. */
  maxRequestBytes(nowMs: number): number {
    return nowMs - this.#tooLargeAtMs <= sizeCountsMs ? this.#maxRequestBytes : Infinity;
  }

  /** @param nowMs of a monotonic clock */
  refuseMetadata(nowMs: number): void {
    this.#metadataRefusedAtMs = nowMs;
  }

  /** The receiver may have been changed together with a policy. */
  forgetMetadataRefusal(): void {
    this.#metadataRefusedAtMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Whether to send metadata in requests of its own: with 1.0, unless it was refused in the last hour.
   *
   * @param nowMs of a monotonic clock
   */
  takesMetadata(nowMs: number): boolean {
    return this.#protocol === "1.0" && nowMs - this.#metadataRefusedAtMs > metadataRefusedMs;
  }
}
