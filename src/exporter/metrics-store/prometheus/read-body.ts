import snappy from "snappy";
import type { ResponseHeaders } from "../../../base/http/response-head.ts";
import { failure, type ReadFailure } from "../client/read-failure.ts";
import { MalformedMessage } from "./message-cursor.ts";
import { FrameDecoder } from "./read-frames.ts";
import type { ReadResponseDecoder } from "./read-response.ts";

/** Limits of a response in one piece. A stream of chunks has none, since each frame is freed once decoded. */
export interface WholeResponseLimits {
  readonly maxCompressedBytes: number;
  readonly maxBytes: number;
}

/** The body of a response, as a stream of chunks or as one message of samples. */
export class ReadBody {
  fault: ReadFailure | "too_large" | undefined;
  readonly #decoder: ReadResponseDecoder;
  readonly #limits: WholeResponseLimits;
  readonly #onBytes: (bytes: number) => void;
  readonly #frames: FrameDecoder;
  #kind: "chunks" | "samples" | undefined;
  #pieces: Buffer[] = [];
  #held = 0;

  constructor(decoder: ReadResponseDecoder, limits: WholeResponseLimits, onBytes: (bytes: number) => void) {
    this.#decoder = decoder;
    this.#limits = limits;
    this.#onBytes = onBytes;
    this.#frames = new FrameDecoder((bytes, view, start, end) => decoder.chunked(bytes, view, start, end));
  }

  /** @returns a promise where the decoder returned one: wait for it before the next push */
  push(chunk: Buffer, headers: ResponseHeaders): Promise<void> | undefined {
    this.#kind ??= this.#kindOf(headers);
    if (this.#kind === "chunks") {
      this.#onBytes(chunk.length);
      return this.#attempt(() => this.#frames.push(chunk));
    }
    if (this.#kind === "samples") {
      this.#pieces.push(Buffer.from(chunk));
      this.#held += chunk.length;
      if (this.#held > this.#limits.maxCompressedBytes) this.fault = "too_large";
    }
    return undefined;
  }

  /**
   * Call when the body has ended, which may be empty.
   *
   * @returns the fault that makes the body incomplete or invalid, or undefined
   */
  async finish(headers: ResponseHeaders): Promise<ReadFailure | "too_large" | undefined> {
    this.#kind ??= this.#kindOf(headers);
    if (this.fault !== undefined) return this.fault;
    if (this.#kind === "samples") await this.#attempt(() => this.#decodeSamples());
    else if (this.#frames.rest.length > 0) this.fault = failureOfRest(this.#frames.rest);
    return this.fault;
  }

  #kindOf(headers: ResponseHeaders): "chunks" | "samples" | undefined {
    const type = String(headers["content-type"] ?? "nothing");
    if (type.startsWith("application/x-streamed-protobuf")) return "chunks";
    if (type.startsWith("application/x-protobuf")) return "samples";
    const message = `the store responds to a remote read with ${type.slice(0, 100)}, not with chunks or samples`;
    this.fault = failure("malformed_answer", message);
    return undefined;
  }

  async #decodeSamples(): Promise<void> {
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
    await this.#decoder.sampled(message);
  }

  #attempt(decode: () => Promise<void> | undefined): Promise<void> | undefined {
    const fail = (error: unknown): void => {
      if (!(error instanceof MalformedMessage)) throw error;
      this.fault = failure("malformed_answer", `the store's response cannot be understood: ${error.message}`);
    };
    try {
      return decode()?.catch(fail);
    } catch (error) {
      fail(error);
      return undefined;
    }
  }
}

/** The length in a snappy block's head (format_description.txt, "Preamble"), known before decompression. */
function uncompressedLength(block: Buffer): number {
  let length = 0;
  for (let index = 0; index < 5; index++) {
    const byte = block[index] ?? 0;
    length += (byte & 127) * 128 ** index;
    if (byte < 128) break;
  }
  return length;
}

/** Prometheus appends an error that occurs midway to the frames that it has already sent. */
function failureOfRest(rest: Buffer): ReadFailure {
  const text = rest.toString("latin1", 0, 600).replace(/\s+/g, " ").trim();
  return /^[\x20-\x7e]+$/.test(text)
    ? failure("store_error", `the store responded with 200, then: ${text}`)
    : failure("incomplete_body", "the store's response ends in the middle of a frame");
}
