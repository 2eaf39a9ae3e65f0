import type { FastifyReply, FastifyRequest } from "fastify";
import type { JsonObject } from "../api/object.ts";
import type { Document } from "./documents.ts";
import { contentTypeOf, type Encoding, encode } from "./encoding.ts";
import { sendWhole } from "./response.ts";

/**
 * Sends a document, or 304 if the client already has it (`If-None-Match`).
 *
 * @param encoding of a JSON document; `json` for documents with a form of their own
 */
export async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  { contentType, body, hash, isImmutable = false }: Document,
  encoding: Encoding,
): Promise<FastifyReply> {
  const ifNoneMatch = request.headers["if-none-match"];
  reply.header("vary", "Accept");
  if (hash !== undefined) {
    // A plane's documents are for its members only.
    const cacheControl = isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache";
    reply.header("etag", `"${hash}"`).header("cache-control", cacheControl);
    if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, hash)) return reply.code(304).send();
  }
  if (encoding === "json")
    return await sendWhole(request, reply.header("content-type", contentType), Buffer.from(body));
  reply.header("content-type", contentTypeOf(encoding));
  return await sendWhole(
    request,
    reply,
    Buffer.from(encode(JSON.parse(String(body)) as JsonObject, encoding)),
  );
}

/** RFC 9110, section 13.1.2: weak comparison. */
function namesTag(header: string, hash: string): boolean {
  return header
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === "*" || tag === `"${hash}"`);
}
