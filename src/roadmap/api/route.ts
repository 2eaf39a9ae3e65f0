import type { IncomingMessage } from "node:http";
import { namesOneHost } from "../../base/net/host.ts";
import { type ApiResponse, problemResponse } from "./api-response.ts";
import { type OperationName, operations, type RouteName } from "./operations.ts";

/** A longer request target is rejected with 414. */
export const maxTargetLength = 8 * 1_024;
/** No operation takes a body; one that is sent anyway is discarded up to this size. */
const maxBodyBytes = 16 * 1_024;

/** Served only where webhooks are configured, with a body that its handler bounds. */
export const webhookPath = "/api/webhooks/board";

const paths: ReadonlyMap<string | undefined, OperationName> = new Map(
  Object.entries(operations).map(([name, { path }]) => [path, name as OperationName]),
);
const allowedMethods = "GET, HEAD, OPTIONS";

export type RequestHead = Pick<IncomingMessage, "url" | "method" | "headers" | "rawHeaders" | "httpVersion">;

/** The route that a request asks for, or the response to a request that reaches none. */
export function routeOf(request: RequestHead, hasWebhook: boolean): RouteName | ApiResponse {
  const route = findRoute(request, hasWebhook);
  if (typeof route === "string" || !hasBody(request)) return route;
  // The rest of the body is not read, so the connection cannot be reused.
  return { ...route, headers: ["Connection", "close", ...(route.headers ?? [])] };
}

function findRoute(request: RequestHead, hasWebhook: boolean): RouteName | ApiResponse {
  const { url = "", method, headers } = request;
  if (url.length > maxTargetLength) return targetTooLong();
  if (!namesOneHost(request)) return problemResponse(400, "The request must have one Host header.");
  if (hasWebhook && pathOf(url) === webhookPath) {
    return method === "POST" ? "webhook" : methodNotAllowed("POST");
  }
  if (headers["transfer-encoding"] !== undefined) {
    return problemResponse(411, "No operation takes a body; send none, or its length.");
  }
  if (Number(headers["content-length"] ?? 0) > maxBodyBytes) {
    return problemResponse(413, "No operation takes a body.");
  }
  const path = pathOf(url);
  if (path === undefined) return problemResponse(400, "The request cannot be understood.");
  const operation = paths.get(path);
  if (operation === undefined) return problemResponse(404);
  if (method === "GET" || method === "HEAD") return operation;
  if (method === "OPTIONS") {
    const cors = ["Access-Control-Allow-Methods", allowedMethods, "Access-Control-Allow-Headers", "*"];
    return { status: 204, headers: ["Allow", allowedMethods, ...cors, "Access-Control-Max-Age", "86400"] };
  }
  return methodNotAllowed();
}

export function methodNotAllowed(allowed = allowedMethods): ApiResponse {
  return problemResponse(405, undefined, ["Allow", allowed]);
}

export function targetTooLong(): ApiResponse {
  return problemResponse(414, "The request target is too long.");
}

function hasBody({ headers }: RequestHead): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

/** The decoded path of a request target, which may be absolute (RFC 9112, 3.2.2); undefined if malformed. */
function pathOf(target: string): string | undefined {
  // Most targets are a path and nothing else.
  if (paths.has(target)) return target;
  const path = target.replace(/^https?:\/\/[^/?#]+/i, "").replace(/[?#].*$/s, "");
  try {
    return decodeURI(path);
  } catch {
    return undefined;
  }
}
