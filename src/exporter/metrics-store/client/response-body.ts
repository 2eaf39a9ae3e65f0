import { once } from "node:events";
import { createGunzip, type Gunzip } from "node:zlib";
import type { Clock } from "../../../base/core/clock.ts";
import { yieldToEventLoop } from "../../../base/core/yield-to-event-loop.ts";
import { bodyBeginning } from "../../../base/http/body-beginning.ts";
import type { Flow, ResponseReceiver } from "../../../base/http/exchange.ts";
import type { ResponseHead, ResponseHeaders } from "../../../base/http/response-head.ts";
import { redactBeginning } from "../../../base/log/redact.ts";

/** Maximum text of an unsuccessful response. More is read, to remove credentials before the text is cut. */
const longestText = 1_024;
const longestRead = 2 * longestText;

/**
 * Maximum time that the chunks of one response may hold the event loop. libuv reads many times from a socket
 * before it turns to another, so a store that writes faster than chunks are decoded would hold the loop much
 * longer, and every small read of another tenant needs several turns of the loop (test/load/fairness).
 */
const longestBurstMs = 2;

/** Passed at once: much may be made of each byte. */
const sliceBytes = 8 * 1_024;

/**
 * Takes a part of a body, whose bytes are valid until it returns.
 *
 * @returns whether more is wanted; a promise where the part was not used in one turn of the event loop
 */
export type ChunkConsumer = (chunk: Buffer, headers: ResponseHeaders) => boolean | Promise<boolean>;

/** An error thrown by the caller's own code: not the store's fault. */
export class ConsumerError extends Error {}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/**
 * Handles the store's response: passes the body of a success to `onChunk`, decompressed, until that returns
 * false; keeps the beginning of any other body as text.
 */
export class ResponseBody implements ResponseReceiver {
  readonly #onChunk: ChunkConsumer;
  readonly #onHead: (head: ResponseHead) => void;
  readonly #yieldBudget: YieldBudget;
  #head: ResponseHead | undefined;
  #gunzip: Gunzip | undefined;
  #error: Error | undefined;
  #isEnough = false;
  /** Resolves when the last part of the body has been used, which may be later than the exchange has ended. */
  #using: Promise<unknown> | undefined;
  /** Of an unsuccessful response, as received. */
  #kept = Buffer.alloc(0);
  #text = "";

  constructor(
    clock: Pick<Clock, "monotonicMs">,
    onHead: (head: ResponseHead) => void,
    onChunk: ChunkConsumer,
  ) {
    this.#yieldBudget = new YieldBudget(clock);
    this.#onHead = onHead;
    this.#onChunk = onChunk;
  }

  get head(): ResponseHead | undefined {
    return this.#head;
  }

  /** The beginning of an unsuccessful response, on one line and without credentials; once it has finished. */
  get text(): string {
    const isCut = this.#kept.length >= longestRead || this.#text.length >= longestRead;
    return redactBeginning(this.#text, isCut, longestText).replace(/\s+/g, " ").trim();
  }

  begin(head: ResponseHead): boolean {
    this.#head = head;
    this.#onHead(head);
    if (!isSuccess(head.status)) return true;
    if (head.headers["content-encoding"] === "gzip") this.#gunzip = this.#openGunzip(head.headers);
    return head.framing !== "close";
  }

  body(bytes: Buffer): Flow {
    const { head } = this;
    if (head === undefined || this.#error !== undefined || this.#isEnough) return "enough";
    if (!isSuccess(head.status)) {
      this.#kept = Buffer.concat([this.#kept, bytes.subarray(0, longestRead - this.#kept.length)]);
      return this.#kept.length < longestRead ? "more" : "enough";
    }
    if (this.#gunzip !== undefined) {
      // A copy: another thread decompresses it, after this memory has been reused.
      return this.#gunzip.write(Buffer.from(bytes)) ? "more" : once(this.#gunzip, "drain");
    }
    const flow = this.#passSlices(bytes, head.headers);
    this.#using = typeof flow === "object" ? flow : undefined;
    return flow;
  }

  #passSlices(bytes: Buffer, headers: ResponseHeaders): Flow {
    this.#yieldBudget.begin();
    for (let at = 0; at < bytes.length; at += sliceBytes) {
      const passed = this.#pass(bytes.subarray(at, at + sliceBytes), headers);
      if (this.#isEnough) return "enough";
      const waiting = passed ?? (this.#yieldBudget.isSpent() ? yieldToEventLoop() : undefined);
      if (waiting === undefined) continue;
      // A copy: the memory is reused once this returns.
      const rest = Buffer.from(bytes.subarray(at + sliceBytes));
      return waiting.then(() => (this.#isEnough ? undefined : this.#passSlices(rest, headers)));
    }
    return "more";
  }

  /** Call when the body has been received in full. @returns false when `onChunk` wanted no more */
  async finished(): Promise<boolean> {
    await this.#using;
    const gunzip = this.#gunzip;
    if (gunzip !== undefined && this.#error === undefined && !this.#isEnough) {
      gunzip.end();
      await once(gunzip, "end");
    }
    if (this.#error !== undefined) throw this.#error;
    if (this.#kept.length > 0) {
      const text = await bodyBeginning(this.#kept, this.#head?.headers ?? {}, longestRead);
      this.#text = text.toString();
    }
    return !this.#isEnough;
  }

  /** Frees the decompressor, and passes nothing more; call at the end in every case. */
  close(): void {
    this.#isEnough = true;
    this.#gunzip?.destroy();
  }

  #openGunzip(headers: ResponseHeaders): Gunzip {
    const gunzip = createGunzip();
    const pass = async (chunk: Buffer): Promise<void> => {
      try {
        await this.#passSlices(chunk, headers);
        gunzip.resume();
      } catch (error) {
        gunzip.destroy(error as Error);
      }
    };
    gunzip.on("data", (chunk: Buffer) => {
      if (this.#isEnough || this.#error !== undefined) return;
      gunzip.pause();
      void pass(chunk);
    });
    gunzip.on("error", (error) => {
      this.#error ??= error;
    });
    return gunzip;
  }

  /** @returns a promise until which no more must be passed @throws ConsumerError, also in the promise */
  #pass(chunk: Buffer, headers: ResponseHeaders): Promise<void> | undefined {
    try {
      const more = this.#onChunk(chunk, headers);
      if (typeof more === "object") return this.#passed(more);
      this.#isEnough = !more;
      return undefined;
    } catch (error) {
      throw new ConsumerError("", { cause: error });
    }
  }

  async #passed(more: Promise<boolean>): Promise<void> {
    try {
      if (!(await more)) this.#isEnough = true;
    } catch (error) {
      throw new ConsumerError("", { cause: error });
    }
  }
}

/** Measures the time since the event loop last served other work. */
class YieldBudget {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #startMs: number | undefined;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** Call before each chunk; the first call after a yield starts the budget. */
  begin(): void {
    if (this.#startMs !== undefined) return;
    this.#startMs = this.#clock.monotonicMs();
    setImmediate(() => {
      this.#startMs = undefined;
    });
  }

  isSpent(): boolean {
    return this.#startMs !== undefined && this.#clock.monotonicMs() - this.#startMs >= longestBurstMs;
  }
}
