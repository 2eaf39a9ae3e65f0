import type { FastifyReply } from "fastify";

/** A response of plain text. */
export function plain(reply: FastifyReply, statusCode: number, text: string): FastifyReply {
  return reply.code(statusCode).type("text/plain; charset=utf-8").send(text);
}
