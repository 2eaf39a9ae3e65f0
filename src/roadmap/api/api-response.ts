import type { ServerResponse } from "node:http";
import { type Problem, problem, problemContentType } from "./problem.ts";

/** Header names and values in turns, as `writeHead` takes them fastest. */
export type RawHeaders = readonly string[];

const exposed =
  "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, API-Version, Deprecation, Link, ETag";

/** On every response whatsoever. Any page may read the API and its headers: all of it is public. */
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
  /** Besides the content's type and length. Need not hold the common ones; may begin with them. */
  readonly headers?: string[];
  readonly contentType?: string;
  readonly body?: string | Buffer;
  /** The length of the body in bytes, where it is known already. */
  readonly length?: string;
}

/** Writes a whole response in one go. To HEAD, Node leaves the body out by itself. */
export function send(response: ServerResponse, content: ApiResponse): void {
  const { status, headers = [], contentType, body } = content;
  const all = headers[0] === commonHeaders[0] ? headers : commonHeaders.concat(headers);
  if (contentType !== undefined) all.push("Content-Type", contentType);
  // Responses without content have no length (RFC 9110, 8.6).
  if (body !== undefined) all.push("Content-Length", content.length ?? String(Buffer.byteLength(body)));
  response.writeHead(status, all);
  response.end(body);
}

/** A response with a Problem body; never kept by a cache, since it is about this moment. */
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
