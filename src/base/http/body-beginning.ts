import {
  type BrotliDecompress,
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Gunzip,
} from "node:zlib";
import type { ResponseHeaders } from "./response-head.ts";

/** Of a decompressor's output: little more than the limit is ever decompressed. */
const chunkSize = 1_024;

/**
 * Decompresses the beginning of a response's body, for people. It may be cut off anywhere, or be broken: the
 * result ends there.
 *
 * @param maxBytes of the result: a small body may hold gigabytes
 * @returns the bytes themselves if they are not compressed, nothing for an unknown coding
 */
export async function bodyBeginning(
  bytes: Buffer,
  headers: ResponseHeaders,
  maxBytes: number,
): Promise<Buffer> {
  const coding = String(headers["content-encoding"] ?? "identity")
    .trim()
    .toLowerCase();
  if (coding === "identity" || coding === "" || bytes.length === 0) return bytes;
  const decoder = decoderOf(coding, bytes);
  if (decoder === undefined) return Buffer.alloc(0);
  const parts: Buffer[] = [];
  let length = 0;
  await new Promise<void>((resolve) => {
    decoder.on("data", (part: Buffer) => {
      parts.push(part);
      length += part.length;
      if (length >= maxBytes) decoder.destroy();
    });
    decoder.on("error", () => undefined);
    decoder.on("end", () => decoder.destroy());
    decoder.on("close", resolve);
    decoder.end(bytes);
  });
  return Buffer.concat(parts).subarray(0, maxBytes);
}

function decoderOf(coding: string, [first = 0]: Buffer): Gunzip | BrotliDecompress | undefined {
  const options = { chunkSize, finishFlush: constants.Z_SYNC_FLUSH };
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return createGunzip(options);
    case "deflate":
      // RFC 9110, section 8.4.1.2, means zlib's format; some servers send the bare one.
      return (first & 0x0f) === 8 ? createInflate(options) : createInflateRaw(options);
    case "br":
      return createBrotliDecompress({ chunkSize, finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      return undefined;
  }
}
