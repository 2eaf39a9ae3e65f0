import snappy from "snappy";
import type { AnswerHeaders } from "../http/answer-parser.ts";
import type { FlavorReader, ReadTotals, SampleReceiver, ScopedRead } from "./flavor-reader.ts";
import type { LabelCache } from "./label-cache.ts";
import { MalformedMessage } from "./message-cursor.ts";
import { failure, type ReadFailure } from "./read-failure.ts";
import { FrameDecoder } from "./read-frames.ts";
import { encodeReadRequest } from "./read-request.ts";
import { ReadResponseDecoder } from "./read-response.ts";
import type { StoreClient } from "./store-client.ts";
import type { Window } from "./window.ts";

/** Of an answer that comes in one piece; a stream of chunks has no bound, since a frame is forgotten when it is decoded. */
export interface WholeAnswerLimits {
  readonly maxCompressedBytes: number;
  readonly maxBytes: number;
}

const defaultLimits: WholeAnswerLimits = { maxCompressedBytes: 32 * 2 ** 20, maxBytes: 128 * 2 ** 20 };

type Ended = ReadTotals | ReadFailure | { readonly kind: "stopped" };

/**
 * Reads from Prometheus by remote read (`/api/v1/read`), every raw sample as it is stored, staleness markers included.
 * Chunks are asked for as a stream; a server that only has samples in one message is understood too, and where that
 * message would be too large the window is read in halves.
 *
 * What PromQL would add is not there: no staleness, no look-behind. Prometheus adds its external labels.
 */
export class RemoteReadReader implements FlavorReader {
  readonly #client: StoreClient;
  readonly #cache: LabelCache;
  readonly #limits: WholeAnswerLimits;

  constructor(client: StoreClient, cache: LabelCache, limits: WholeAnswerLimits = defaultLimits) {
    this.#client = client;
    this.#cache = cache;
    this.#limits = limits;
  }

  async read(read: ScopedRead, receiver: SampleReceiver, signal: AbortSignal): Promise<Ended> {
    if (read.selector.groups.some((group) => group.some(({ label }) => label === "__graphite__"))) {
      return failure("unsupported_selector", "the filter __graphite__ is VictoriaMetrics', not Prometheus'");
    }
    const ended = await this.#readWindow(read, receiver, signal);
    return ended === "too_large" ? this.#readHalves(read, receiver, signal) : ended;
  }

  async #readHalves(read: ScopedRead, receiver: SampleReceiver, signal: AbortSignal): Promise<Ended> {
    const { fromMs, toMs } = read.window;
    if (toMs - fromMs <= 1) {
      return failure(
        "answer_too_large",
        `the store's samples of one millisecond are more than ${this.#limits.maxBytes} bytes; it does not stream chunks`,
      );
    }
    const middleMs = Math.floor((fromMs + toMs) / 2);
    const first = await this.read({ ...read, window: { fromMs, toMs: middleMs } }, receiver, signal);
    if (first.kind !== "complete") return first;
    const second = await this.read({ ...read, window: { fromMs: middleMs, toMs } }, receiver, signal);
    if (second.kind !== "complete") return second;
    return {
      kind: "complete",
      series: first.series + second.series,
      samples: first.samples + second.samples,
    };
  }

  async #readWindow(
    { selector, window }: ScopedRead,
    receiver: SampleReceiver,
    signal: AbortSignal,
  ): Promise<Ended | "too_large"> {
    const decoder = new ReadResponseDecoder(this.#cache, window, selector.groups.length, (series, samples) =>
      receiver.onSeries(series, samples),
    );
    const body = new ReadBody(decoder, this.#limits, (bytes) => receiver.onBytes(bytes));
    const answer = await this.#client.request(
      { path: "/api/v1/read", body: { bytes: compressedRequest(selector, window), headers: requestHeaders } },
      (chunk, headers) => body.push(chunk, headers) && receiver.wantsMore(),
      signal,
    );
    const isWhole = answer.kind === "answered" && answer.whole;
    const fault = isWhole ? body.finish() : body.fault;
    if (fault === "too_large") return fault;
    for (const [reason, series] of decoder.refusals) {
      receiver.onRefused(reason, series, decoder.lastRefusal ?? reason);
    }
    // A fault in what came says more than the way the connection ended.
    if (fault !== undefined) return fault;
    if (answer.kind !== "answered") return answer;
    if (!answer.whole) return { kind: "stopped" };
    return { kind: "complete", series: decoder.series, samples: decoder.samples };
  }
}

