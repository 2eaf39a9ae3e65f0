import type { Protocol } from "../encoding/labels.ts";
import { SerialQueue } from "../send/serial-queue.ts";

/** `auto`: 1.0, and 2.0 where a receiver responds with 415 to it. */
export type ProtocolSetting = Protocol | "auto";

const recentlyMs = 600_000;
const sizeCountsMs = 3_600_000;

/**
 * What is known of an endpoint beyond one request, shared by all of a tenant's sinks that send to it: what a receiver does
 * depends on whose request it is. In memory only: a restart finds it out again.
 *
 * Protocol: starts with the configured one. 2.0 is `unproven` until a response carried the written-counts headers; only then
 * is its 2xx believed, since receivers that cannot read 2.0 are known to respond with 204. An unproven endpoint that responds
 * otherwise is `settled` at 1.0.
 */
export class EndpointState {
  #protocol: Protocol;
  #proven = false;
  #settled: boolean;
  #acceptedAtMs = Number.NEGATIVE_INFINITY;
  #maxRequestBytes = Infinity;
  #tooLargeAtMs = Number.NEGATIVE_INFINITY;
  readonly #proving = new SerialQueue();

  constructor(setting: ProtocolSetting) {
    this.#protocol = setting === "2.0" ? "2.0" : "1.0";
    this.#settled = setting === "1.0";
  }

  /** What new requests are built for. */
  get protocol(): Protocol {
    return this.#protocol;
  }

  /** A 2xx to a 2.0 request has been shown to mean what it says. */
  get proven(): boolean {
    return this.#proven;
  }

  /** A 415 to a 1.0 request is worth a try with 2.0. */
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
   * Runs tasks one after another: a request that is to prove the endpoint goes alone.
   *
   * @returns undefined when the signal aborts before the task's turn has come
   */
  alone<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    return this.#proving.run(task, signal);
  }

  /** @param nowMs of a clock that does not jump */
  accepted(nowMs: number): void {
    this.#acceptedAtMs = nowMs;
  }

  /** Whether a request was accepted within the last ten minutes: then a refusal is about the payload's content. */
  acceptedRecently(nowMs: number): boolean {
    return nowMs - this.#acceptedAtMs <= recentlyMs;
  }

  /**
   * A request of so many bytes (uncompressed) got 413: the next ones are to be half of it, for an hour. Then a
   * larger one is tried again: the receiver may have been set up anew.
   *
   * @param nowMs of a clock that does not jump
   */
  tooLarge(bytes: number, nowMs: number): void {
    this.#maxRequestBytes = Math.max(1, Math.min(this.maxRequestBytes(nowMs), bytes >>> 1));
    this.#tooLargeAtMs = nowMs;
  }

  /** Bytes (uncompressed) that a request should not exceed; Infinity while nothing was too large. */
  maxRequestBytes(nowMs: number): number {
    return nowMs - this.#tooLargeAtMs <= sizeCountsMs ? this.#maxRequestBytes : Infinity;
  }
}
