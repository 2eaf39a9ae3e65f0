/** Names are lower-case; a repeated header has an array of its values. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** How the body's end is detected. `close`: by the end of the connection, so truncation is not detected. */
  readonly framing: "length" | "chunks" | "close";
  /** The connection can be reused once the body has been read. */
  readonly isKept: boolean;
}

/** The received bytes are not a valid response (RFC 9112). */
export class MalformedResponse extends Error {}

export interface StatusLine {
  readonly status: number;
  /** HTTP/1.1, where connections persist by default (RFC 9112, section 9.3). */
  readonly isPersistent: boolean;
}

/** RFC 9112, section 4. A status line without the space after the code is common and harmless. */
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;

/** @throws MalformedResponse */
export function parseStatusLine(line: string): StatusLine {
  const match = statusLine.exec(line);
  if (match === null) throw new MalformedResponse("it does not begin with an HTTP/1 status line");
  return { status: Number(match[2]), isPersistent: match[1] === "1" };
}

/**
 * RFC 9112, section 5, and RFC 9110, sections 5.5 and 5.6.2: no space before the colon, no line folding, no
 * control characters. Neither part can match in two ways, so matching takes linear time on hostile input,
 * too.
 */
const fieldLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;

/** @throws MalformedResponse */
export function parseFieldLine(line: string): { readonly name: string; readonly value: string } {
  const match = fieldLine.exec(line);
  if (match === null) throw new MalformedResponse("a line of its head is not a header field");
  const [, name = "", value = ""] = match;
  return { name: name.toLowerCase(), value: withoutOuterSpace(value) };
}

/**
 * Only space and tab (RFC 9110, section 5.6.3): `trim` also removes characters that belong to the value, such
 * as U+00A0.
 */
function withoutOuterSpace(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/** Collects one response's header fields, in linear time even when a name repeats a thousand times. */
export class HeaderFields {
  readonly values: Record<string, string | string[] | undefined> = Object.create(null);

  /** @throws MalformedResponse */
  add(line: string): void {
    const { name, value } = parseFieldLine(line);
    const known = this.values[name];
    if (known === undefined) this.values[name] = value;
    else if (Array.isArray(known)) known.push(value);
    else this.values[name] = [known, value];
  }
}

/** How a body is delimited (RFC 9112, section 6.3). */
export interface BodyFraming {
  readonly framing: ResponseHead["framing"];
  /** For `length` framing. */
  readonly bytes: number;
  readonly isKept: boolean;
}

/**
 * Stricter than section 6.3 allows, since a peer that delimits the same bytes differently could smuggle a
 * response: one Content-Length (equal lines are one), and no transfer coding but a single `chunked` (no other
 * is requested). With both, the chunks win and the connection is not kept, as section 6.3 requires.
 *
 * @throws MalformedResponse
 */
export function framingOf({ status, isPersistent }: StatusLine, headers: ResponseHeaders): BodyFraming {
  const length = contentLength(headers["content-length"]);
  const isChunked = isChunkedCoding(headers["transfer-encoding"]);
  const isKept = isPersistent && !isClosing(headers["connection"]);
  if (status < 200 || status === 204 || status === 304) {
    // A server that announces a body here may still send one.
    const isSilent = !isChunked && (status === 304 || (length ?? 0) === 0);
    return { framing: "length", bytes: 0, isKept: isKept && isSilent };
  }
  if (isChunked) return { framing: "chunks", bytes: 0, isKept: isKept && length === undefined };
  if (length === undefined) return { framing: "close", bytes: Number.POSITIVE_INFINITY, isKept: false };
  return { framing: "length", bytes: length, isKept };
}

/** RFC 9110, section 8.6: equal lines, which a gateway may add, are one. A list in one line is rejected. */
function contentLength(field: string | string[] | undefined): number | undefined {
  if (field === undefined) return undefined;
  const [value = "", ...more] = Array.isArray(field) ? field : [field];
  if (!/^\d{1,15}$/.test(value) || more.some((other) => other !== value)) {
    throw new MalformedResponse("its Content-Length is not one number");
  }
  return Number(value);
}

function isChunkedCoding(value: string | string[] | undefined): boolean {
  if (value === undefined) return false;
  if (typeof value === "string" && value.toLowerCase() === "chunked") return true;
  throw new MalformedResponse("its Transfer-Encoding is not chunked");
}

function isClosing(value: string | string[] | undefined): boolean {
  if (value === undefined) return false;
  const options = String(value).toLowerCase().split(",");
  return options.some((option) => withoutOuterSpace(option) === "close");
}

/** Fast path for nearly all chunks. */
const plainChunkLine = /^[0-9A-Fa-f]{1,12}$/;
/** Each part begins with a character that the part before it cannot contain: linear time. */
const chunkLine =
  /^([0-9A-Fa-f]{1,12})((?:;[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"))?)*)$/;

/**
 * RFC 9112, section 7.1: a chunk's size and its extensions, without spaces.
 *
 * @throws MalformedResponse
 */
export function parseChunkLine(line: string): { readonly bytes: number; readonly extensionBytes: number } {
  if (plainChunkLine.test(line)) return { bytes: Number.parseInt(line, 16), extensionBytes: 0 };
  const match = chunkLine.exec(line);
  if (match === null) throw new MalformedResponse("the size of a chunk is not a hexadecimal number");
  const [, digits = "", extensions = ""] = match;
  return { bytes: Number.parseInt(digits, 16), extensionBytes: extensions.length };
}
