import { once } from "node:events";
import { createGunzip, type Gunzip } from "node:zlib";
import type { Clock } from "../../../base/core/clock.ts";
import { redactBeginning } from "../../../base/core/secrets/redact.ts";
import type { Flow, ResponseReceiver } from "../../../base/http/exchange.ts";
import type { ResponseHead, ResponseHeaders } from "../../../base/http/response-head.ts";

/** Of a response that is no success. More is read, so that credentials are taken out before the text is cut off. */
const longestText = 1_024;
const longestRead = 2 * longestText;

/**
 * How long the chunks of one response may keep the event loop. A store that writes faster than they are decoded would keep it for
 * some 100 ms at a time: libuv reads up to 32 times from a socket before it looks at another one, and every small read
 * of another tenant needs several turns of the loop (test/load/fairness).
 */
const longestTurnMs = 2;

/** What a caller's own code threw: not the store's fault. */
export class ConsumerError extends Error {}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

/**
 * What is done with the store's response: the body of a success goes to `onChunk`, decompressed, until that returns false; of
 * anything else the beginning is kept as text.
 */
export class ResponseBody implements ResponseReceiver {
  readonly #onChunk: (chunk: Buffer, headers: ResponseHeaders) => boolean;
  readonly #onHead: (head: ResponseHead) => void;
  readonly #turn: Turn;
  #head: ResponseHead | undefined;
  #gunzip: Gunzip | undefined;
  #error: Error | undefined;
  #isEnough = false;
  #text = "";

  constructor(
    clock: Pick<Clock, "monotonicMs">,
    onHead: (head: ResponseHead) => void,
    onChunk: (chunk: Buffer, headers: ResponseHeaders) => boolean,
  ) {
    this.#turn = new Turn(clock);
    this.#onHead = onHead;
    this.#onChunk = onChunk;
  }

  get head(): ResponseHead | undefined {
    return this.#head;
  }

  /** The beginning of a response that is no success, in one line and without credentials. */
  get text(): string {
    const isCut = this.#text.length >= longestRead;
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
      this.#text += bytes.toString("utf8", 0, longestRead - this.#text.length);
      return this.#text.length < longestRead ? "more" : "enough";
    }
    if (this.#gunzip !== undefined) {
      // A copy: it is unpacked in another thread, when these bytes are others.
      return this.#gunzip.write(Buffer.from(bytes)) ? "more" : once(this.#gunzip, "drain");
    }
    this.#turn.begin();
    this.#pass(bytes, head.headers);
    if (this.#isEnough) return "enough";
    return this.#turn.isOver() ? new Promise((resolve) => setImmediate(resolve)) : "more";
  }

  /** To be called when the body has come in full. @returns false when `onChunk` wanted no more */
  async finished(): Promise<boolean> {
    const gunzip = this.#gunzip;
    if (gunzip !== undefined && this.#error === undefined && !this.#isEnough) {
      gunzip.end();
      await once(gunzip, "end");
    }
    if (this.#error !== undefined) throw this.#error;
    return !this.#isEnough;
  }

  /** Gives back what unpacking holds; to be called in the end, whatever it was. */
  close(): void {
    this.#gunzip?.destroy();
  }

  #openGunzip(headers: ResponseHeaders): Gunzip {
    const gunzip = createGunzip();
    gunzip.on("data", (chunk: Buffer) => {
      if (this.#isEnough || this.#error !== undefined) return;
      try {
        this.#pass(chunk, headers);
      } catch (error) {
        gunzip.destroy(error as Error);
      }
    });
    gunzip.on("error", (error) => {
      this.#error ??= error;
    });
    return gunzip;
  }

  /** @throws ConsumerError */
  #pass(chunk: Buffer, headers: ResponseHeaders): void {
    try {
      this.#isEnough = !this.#onChunk(chunk, headers);
    } catch (error) {
      throw new ConsumerError("", { cause: error });
    }
  }
}

/** The time since the event loop last came round to others. */
class Turn {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #startMs: number | undefined;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** To be called before each chunk; only the first time in a turn is its beginning. */
  begin(): void {
    if (this.#startMs !== undefined) return;
    this.#startMs = this.#clock.monotonicMs();
    setImmediate(() => {
      this.#startMs = undefined;
    });
  }

  isOver(): boolean {
    return this.#startMs !== undefined && this.#clock.monotonicMs() - this.#startMs >= longestTurnMs;
  }
}
