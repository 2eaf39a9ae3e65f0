import type { IncomingMessage } from "node:http";
import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/core/log.ts";
import { type ApiResponse, problemResponse, type RawHeaders } from "./api-response.ts";
import { clientKey } from "./client-address.ts";
import { createHandlers, type HandlerOptions } from "./handlers.ts";
import { type Operation, type OperationName, operations } from "./operations.ts";
import type { RateCounter } from "./rate-counter.ts";
import { routeOf } from "./route.ts";

export interface AppOptions extends HandlerOptions {
  readonly rate: RateCounter;
  /** Take the client's address from the nearest proxy's entry in X-Forwarded-For. */
  readonly trustProxy: boolean;
  readonly log: Logger;
}

/** The website API without a server: the response to every request that is HTTP. */
export type App = (request: IncomingMessage) => ApiResponse;

/**
 * A request goes one way: its route or its refusal (`route.ts`), the rate limit, the operation's handler.
 * `http-server.ts` sends and counts the response. Everything is decided from the request's head and from
 * memory, so nothing waits.
 */
export function createApp(options: AppOptions): App {
  const { rate, trustProxy, log } = options;
  const handlers = createHandlers(options);

  return (request) => {
    const route = routeOf(request);
    if (typeof route !== "string") return route;
    const operation: Operation = operations[route];
    // An operation has a limit when it documents the response beyond it.
    const response = 429 in operation.responses ? limited(route, request) : handle(route, request);
    return { operation: route, ...response };
  };

  function limited(name: OperationName, request: IncomingMessage): ApiResponse {
    const forwarded = trustProxy ? request.headers["x-forwarded-for"] : undefined;
    const remaining = rate.take(clientKey(request.socket.remoteAddress, forwarded?.toString()));
    const reset = String(rate.resetSeconds());
    const rateHeaders: RawHeaders = [
      ...["RateLimit-Limit", String(rate.limit)],
      ...["RateLimit-Remaining", String(Math.max(0, remaining))],
      ...["RateLimit-Reset", reset],
    ];
    const response =
      remaining < 0
        ? problemResponse(429, `Try again in ${reset} s.`, ["Retry-After", reset])
        : handle(name, request);
    return { ...response, headers: [...rateHeaders, ...(response.headers ?? [])] };
  }

  function handle(name: OperationName, request: IncomingMessage): ApiResponse {
    try {
      return handlers[name](request);
    } catch (error) {
      log.error({ operation: name, error: describeError(error) }, "a request to the website API failed");
      return problemResponse(500);
    }
  }
}
