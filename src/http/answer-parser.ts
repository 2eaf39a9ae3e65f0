/** Names are in lower case; one that comes more than once has all of its values. */
export type AnswerHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface AnswerHead {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** Where the body's end shows. `close`: nowhere, so that one that was cut off looks whole. */
  readonly framing: "length" | "chunks" | "close";
  /** The connection may be used again once the body has been read. */
  readonly isKept: boolean;
}

export interface AnswerListener {
  onHead(head: AnswerHead): void;
  /** Never empty; the bytes are the parser's caller's. @returns false to stop `feed` right after them */
  onBody(bytes: Buffer): boolean;
  onEnd(): void;
}

/** What was received is no answer by RFC 9112. */
export class MalformedAnswer extends Error {}

/** A line of the head, of a chunk's size or of the trailers; and all lines of a head together. */
const maxHeadBytes = 64 * 1024;
const lf = 10;
const cr = 13;
const headEnd = Buffer.from("\r\n\r\n");

/**
 * Reads one HTTP/1.1 answer to a GET or POST (RFC 9112) from whatever pieces it comes in, and does not copy its body: the
 * store's answers are most of what this process receives (bench/read.ts). After `reset` it reads the next one.
 */
export class AnswerParser {
  readonly #listener: AnswerListener;
  #state: "head" | "size" | "chunk" | "chunk end" | "trailers" | "length" | "close" | "ended" = "head";
  /** The beginning of a line whose end has not come. */
  #line = "";
  #statusLine: StatusLine | undefined;
  readonly #fieldLines: string[] = [];
  #headBytes = 0;
  /** Of the chunk or the whole body. */
  #bytesLeft = 0;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  reset(): void {
    this.#state = "head";
    this.#line = "";
    this.#statusLine = undefined;
    this.#fieldLines.length = 0;
    this.#headBytes = 0;
    this.#bytesLeft = 0;
  }

  get hasBegun(): boolean {
    return this.#headBytes > 0;
  }

  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  /**
   * @returns how many bytes it has taken: fewer than there are when `onBody` has stopped it, or when the answer ended
   * @throws MalformedAnswer
   */
  feed(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.length) {
      if (this.#state === "ended") return at;
      if (this.#state === "chunk" || this.#state === "length" || this.#state === "close") {
        const length = Math.min(bytes.length - at, this.#bytesLeft);
        this.#bytesLeft -= length;
        const isWanted = this.#listener.onBody(bytes.subarray(at, at + length));
        at += length;
        if (this.#bytesLeft === 0) this.#endOfBytes();
        if (!isWanted) return at;
      } else {
        const next = this.#takeWholeHead(bytes, at);
        if (next !== at) {
          at = next;
          continue;
        }
        const end = bytes.indexOf(lf, at);
        const line = this.#keep(bytes, at, end === -1 ? bytes.length : end);
        if (end === -1) return bytes.length;
        this.#line = "";
        at = end + 1;
        this.#takeLine(line);
      }
    }
    return at;
  }

  /**
   * A head that has come in one piece, as nearly all do, is read as one text: half of the cost of line by line.
   *
   * @returns where it ends; `from` where this is not the beginning of a whole head
   */
  #takeWholeHead(bytes: Buffer, from: number): number {
    if (this.#state !== "head" || this.#line !== "" || this.#statusLine !== undefined) return from;
    const end = bytes.indexOf(headEnd, from);
    if (end === -1 || this.#headBytes + end - from > maxHeadBytes) return from;
    const lines = bytes.toString("latin1", from, end).split("\r\n");
    // A line that ends with LF alone is for the other way.
    if (lines.some((line) => line === "" || line.includes("\n"))) return from;
    this.#headBytes += end + headEnd.length - from;
    for (const line of lines) this.#takeLine(line);
    this.#takeLine("");
    return end + headEnd.length;
  }

  /** The line so far, without its end. */
  #keep(bytes: Buffer, from: number, to: number): string {
    if (this.#state === "head") this.#headBytes += to - from + 1;
    if (this.#line.length + to - from > maxHeadBytes || this.#headBytes > maxHeadBytes) {
      throw new MalformedAnswer(`its head has more than ${maxHeadBytes} bytes`);
    }
    this.#line += bytes.toString("latin1", from, to);
    return this.#line.charCodeAt(this.#line.length - 1) === cr ? this.#line.slice(0, -1) : this.#line;
  }

  #takeLine(line: string): void {
    switch (this.#state) {
      case "size":
        this.#bytesLeft = chunkSize(line);
        this.#state = this.#bytesLeft === 0 ? "trailers" : "chunk";
        return;
      case "chunk end":
        if (line !== "") throw new MalformedAnswer("a chunk is longer than its size says");
        this.#state = "size";
        return;
      case "trailers":
        if (line === "") this.#end();
        return;
      default:
        // An empty line before the first one is passed over (RFC 9112, section 2.2).
        if (this.#statusLine === undefined)
          this.#statusLine = line === "" ? undefined : parseStatusLine(line);
        else if (line !== "") this.#fieldLines.push(line);
        else this.#takeHead(this.#statusLine);
    }
  }

  #takeHead({ status, isPersistent }: StatusLine): void {
    this.#statusLine = undefined;
    const fields = this.#fieldLines.splice(0);
    // Interim answers (100, 103) come before the one that counts.
    if (status < 200) return;
    const headers = parseFields(fields);
    const length = contentLength(headers);
    const encoding = headers["transfer-encoding"];
    const isChunked = encoding !== undefined && /(^|,)\s*chunked\s*$/i.test(listOf(encoding));
    const hasNoBody = status === 204 || status === 304;
    const framing =
      isChunked && !hasNoBody
        ? "chunks"
        : hasNoBody || (length !== undefined && encoding === undefined)
          ? "length"
          : "close";
    const connection = headers["connection"];
    const isClosing = connection !== undefined && /(^|,)\s*close\s*(,|$)/i.test(listOf(connection));
    const isKept = framing !== "close" && isPersistent && !isClosing;
    this.#listener.onHead({ status, headers, framing, isKept });
    this.#bytesLeft = framing === "close" ? Infinity : hasNoBody ? 0 : (length ?? 0);
    if (framing === "chunks") this.#state = "size";
    else if (this.#bytesLeft === 0) this.#end();
    else this.#state = framing;
  }

  #endOfBytes(): void {
    if (this.#state === "chunk") this.#state = "chunk end";
    else this.#end();
  }

  #end(): void {
    this.#state = "ended";
    this.#listener.onEnd();
  }
}

interface StatusLine {
  readonly status: number;
  /** HTTP/1.1: unlike 1.0, it keeps connections (section 9.3). */
  readonly isPersistent: boolean;
}

/** Section 4. */
function parseStatusLine(line: string): StatusLine {
  const match = /^HTTP\/1\.(\d) (\d{3})( |$)/.exec(line);
  if (match === null) throw new MalformedAnswer("it does not begin with an HTTP/1 status line");
  return { status: Number(match[2]), isPersistent: match[1] !== "0" };
}

/** Section 5. */
function parseFields(lines: readonly string[]): Record<string, string | string[] | undefined> {
  const headers: Record<string, string | string[] | undefined> = Object.create(null);
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon)).toLowerCase();
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name)) throw new MalformedAnswer("a header field has no name");
    const value = line.slice(colon + 1).trim();
    const known = headers[name];
    if (known === undefined) headers[name] = value;
    else headers[name] = Array.isArray(known) ? [...known, value] : [known, value];
  }
  return headers;
}

/** Section 6.2. Repeated equal values are one. */
function contentLength(headers: AnswerHeaders): number | undefined {
  const text = headers["content-length"];
  if (text === undefined) return undefined;
  const [first = "", ...others] = listOf(text).split(",");
  const length = first.trim();
  if (!/^\d{1,15}$/.test(length) || others.some((other) => other.trim() !== length)) {
    throw new MalformedAnswer("its Content-Length is no number");
  }
  return Number(length);
}

/** Section 7.1; extensions are passed over. */
function chunkSize(line: string): number {
  const digits = /^([0-9a-f]{1,12})[ \t]*(;|$)/i.exec(line)?.[1];
  if (digits === undefined) throw new MalformedAnswer("the size of a chunk is no number");
  return Number.parseInt(digits, 16);
}

function listOf(value: string | string[] | undefined): string {
  return typeof value === "string" ? value : (value ?? []).join(",");
}
