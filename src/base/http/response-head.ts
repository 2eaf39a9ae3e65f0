/** Names are in lower case; one that comes more than once has all of its values. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ResponseHead {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Where the body's end shows. `close`: nowhere, so that one that was cut off looks whole. */
  readonly framing: "length" | "chunks" | "close";
  /** The connection may be used again once the body has been read. */
  readonly isKept: boolean;
}

/** What was received is no response by RFC 9112. */
export class MalformedResponse extends Error {}

export interface StatusLine {
  readonly status: number;
  /** HTTP/1.1: unlike 1.0, it keeps connections (RFC 9112, section 9.3). */
  readonly isPersistent: boolean;
}

/** RFC 9112, section 4. A status line without the space after the code is common, and harmless. */
const statusLine = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;

/** @throws MalformedResponse */
export function parseStatusLine(line: string): StatusLine {
  const match = statusLine.exec(line);
  if (match === null) throw new MalformedResponse("it does not begin with an HTTP/1 status line");
  return { status: Number(match[2]), isPersistent: match[1] === "1" };
}

/**
 * RFC 9112, section 5, and RFC 9110, sections 5.5 and 5.6.2: no space before the colon, no line folding, no control
 * character. Neither part can match in two ways, so that a hostile line costs no more than its length.
 */
const fieldLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e\x80-\xff]*)$/;

/** @throws MalformedResponse */
export function parseFieldLine(line: string): { readonly name: string; readonly value: string } {
  const match = fieldLine.exec(line);
  if (match === null) throw new MalformedResponse("a line of its head is not a header field");
  const [, name = "", value = ""] = match;
  return { name: name.toLowerCase(), value: withoutOuterSpace(value) };
}

/** Only space and tab (RFC 9110, section 5.6.3): `trim` also takes what is part of the value, such as U+00A0. */
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

/** The header fields of one response as they come, in linear time also where one name comes a thousand times. */
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
  /** Of a body whose framing is `length`. */
  readonly bytes: number;
  readonly isKept: boolean;
}

/**
 * Stricter than section 6.3 allows, since a peer that reads the same bytes in another way could smuggle a response: one
 * Content-Length, and no coding but a single `chunked` (we ask for no other one). Both together are chunks whose
 * connection is not kept, as section 6.3 says.
 *
 * @throws MalformedResponse
 */
export function framingOf({ status, isPersistent }: StatusLine, headers: ResponseHeaders): BodyFraming {
  const length = contentLength(headers["content-length"]);
  const isChunked = isChunkedCoding(headers["transfer-encoding"]);
  const isKept = isPersistent && !isClosing(headers["connection"]);
  if (status < 200 || status === 204 || status === 304) {
    // Whoever announces a body all the same may go on to send one.
    const isSilent = !isChunked && (status === 304 || (length ?? 0) === 0);
    return { framing: "length", bytes: 0, isKept: isKept && isSilent };
  }
  if (isChunked) return { framing: "chunks", bytes: 0, isKept: isKept && length === undefined };
  if (length === undefined) return { framing: "close", bytes: Number.POSITIVE_INFINITY, isKept: false };
  return { framing: "length", bytes: length, isKept };
}

/** RFC 9110, section 8.6. No list of equal values, which a recipient may take or reject. */
function contentLength(value: string | string[] | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string" || !/^\d{1,15}$/.test(value)) {
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

/** As nearly all chunks have it. */
const plainChunkLine = /^[0-9A-Fa-f]{1,12}$/;
/** Each part begins with a character that the one before it cannot contain: linear. */
const chunkLine =
  /^([0-9A-Fa-f]{1,12})((?:;[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:=(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+|"(?:[\t !#-[\]-~\x80-\xff]|\\[\t -~\x80-\xff])*"))?)*)$/;

/**
 * RFC 9112, section 7.1: the size of a chunk and its extensions, without spaces.
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
