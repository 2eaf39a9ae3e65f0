import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/core/log.ts";
import type { Backlog, BacklogCacheStatus } from "../board/backlog.ts";
import type { RoadmapReader } from "../cache/roadmap.ts";
import { type PagePace, pagePolicy, renderPage } from "../page/page.ts";
import { type ApiResponse, commonHeaders, problemResponse, type RawHeaders, send } from "./api-response.ts";
import { clientKey } from "./client-address.ts";
import type { ApiMetrics, RouteLabel } from "./metrics.ts";
import { openApiDocument } from "./openapi.ts";
import type { OperationName } from "./operations.ts";
import type { RateCounter } from "./rate-counter.ts";

export interface HandlerOptions {
  readonly roadmap: RoadmapReader;
  readonly rate: RateCounter;
  /** Take the client's address from the nearest proxy's entry in X-Forwarded-For. */
  readonly trustProxy: boolean;
  readonly pace: PagePace;
  readonly metrics: ApiMetrics;
  readonly log: Logger;
}

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** The unversioned path's deprecation date (2026-01-01), in Unix seconds. No `Sunset`: the path stays. */
const aliasHeaders: RawHeaders = [
  "Deprecation",
  "@1767225600",
  "Link",
  '</api/v1/roadmap/backlog-meta>; rel="successor-version"',
];
const noStore: RawHeaders = ["Cache-Control", "no-store"];
const revalidate: RawHeaders = ["Cache-Control", "no-cache"];
const firstReadSeconds = "5";

/** The response of each operation: from memory, synchronously. */
export function createHandlers(options: HandlerOptions): Record<OperationName, Handler> {
  const { roadmap, rate, trustProxy, metrics, log } = options;
  const limitText = String(rate.limit);

  /** Applies the rate limit: handles the request, or responds with 429. */
  function limited(
    route: RouteLabel,
    respond: (request: IncomingMessage, rate: string[]) => ApiResponse,
  ): Handler {
    return (request, response) => {
      const forwarded = trustProxy ? request.headers["x-forwarded-for"] : undefined;
      const client = clientKey(request.socket.remoteAddress, forwarded?.toString());
      const remaining = rate.take(client);
      const reset = String(rate.resetSeconds());
      const headers = [
        ...commonHeaders,
        "RateLimit-Limit",
        limitText,
        "RateLimit-Remaining",
        String(remaining < 0 ? 0 : remaining),
        "RateLimit-Reset",
        reset,
      ];
      let result: ApiResponse;
      try {
        result =
          remaining < 0
            ? problemResponse(429, `Try again in ${reset} s.`, [...headers, "Retry-After", reset])
            : respond(request, headers);
      } catch (error) {
        log.error({ route, error: describeError(error) }, "a request to the website API failed");
        // Drops the headers that the operation may have added before it failed.
        result = problemResponse(500, undefined, headers.slice(0, commonHeaders.length + 6));
      }
      metrics.responded(route, result.status);
      send(response, result);
    };
  }

  function plain(route: RouteLabel, respond: () => ApiResponse): Handler {
    return (_request, response) => {
      const result = respond();
      metrics.responded(route, result.status);
      send(response, result);
    };
  }

  function statusHandler(route: RouteLabel, extra: RawHeaders): Handler {
    let last: BacklogCacheStatus | undefined;
    let body = "";
    let length = "0";
    return limited(route, (_request, headers) => {
      roadmap.noticeRequest();
      const status = roadmap.status();
      if (status === undefined) return problemResponse(500, undefined, headers);
      // The cache returns the same object until something changes.
      if (status !== last) {
        body = JSON.stringify(status);
        length = String(body.length);
        last = status;
      }
      headers.push("Cache-Control", "no-store");
      for (const text of extra) headers.push(text);
      return { status: 200, headers, contentType: "application/json", body, length };
    });
  }

  let lastBacklog: Backlog | undefined;
  let backlogBody: Buffer = Buffer.alloc(0);
  let backlogTag = "";
  function backlog(request: IncomingMessage, headers: string[]): ApiResponse {
    roadmap.noticeRequest();
    const found = roadmap.backlog();
    if (found === undefined) {
      if (roadmap.status() === undefined) return problemResponse(500, undefined, headers);
      const detail = "The backlog has not been read yet.";
      return problemResponse(503, detail, [...headers, "Retry-After", firstReadSeconds]);
    }
    if (found.items !== lastBacklog?.items || found.meta.statuses !== lastBacklog.meta.statuses) {
      backlogBody = Buffer.from(JSON.stringify({ statuses: found.meta.statuses, items: found.items }));
      backlogTag = `"${createHash("sha256").update(backlogBody).digest("base64url").slice(0, 22)}"`;
    }
    lastBacklog = found;
    headers.push("ETag", backlogTag, ...revalidate);
    if (matches(request.headers["if-none-match"], backlogTag)) return { status: 304, headers };
    return { status: 200, headers, contentType: "application/json", body: backlogBody };
  }

  const openApi = Buffer.from(JSON.stringify(openApiDocument(), undefined, 2));
  let page: { readonly status: unknown; readonly backlog: unknown; readonly body: Buffer } | undefined;
  const pageHeaders: RawHeaders = [...noStore, "Content-Security-Policy", pagePolicy];

  return {
    status: statusHandler("status", []),
    legacyStatus: statusHandler("legacyStatus", aliasHeaders),
    backlog: limited("backlog", backlog),
    openapi: plain("openapi", () => ({
      status: 200,
      headers: [...revalidate],
      contentType: "application/json",
      body: openApi,
    })),
    page: plain("page", () => {
      roadmap.noticeRequest();
      const status = roadmap.status();
      const found = roadmap.backlog();
      if (page === undefined || page.status !== status || page.backlog !== found) {
        page = { status, backlog: found, body: Buffer.from(renderPage(status, found, options.pace)) };
      }
      return {
        status: 200,
        headers: [...pageHeaders],
        contentType: "text/html; charset=utf-8",
        body: page.body,
      };
    }),
  };
}

/** Whether If-None-Match matches the tag (RFC 9110, 13.1.2: weak comparison; a list, or `*`). */
function matches(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(",").some((one) => {
    const named = one.trim();
    return named === "*" || named === tag || named === `W/${tag}`;
  });
}
