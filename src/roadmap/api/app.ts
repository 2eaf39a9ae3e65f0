import type { IncomingMessage } from "node:http";
import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/log/log.ts";
import { type ApiResponse, problemResponse } from "./api-response.ts";
import { clientKey } from "./client-address.ts";
import { createHandlers, type HandlerOptions } from "./handlers.ts";
import { type Operation, type OperationName, operations, type RouteName } from "./operations.ts";
import type { RateCounter } from "./rate-counter.ts";
import { rateHeaders, tooManyRequests } from "./rate-headers.ts";
import { routeOf } from "./route.ts";
import type { Webhook } from "./webhook.ts";

export interface AppOptions extends HandlerOptions {
  readonly rate: RateCounter;
  /** Take the client's address from the nearest proxy's entry in X-Forwarded-For. */
  readonly trustProxy: boolean;
  /** Absent: its path is an unknown one. */
  readonly webhook?: Webhook | undefined;
  readonly log: Logger;
}

/**
 * The website API without a server: the response to every request that is HTTP; undefined when nobody waits
 * for it any longer.
 *
 * @param invite asks the client for the body, where it waits for that (Expect: 100-continue)
 */
export type App = (
  request: IncomingMessage,
  invite: () => void,
) => ApiResponse | Promise<ApiResponse | undefined>;

/**
 * A request goes one way: its route or its refusal (`route.ts`), the rate limit, the operation's handler.
 * `http-server.ts` sends and counts the response. Everything but a webhook is decided from the request's head
 * and from memory, so nothing waits.
 */
export function createApp(options: AppOptions): App {
  const { rate, trustProxy, webhook, log } = options;
  const handlers = createHandlers(options);

  return (request, invite) => {
    const route = routeOf(request, webhook !== undefined);
    if (typeof route !== "string") return route;
    if (route === "webhook") return webhookResponse(request, invite);
    const operation: Operation = operations[route];
    // An operation has a limit when it documents the response beyond it.
    const response = 429 in operation.responses ? limited(route, request) : handle(route, request);
    return { operation: route, ...response };
  };

  function limited(name: OperationName, request: IncomingMessage): ApiResponse {
    const remaining = rate.take(clientOf(request));
    const response = remaining < 0 ? tooManyRequests(rate) : handle(name, request);
    return { ...response, headers: [...rateHeaders(rate, remaining), ...(response.headers ?? [])] };
  }

  function handle(name: OperationName, request: IncomingMessage): ApiResponse {
    try {
      return handlers[name](request);
    } catch (error) {
      return fault(name, error);
    }
  }

  async function webhookResponse(
    request: IncomingMessage,
    invite: () => void,
  ): Promise<ApiResponse | undefined> {
    try {
      const response = await webhook?.respond(request, clientOf(request), invite);
      return response && { operation: "webhook", ...response };
    } catch (error) {
      return { operation: "webhook", ...fault("webhook", error) };
    }
  }

  function clientOf(request: IncomingMessage): string {
    const forwarded = trustProxy ? request.headers["x-forwarded-for"] : undefined;
    return clientKey(request.socket.remoteAddress, forwarded?.toString());
  }

  function fault(operation: RouteName, error: unknown): ApiResponse {
    log.error({ operation, error: describeError(error) }, "a request to the website API failed");
    return problemResponse(500);
  }
}
