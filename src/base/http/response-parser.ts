import {
  type BodyFraming,
  framingOf,
  HeaderFields,
  MalformedResponse,
  parseChunkLine,
  parseFieldLine,
  parseStatusLine,
  type ResponseHead,
  type ResponseHeaders,
  type StatusLine,
} from "./response-head.ts";

interface ResponseListener {
  onHead(head: ResponseHead): void;
  /**
   * `bytes` is never empty and belongs to the caller of `feed`. @returns false to stop `feed` right after it
   */
  onBody(bytes: Buffer): boolean;
  onEnd(): void;
}

/** Total of all heads of one response, interim ones included, and of its trailers. */
const maxHeadBytes = 64 * 1024;
const maxFields = 1_000;
/** Total of all chunks of one response. */
const maxExtensionBytes = 16 * 1024;
/** A chunk line without extensions has at most 12 digits and its line end. */
const maxChunkLineBytes = maxExtensionBytes + 14;
/** Before a status line: some servers send empty lines after a body. */
const maxEmptyLines = 2;
/** Status 100 and 103. */
const maxInterimHeads = 10;
const lf = 10;
const cr = 13;
const headEnd = Buffer.from("\r\n\r\n");

/**
 * Parses one HTTP/1.1 response (RFC 9112) from pieces of any size, without copying its body:
 * the store's responses are most of what this process receives (bench/read.ts). After `reset` it parses the
 * next one.
 *
 * Strict, because no useful server needs leniency: lines end with CRLF, and an invalid header or chunk ends
 * the response. Each byte is examined a fixed number of times, however the input is split.
 */
export class ResponseParser {
  readonly #listener: ResponseListener;
  readonly #isTunnel: boolean;
  #state: "head" | "size" | "chunk" | "chunk end" | "trailers" | "length" | "close" | "ended" = "head";
  /** The beginning of an incomplete line. */
  #line = "";
  #statusLine: StatusLine | undefined;
  #fields = new HeaderFields();
  #fieldCount = 0;
  #headBytes = 0;
  #extensionBytes = 0;
  #emptyLines = 0;
  #interimHeads = 0;
  /** Left of the current chunk or of the whole body. */
  #bytesLeft = 0;

  /** @param method of the request; a 2xx response to CONNECT has no body, whatever its head says */
  constructor(listener: ResponseListener, method: "GET" | "POST" | "CONNECT" = "GET") {
    this.#listener = listener;
    this.#isTunnel = method === "CONNECT";
  }

  reset(): void {
    this.#state = "head";
    this.#line = "";
    this.#statusLine = undefined;
    this.#fields = new HeaderFields();
    this.#fieldCount = 0;
    this.#headBytes = 0;
    this.#extensionBytes = 0;
    this.#emptyLines = 0;
    this.#interimHeads = 0;
    this.#bytesLeft = 0;
  }

  get hasBegun(): boolean {
    return this.#headBytes > 0;
  }

  get hasEnded(): boolean {
    return this.#state === "ended";
  }

  /**
   * @returns the number of bytes consumed: fewer than given when `onBody` stopped the parser or the response
   *   ended
   * @throws MalformedResponse
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
        at = next === at ? this.#takePiece(bytes, at) : next;
      }
    }
    return at;
  }

  /**
   * Fast path: a head that arrives in one piece, as nearly all do, is parsed as one text.
   *
   * @returns its end; `from` when no complete head begins there
   */
  #takeWholeHead(bytes: Buffer, from: number): number {
    if (this.#state !== "head" || this.#line !== "" || this.#statusLine !== undefined) return from;
    // An empty line is not a head. Searching for the end of a head at each of many would take quadratic time.
    if (bytes[from] === cr) return from;
    const end = bytes.indexOf(headEnd, from);
    if (end === -1 || this.#headBytes + end + headEnd.length - from > maxHeadBytes) return from;
    this.#headBytes += end + headEnd.length - from;
    for (const line of bytes.toString("latin1", from, end).split("\r\n")) this.#takeLine(line);
    this.#takeLine("");
    return end + headEnd.length;
  }

  /** Takes the rest of the line, or the part received so far. @returns the end of that part */
  #takePiece(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(lf, from);
    const next = end === -1 ? bytes.length : end + 1;
    this.#limit(next - from);
    this.#line += bytes.toString("latin1", from, end === -1 ? next : end);
    if (end === -1) return next;
    const line = this.#line;
    this.#line = "";
    // A bare LF stays in the line, where the checks reject it.
    this.#takeLine(line.charCodeAt(line.length - 1) === cr ? line.slice(0, -1) : `${line}\n`);
    return next;
  }

