import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Backlog, BacklogCacheStatus } from "../board/backlog.ts";
import type { RoadmapReader } from "../cache/roadmap.ts";
import { type PagePace, pagePolicy, renderPage } from "../page/page.ts";
import { type ApiResponse, jsonResponse, problemResponse, type RawHeaders } from "./api-response.ts";
import { openApiDocument } from "./openapi.ts";
import type { OperationName } from "./operations.ts";

export interface HandlerOptions {
  readonly roadmap: RoadmapReader;
  readonly pace: PagePace;
}

export type Handler = (request: Pick<IncomingMessage, "headers">) => ApiResponse;

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
export function createHandlers({ roadmap, pace }: HandlerOptions): Record<OperationName, Handler> {
  const openApi = JSON.stringify(openApiDocument(), undefined, 2);
  const statusBody = remembered((status: BacklogCacheStatus) => JSON.stringify(status));
  const backlogBody = remembered((statuses: readonly string[], items: Backlog["items"]) => {
    const body = Buffer.from(JSON.stringify({ statuses, items }));
    return { body, tag: `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"` };
  });
  const pageBody = remembered((status: BacklogCacheStatus | undefined, backlog: Backlog | undefined) =>
    Buffer.from(renderPage(status, backlog, pace)),
  );

  function status(extra: RawHeaders): ApiResponse {
    roadmap.noticeRequest();
    const status = roadmap.status();
    if (status === undefined) return problemResponse(500);
    return jsonResponse(statusBody(status), [...noStore, ...extra]);
  }

  return {
    status: () => status([]),
    legacyStatus: () => status(aliasHeaders),
    backlog({ headers: { "if-none-match": known } }) {
      roadmap.noticeRequest();
      const backlog = roadmap.backlog();
      if (backlog === undefined) {
        if (roadmap.status() === undefined) return problemResponse(500);
        return problemResponse(503, "The backlog has not been read yet.", ["Retry-After", firstReadSeconds]);
      }
      const { body, tag } = backlogBody(backlog.meta.statuses, backlog.items);
      const headers = ["ETag", tag, ...revalidate];
      if (matches(known, tag)) return { status: 304, headers };
      return jsonResponse(body, headers);
    },
    openapi: () => jsonResponse(openApi, revalidate),
    page() {
      roadmap.noticeRequest();
      const headers = [...noStore, "Content-Security-Policy", pagePolicy];
      const body = pageBody(roadmap.status(), roadmap.backlog());
      return { status: 200, headers, contentType: "text/html; charset=utf-8", body };
    },
  };
}

/** Computes again only when an input is another object. */
function remembered<Inputs extends readonly unknown[], Result>(
  compute: (...inputs: Inputs) => Result,
): (...inputs: Inputs) => Result {
  let last: { readonly inputs: Inputs; readonly result: Result } | undefined;
  return (...inputs) => {
    if (last?.inputs.every((input, index) => input === inputs[index]) !== true) {
      last = { inputs, result: compute(...inputs) };
    }
    return last.result;
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
