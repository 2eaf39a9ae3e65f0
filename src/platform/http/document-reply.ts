import type { FastifyReply } from "fastify";
import type { Document } from "./documents.ts";

/** Sends a document, or 304 when the client has it already (`If-None-Match`). */
export function sendDocument(
  reply: FastifyReply,
  { contentType, body, hash, isImmutable = false }: Document,
  ifNoneMatch: string | undefined,
): FastifyReply {
  reply.header("vary", "Accept");
  if (hash !== undefined) {
    // What a plane serves is for its members only.
    const cacheControl = isImmutable ? "private, max-age=31536000, immutable" : "private, no-cache";
    reply.header("etag", `"${hash}"`).header("cache-control", cacheControl);
    if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, hash)) return reply.code(304).send();
  }
  reply.header("content-type", contentType);
  return reply.send(typeof body === "string" ? body : Buffer.from(body.buffer, body.byteOffset, body.length));
}

/** RFC 9110, section 13.1.2; a weak tag is as good as a strong one there. */
function namesTag(header: string, hash: string): boolean {
  return header
    .split(",")
    .map((tag) => tag.trim().replace(/^W\//, ""))
    .some((tag) => tag === "*" || tag === `"${hash}"`);
}