  /** Checks the limit before `more` bytes of a line are kept. */
  #limit(more: number): void {
    if (this.#state === "head" || this.#state === "trailers") {
      this.#headBytes += more;
      if (this.#headBytes > maxHeadBytes) {
        throw new MalformedResponse(`its head has more than ${maxHeadBytes} bytes`);
      }
    } else if (this.#state === "size") {
      if (this.#line.length + more > maxChunkLineBytes) throw longExtensions();
    } else if (this.#line.length + more > 2) {
      throw longChunk();
    }
  }

  /** @param line without its line end */
  #takeLine(line: string): void {
    switch (this.#state) {
      case "size":
        this.#takeChunkLine(line);
        return;
      case "chunk end":
        if (line !== "") throw longChunk();
        this.#state = "size";
        return;
      case "trailers":
        if (line === "") this.#end();
        else this.#takeTrailer(line);
        return;
      default:
        this.#takeHeadLine(line);
    }
  }

  #takeHeadLine(line: string): void {
    if (this.#statusLine !== undefined) {
      if (line === "") this.#takeHead(this.#statusLine);
      else this.#takeField(line);
    } else if (line !== "") {
      this.#statusLine = parseStatusLine(line);
    } else if (++this.#emptyLines > maxEmptyLines) {
      throw new MalformedResponse("it begins with empty lines");
    }
  }

  #takeField(line: string): void {
    this.#countField();
    this.#fields.add(line);
  }

  /** Trailers are discarded. */
  #takeTrailer(line: string): void {
    this.#countField();
    parseFieldLine(line);
  }

  #countField(): void {
    if (++this.#fieldCount <= maxFields) return;
    throw new MalformedResponse(`it has more than ${maxFields} header fields`);
  }

  #takeHead(statusLine: StatusLine): void {
    const { status } = statusLine;
    const headers = this.#fields.values;
    const { framing, bytes, isKept } = this.#framingOf(statusLine, headers);
    this.#statusLine = undefined;
    // Interim responses (100, 103) precede the final one.
    if (status < 200) {
      this.#fields = new HeaderFields();
      if (status === 101) throw new MalformedResponse("it switches to a protocol that nobody asked for");
      if (++this.#interimHeads > maxInterimHeads)
        throw new MalformedResponse("it has too many interim heads");
      return;
    }
    this.#listener.onHead({ status, headers, framing, isKept });
    this.#bytesLeft = bytes;
    if (framing === "chunks") this.#state = "size";
    else if (bytes === 0) this.#end();
    else this.#state = framing;
  }

  /** RFC 9112, section 6.3: a 2xx response to CONNECT ends with its head; the tunnel begins after it. */
  #framingOf(statusLine: StatusLine, headers: ResponseHeaders): BodyFraming {
    const isGranted = this.#isTunnel && statusLine.status >= 200 && statusLine.status < 300;
    return isGranted ? { framing: "length", bytes: 0, isKept: true } : framingOf(statusLine, headers);
  }

  #takeChunkLine(line: string): void {
    const { bytes, extensionBytes } = parseChunkLine(line);
    this.#extensionBytes += extensionBytes;
    if (this.#extensionBytes > maxExtensionBytes) throw longExtensions();
    this.#bytesLeft = bytes;
    this.#state = bytes === 0 ? "trailers" : "chunk";
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

function longExtensions(): MalformedResponse {
  return new MalformedResponse(`its chunks have more than ${maxExtensionBytes} bytes of extensions`);
}

function longChunk(): MalformedResponse {
  return new MalformedResponse("a chunk is longer than its size says");
}