const requestHeaders = {
  "content-type": "application/x-protobuf",
  "content-encoding": "snappy",
  "x-prometheus-remote-read-version": "0.1.0",
};

function compressedRequest(selector: ScopedRead["selector"], window: Window): Buffer {
  return snappy.compressSync(encodeReadRequest(selector, window), { copyOutputData: true });
}

/** The body of an answer, in whichever of the two ways it comes. */
class ReadBody {
  fault: ReadFailure | "too_large" | undefined;
  readonly #decoder: ReadResponseDecoder;
  readonly #limits: WholeAnswerLimits;
  readonly #onBytes: (bytes: number) => void;
  readonly #frames: FrameDecoder;
  #kind: "chunks" | "samples" | undefined;
  #pieces: Buffer[] = [];
  #held = 0;

  constructor(decoder: ReadResponseDecoder, limits: WholeAnswerLimits, onBytes: (bytes: number) => void) {
    this.#decoder = decoder;
    this.#limits = limits;
    this.#onBytes = onBytes;
    this.#frames = new FrameDecoder((bytes, start, end) => decoder.chunked(bytes, start, end));
  }

  /** @returns whether more is wanted */
  push(chunk: Buffer, headers: AnswerHeaders): boolean {
    this.#kind ??= this.#kindOf(headers);
    if (this.#kind === "chunks") {
      this.#onBytes(chunk.length);
      this.#attempt(() => this.#frames.push(chunk));
    } else if (this.#kind === "samples") {
      this.#pieces.push(Buffer.from(chunk));
      this.#held += chunk.length;
      if (this.#held > this.#limits.maxCompressedBytes) this.fault = "too_large";
    }
    return this.fault === undefined;
  }

  /** Call when the body has ended. @returns what makes it unfit to be taken for whole */
  finish(): ReadFailure | "too_large" | undefined {
    if (this.fault !== undefined) return this.fault;
    if (this.#kind === "samples") this.#attempt(() => this.#decodeSamples());
    else if (this.#frames.rest.length > 0) this.fault = failureOfRest(this.#frames.rest);
    return this.fault;
  }

  #kindOf(headers: AnswerHeaders): "chunks" | "samples" | undefined {
    const type = String(headers["content-type"] ?? "nothing");
    if (type.startsWith("application/x-streamed-protobuf")) return "chunks";
    if (type.startsWith("application/x-protobuf")) return "samples";
    const message = `the store answers a remote read with ${type.slice(0, 100)}, not with chunks or samples`;
    this.fault = failure("malformed_answer", message);
    return undefined;
  }

  #decodeSamples(): void {
    const compressed = Buffer.concat(this.#pieces);
    this.#pieces = [];
    if (uncompressedLength(compressed) > this.#limits.maxBytes) {
      this.fault = "too_large";
      return;
    }
    let message: Buffer;
    try {
      message = snappy.uncompressSync(compressed, { asBuffer: true, copyOutputData: true }) as Buffer;
    } catch (error) {
      throw new MalformedMessage("it is not compressed by snappy", { cause: error });
    }
    this.#onBytes(message.length);
    this.#decoder.sampled(message);
  }

  #attempt(decode: () => void): void {
    try {
      decode();
    } catch (error) {
      if (!(error instanceof MalformedMessage)) throw error;
      this.fault = failure("malformed_answer", `the store's answer cannot be understood: ${error.message}`);
    }
  }
}

/** The head of a snappy block (format_description.txt, "Preamble"): known before anything is unpacked. */
function uncompressedLength(block: Buffer): number {
  let length = 0;
  for (let index = 0; index < 5; index++) {
    const byte = block[index] ?? 0;
    length += (byte & 127) * 128 ** index;
    if (byte < 128) break;
  }
  return length;
}

/** Prometheus writes an error that comes to it in the middle behind the frames that it has sent already. */
function failureOfRest(rest: Buffer): ReadFailure {
  const text = rest.toString("latin1", 0, 600).replace(/\s+/g, " ").trim();
  return /^[\x20-\x7e]+$/.test(text)
    ? failure("store_error", `the store answered 200, then: ${text}`)
    : failure("incomplete_body", "the store's answer ends in the middle of a frame");
}
