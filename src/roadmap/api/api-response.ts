import type { ServerResponse } from "node:http";
import { type Problem, problem, problemContentType } from "./problem.ts";

/** Alternating header names and values, the fastest form for `writeHead`. */
export type RawHeaders = readonly string[];

const exposed =
  "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, API-Version, Deprecation, Link, ETag";

/** On every response. Any page may read the API and its headers: all of it is public. */
export const commonHeaders: RawHeaders = [
  "API-Version",
  "v1",
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  exposed,
  "X-Content-Type-Options",
  "nosniff",
];

export interface ApiResponse {
  readonly status: number;
  /** In addition to content type and length. May start with the common headers, or leave them out. */
  readonly headers?: string[];
  readonly contentType?: string;
  readonly body?: string | Buffer;
  /** The body's length in bytes, if already known. */
  readonly length?: string;
}

/** Writes a complete response. For HEAD, Node.js omits the body. */
export function send(response: ServerResponse, content: ApiResponse): void {
  const { status, headers = [], contentType, body } = content;
  const all = headers[0] === commonHeaders[0] ? headers : commonHeaders.concat(headers);
  if (contentType !== undefined) all.push("Content-Type", contentType);
  // Responses without content have no length (RFC 9110, 8.6).
  if (body !== undefined) all.push("Content-Length", content.length ?? String(Buffer.byteLength(body)));
  response.writeHead(status, all);
  response.end(body);
}

/** A response with a Problem body; never cached, since it describes a momentary state. */
export function problemResponse(status: number, detail?: string, headers: RawHeaders = []): ApiResponse {
  return {
    status,
    headers: [...headers, "Cache-Control", "no-store"],
    contentType: problemContentType,
    body: problemText(problem(status, detail)),
  };
}

export function problemText(value: Problem): string {
  return JSON.stringify(value);
}
