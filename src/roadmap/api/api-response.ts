import type { RouteName } from "./operations.ts";
import { problem, problemContentType } from "./problem.ts";

/** Alternating header names and values, as `writeHead` takes them. */
export type RawHeaders = readonly string[];

/** One response of the website API, complete except for what every response carries. */
export interface ApiResponse {
  readonly status: number;
  /** In addition to the common ones, content type and length. */
  readonly headers?: RawHeaders;
  readonly contentType?: string;
  /** Absent for a response without content. */
  readonly body?: string | Buffer;
  /** The operation that the request reached; absent when it was refused before. */
  readonly operation?: RouteName;
}

const exposed =
  "RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, Retry-After, API-Version, Deprecation, Link, ETag";

/** On every response. Any page may read the API and its headers: all of it is public. */
const commonHeaders: RawHeaders = [
  "API-Version",
  "v1",
  "Access-Control-Allow-Origin",
  "*",
  "Access-Control-Expose-Headers",
  exposed,
  "X-Content-Type-Options",
  "nosniff",
];

/** All headers of a response. */
export function headersOf({ headers = [], contentType, body }: ApiResponse): string[] {
  const all = [...commonHeaders, ...headers];
  if (contentType !== undefined) all.push("Content-Type", contentType);
  // Responses without content have no length (RFC 9110, 8.6).
  if (body !== undefined) all.push("Content-Length", String(Buffer.byteLength(body)));
  return all;
}

/** @param body JSON */
export function jsonResponse(body: string | Buffer, headers: RawHeaders): ApiResponse {
  return { status: 200, headers, contentType: "application/json", body };
}

/** A response with a Problem body; never cached, since it describes a momentary state. */
export function problemResponse(status: number, detail?: string, headers: RawHeaders = []): ApiResponse {
  return {
    status,
    headers: [...headers, "Cache-Control", "no-store"],
    contentType: problemContentType,
    body: JSON.stringify(problem(status, detail)),
  };
}
