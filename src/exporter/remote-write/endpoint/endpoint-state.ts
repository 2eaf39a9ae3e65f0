import type { Names } from "../encoding/label-names.ts";
import type { Protocol } from "../encoding/labels.ts";
import { SerialQueue } from "./serial-queue.ts";

/** `auto`: 1.0, and 2.0 when a receiver responds with 415 to it. */
export type ProtocolSetting = Protocol | "auto";

/** A receiver that does not take zstd, or does not respond, is asked again after this long. */
const takesNoZstdMs = 3_600_000;
const noResponseMs = 60_000;

/** A learned size doubles after each such time without a refusal. */
const sizeDoublesMs = 60_000;
/** Doublings after which a learned size no longer matters. */
const mostDoublings = 20;
const metadataRefusedMs = 3_600_000;

interface RequestSize {
  /** Uncompressed. */
  readonly bytes: number;
  readonly samples: number;
}

/** What was found out about an endpoint, as a sink's state keeps it. */
interface LearnedEndpoint {
  readonly protocol?: Protocol | undefined;
  readonly names?: Names | undefined;
  readonly size?: RequestSize | undefined;
}

const unlimited: RequestSize = { bytes: Infinity, samples: Infinity };

/**
 * State of an endpoint, shared by all of one tenant's sinks that send to it: a receiver's behaviour may
 * depend on the tenant. What was learned is part of the sinks' states.
 *
 * Protocol: starts with the configured one. 2.0 is `unproven` until a response carries the written-counts
 * headers. Only then is a 2xx trusted, since some receivers that cannot read 2.0 respond with 204. An
 * unproven endpoint that responds otherwise stays at 1.0.
 *
 * Names do not depend on the protocol: a request that was built for one may be sent in the other.
 */
export class EndpointState {
  readonly #setting: ProtocolSetting;
  #protocol: Protocol;
  #proven = false;
  #isVersion1Only: boolean;
  #size: (RequestSize & { readonly atMs: number }) | undefined;
  #metadataRefusedAtMs = Number.NEGATIVE_INFINITY;
  #names: Names;
  #hasLearnedNames = false;
  #brokenResponses = 0;
  #takesZstd = false;
  #askZstdAtMs = Number.NEGATIVE_INFINITY;
  readonly #proving = new SerialQueue();
  readonly #asking = new SerialQueue();

  constructor(setting: ProtocolSetting, names: Names = "utf8") {
    this.#setting = setting;
    this.#names = names;
    this.#protocol = setting === "2.0" ? "2.0" : "1.0";
    this.#isVersion1Only = setting === "1.0";
  }

  /** The protocol of new requests. */
  get protocol(): Protocol {
    return this.#protocol;
  }

  /** The form of names in new requests. */
  get names(): Names {
    return this.#names;
  }

  /** A request that was refused is accepted with legal names. */
  learnLegacyNames(): void {
    this.#hasLearnedNames ||= this.#names !== "legacy";
    this.#names = "legacy";
  }

  /**
   * Whether the receiver takes zstd; it is asked once for all who wait.
   *
   * @param ask undefined: it has not responded
   * @param nowMs of a monotonic clock
   */
  async takesZstd(
    ask: () => Promise<boolean | undefined>,
    nowMs: () => number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const isKnown = () => this.#takesZstd || nowMs() < this.#askZstdAtMs;
    if (!isKnown()) {
      await this.#asking.run(async () => {
        if (isKnown()) return;
        const takes = await ask();
        if (!signal.aborted) this.#learnZstd(takes, nowMs());
      }, signal);
    }
    return this.#takesZstd;
  }

  /** Whether the receiver is known to take zstd. */
  get isZstdTaken(): boolean {
    return this.#takesZstd;
  }

  /** It was replaced by a receiver that does not take zstd. @param nowMs of a monotonic clock */
  forgetZstd(nowMs: number): void {
    this.#learnZstd(false, nowMs);
  }

  #learnZstd(takes: boolean | undefined, nowMs: number): void {
    this.#takesZstd = takes === true;
    this.#askZstdAtMs = nowMs + (takes === undefined ? noResponseMs : takesNoZstdMs);
  }

  /** @returns how many responses in a row have broken HTTP, this one included */
  brokenResponse(): number {
    return ++this.#brokenResponses;
  }

  readableResponse(): void {
    this.#brokenResponses = 0;
  }

  /** Whether a 2xx to a 2.0 request can be trusted. */
  get proven(): boolean {
    return this.#proven;
  }

  /** Whether 2.0 is worth trying after a 415 to a 1.0 request. */
  get mayTryVersion2(): boolean {
    return this.#protocol === "1.0" && !this.#isVersion1Only;
  }

  tryVersion2(): void {
    this.#protocol = "2.0";
    this.#proven = false;
  }

  prove(): void {
    this.#proven = true;
  }

  keepVersion1(): void {
    this.#protocol = "1.0";
    this.#proven = false;
    this.#isVersion1Only = true;
  }

  /** What a restart need not find out again. */
  learned(nowMs: number): LearnedEndpoint {
    const { bytes, samples } = this.maxRequest(nowMs);
    const isFound = this.#proven || (this.#isVersion1Only && this.#setting !== "1.0");
    return {
      ...(isFound && { protocol: this.#protocol }),
      ...(this.#hasLearnedNames && { names: this.#names }),
      ...(Number.isFinite(bytes) && { size: { bytes, samples } }),
    };
  }

  /** Adopts what was learned before a restart, where nothing was learned since. */
  restore({ protocol, names, size }: LearnedEndpoint, nowMs: number): void {
    if (names === "legacy") this.learnLegacyNames();
    if (size !== undefined && this.#size === undefined) this.learnSize(size, nowMs);
    if (this.#proven || this.#isVersion1Only) return;
    if (protocol === "2.0") this.tryVersion2();
    if (protocol === "1.0") this.keepVersion1();
  }

  /**
   * Runs tasks one after another: a request that is to prove the endpoint is sent alone.
   *
   * @returns undefined when the signal aborts before the task's turn
   */
  alone<T>(task: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    return this.#proving.run(task, signal);
  }

  /**
   * A larger request was refused, and all of it accepted in parts: requests are limited to the largest one.
   * The limit doubles after each minute in which nothing was learned, since the receiver may have been
   * reconfigured. One sample is no matter of size.
   *
   * @param nowMs of a monotonic clock
   */
  learnSize({ bytes, samples }: RequestSize, nowMs: number): void {
    this.#size = { bytes: Math.max(1, bytes), samples: Math.max(1, samples), atMs: nowMs };
  }

  /** Maximum size of a request: uncompressed bytes, and samples; infinite while none was too large. */
  maxRequest(nowMs: number): RequestSize {
    if (this.#size === undefined) return unlimited;
    const { bytes, samples, atMs } = this.#size;
    const doublings = Math.floor((nowMs - atMs) / sizeDoublesMs);
    if (doublings > mostDoublings) return unlimited;
    return { bytes: bytes * 2 ** doublings, samples: samples * 2 ** doublings };
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
