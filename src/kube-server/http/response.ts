import { Readable } from "node:stream";
import { promisify } from "node:util";
import { createGzip, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ApiResponse } from "./api-response.ts";
import { contentTypeOf, encode } from "./encoding.ts";
import { inPieces, pieceBytes } from "./pieces.ts";
import { warningHeaders } from "./warnings.ts";

/** Larger responses are compressed, favoring speed over size, as in Kubernetes. */
const compressedFrom = 128 * 1024;
const level = 1;
const compress = promisify(gzip);

export async function sendResponse(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, body, encoding, warnings = [] }: ApiResponse,
): Promise<FastifyReply> {
  reply.code(code).headers({ "content-type": contentTypeOf(encoding), "cache-control": "no-cache, private" });
  const headers = warningHeaders(warnings);
  if (headers.length > 0) reply.header("warning", headers);
  if (Symbol.asyncIterator in body) return await sendPieces(request, reply, body as AsyncIterable<string>);
  return await sendWhole(request, reply, Buffer.from(encode(body, encoding)));
}

/** Sends bytes; the headers must already name their type. */
export async function sendWhole(
  request: FastifyRequest,
  reply: FastifyReply,
  bytes: Buffer,
): Promise<FastifyReply> {
  reply.header("vary", "Accept, Accept-Encoding");
  if (bytes.length <= compressedFrom || !takesGzip(request)) return sendBytes(reply, bytes);
  return sendBytes(reply.header("content-encoding", "gzip"), await compress(bytes, { level }));
}

function sendBytes(reply: FastifyReply, bytes: Buffer): FastifyReply {
  if (bytes.length <= pieceBytes) return reply.send(bytes);
  return reply.header("content-length", bytes.length).send(Readable.from(inPieces(bytes)));
}

async function sendPieces(
  request: FastifyRequest,
  reply: FastifyReply,
  pieces: AsyncIterable<string>,
): Promise<FastifyReply> {
  const iterator = pieces[Symbol.asyncIterator]();
  if (request.method === "HEAD") {
    await iterator.return?.();
    return reply.send();
  }
  // Use a stream only for responses that do not end soon.
  let start = "";
  while (start.length <= compressedFrom) {
    const next = await iterator.next();
    if (next.done === true) return await sendWhole(request, reply, Buffer.from(start));
    start += next.value;
  }
  const stream = Readable.from(startingWith(start, iterator), { objectMode: false });
  reply.header("vary", "Accept, Accept-Encoding");
  if (!takesGzip(request)) return reply.send(stream);
  const zipped = createGzip({ level });
  stream.on("error", (error) => zipped.destroy(error));
  zipped.on("close", () => stream.destroy());
  return reply.header("content-encoding", "gzip").send(stream.pipe(zipped));
}

async function* startingWith(start: string, rest: AsyncIterator<string>): AsyncGenerator<Buffer> {
  try {
    yield* inPieces(Buffer.from(start));
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield* inPieces(Buffer.from(next.value));
  } finally {
    await rest.return?.();
  }
}

function takesGzip(request: FastifyRequest): boolean {
  const codings = String(request.headers["accept-encoding"] ?? "").split(",");
  return codings.some((coding) => /^\s*gzip\s*(?:;(?!\s*q\s*=\s*0(?:\.0*)?\s*$)|$)/i.test(coding));
}
