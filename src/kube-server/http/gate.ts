import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../base/core/clock.ts";
import { createSharedLimit, type SharedLimit } from "../../base/core/shared-limit.ts";
import { networkOf } from "../../base/net/client-network.ts";
import { isHttp2, namesOneHost } from "../../base/net/host.ts";
import type { BearerTokens } from "../access/bearer-tokens.ts";
import type { AccessDirectory, Caller, PlaneAccess } from "../access/directory.ts";
import { bearerOf } from "../access/token.ts";
import { parsePlanePath } from "../api/plane.ts";
import { badRequest, forbiddenPath, methodNotAllowed, readMethods, tooManyRequests } from "../api/status.ts";
import type { ServerLimits } from "./limits.ts";
import { createRateLimiter, type RateLimiter } from "./rate-limit.ts";

export const exchangePath = "/platform-os/oauth/token/exchange";
export const healthPaths: readonly string[] = ["/healthz", "/livez", "/readyz"];

/** Target of a request. */
export type Destination =
  | { readonly to: "health" }
  | { readonly to: "exchange"; readonly caller: Caller }
  /** Outside all planes: resources that are the same for every caller. */
  | { readonly to: "root"; readonly caller: Caller }
  | ({ readonly to: "plane"; readonly caller: Caller } & PlaneAccess);

/** A request admitted by its head. */
export interface Entry {
  readonly destination: Destination;
  /** Decoded, without the plane's prefix. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Stops counting the request as concurrent; called automatically when its response is over. */
  leave(): void;
  /**
   * Calls back when the response is over, whether sent or aborted by the client; at once if it already is.
   */
  onOver(callback: () => void): void;
  /**
   * Reserves memory for the request's body until its response is over.
   *
   * @throws StatusError 429
   */
  holdBody(bytes: number): void;
  /** Asks a waiting client (Expect: 100-continue) to send the body. */
  invite(): void;
}

export interface Gate {
  /**
   * @param identified called with the caller as soon as the token is known to be valid
   * @throws StatusError 400, 403, 429
   */
  enter(
    request: IncomingMessage,
    response: ServerResponse,
    identified: (caller: Caller) => void,
  ): Promise<Entry>;
}

export interface GateOptions {
  readonly groupDomain: string;
  readonly directory: AccessDirectory;
  readonly bearerTokens: BearerTokens;
  readonly clock: Clock;
  readonly limits: ServerLimits;
}

/**
 * Decides by a request's head who the caller is, where the request goes and whether it is allowed now, before
 * the body is read.
 */
export function createGate(options: GateOptions): Gate {
  const { groupDomain, directory, bearerTokens, clock, limits } = options;
  const ofTokens = limiterOf(limits.requestsPerSecondPerToken);
  const ofAddresses = limiterOf(limits.refusedRequestsPerSecond);
  const requests = createSharedLimit({
    all: limits.concurrentRequests,
    perClient: limits.concurrentRequestsPerToken,
  });
  const bodyBytes = createSharedLimit({ all: limits.heldBodyBytes, perClient: limits.heldBodyBytesPerToken });

  function pace(rate: RateLimiter, client: string): void {
    const seconds = rate.take(client, clock.nowMs());
    if (seconds > 0) throw tooManyRequests(seconds, "Too many requests, please try again later.");
  }

  async function callerOf(method: string, fullPath: string, bearer: string | undefined): Promise<Caller> {
    const path = parsePlanePath(fullPath, groupDomain)?.path ?? fullPath;
    if (bearer === undefined) throw forbiddenPath(method, path);
    const isExchange = fullPath === exchangePath;
    if (isExchange && method !== "GET") throw forbiddenPath(method, path);
    const caller = isExchange
      ? await directory.callerOf(bearer, clock.nowMs())
      : await bearerTokens.verify(bearer, clock.nowMs());
    if (caller === undefined) throw forbiddenPath(method, path);
    return caller;
  }

  async function destinationOf(method: string, fullPath: string, caller: Caller): Promise<Destination> {
    if (fullPath === exchangePath) return { to: "exchange", caller };
    const inPlane = parsePlanePath(fullPath, groupDomain);
    if (inPlane === undefined) {
      if (!(await directory.isActive(caller, clock.nowMs()))) throw forbiddenPath(method, fullPath);
      return { to: "root", caller };
    }
    const access = await directory.findPlane(inPlane.type, inPlane.name, caller, clock.nowMs());
    if (access === undefined) throw forbiddenPath(method, inPlane.path);
    return { to: "plane", caller, ...access };
  }

  return {
    async enter(request, response, identified) {
      const onOver = watchEnd(response);
      if (!namesOneHost(request)) {
        // A proxy in between may see another host: do not trust anything else on this connection.
        if (!isHttp2(request)) response.setHeader("connection", "close");
        throw badRequest("the request must name one host");
      }
      const { method = "" } = request;
      const [rawPath = "/", rawQuery = ""] = (request.url ?? "/").split(/\?(.*)/s);
      const fullPath = decodePath(rawPath);
      const path = parsePlanePath(fullPath, groupDomain)?.path ?? fullPath;
      const query = new URLSearchParams(readableQuery(rawQuery));
      const invite = (): void => {
        if (request.headers.expect?.toLowerCase() === "100-continue") response.writeContinue();
      };
      if (healthPaths.includes(fullPath)) {
        if (method !== "GET" && method !== "HEAD") throw methodNotAllowed(readMethods);
        const nothing = (): void => undefined;
        return {
          path,
          query,
          destination: { to: "health" },
          leave: nothing,
          onOver,
          holdBody: nothing,
          invite,
        };
      }
      const address = networkOf(request.socket.remoteAddress ?? "");
      pace(ofAddresses, address);
      const caller = await callerOf(method, fullPath, bearerOf(request.headers.authorization));
      identified(caller);
      pace(ofTokens, caller.tokenId);
      // Many callers may share an address: only what is refused counts towards its limit.
      ofAddresses.give(address);
      const work = hold(requests, caller.tokenId, onOver, "Too many requests at once.");
      work.add(1);
      const destination = await destinationOf(method, fullPath, caller);
      const body = hold(bodyBytes, caller.tokenId, onOver, "Too many bytes of requests at once.");
      return { path, query, destination, leave: work.release, onOver, holdBody: body.add, invite };
    },
  };
}

type OnOver = Entry["onOver"];

/** What a client has not used adds up for some seconds. */
const burstSeconds = 2.5;

function limiterOf(perSecond: number): RateLimiter {
  return createRateLimiter({ perSecond, burst: perSecond * burstSeconds });
}

/**
 * Tracks the response's end, also for callers that register after it. With one listener: Node.js warns of a
 * leak when there are more than ten, and some are those of streams.
 */
function watchEnd(response: ServerResponse): OnOver {
  const callbacks: (() => void)[] = [];
  let isOver = false;
  response.once("close", () => {
    isOver = true;
    for (const callback of callbacks) callback();
  });
  return (callback) => {
    if (isOver) callback();
    else callbacks.push(callback);
  };
}

/** Takes from a limit while a response is open. */
function hold(limit: SharedLimit, client: string, onOver: OnOver, message: string) {
  let held = 0;
  let isOver = false;
  const release = (): void => {
    if (held > 0) limit.release(client, held);
    held = 0;
  };
  onOver(() => {
    isOver = true;
    release();
  });
  return {
    release,
    add(amount: number): void {
      // The client is gone, so nothing would release the amount.
      if (isOver) throw badRequest("the request was broken off");
      if (limit.take(client, amount) !== undefined) throw tooManyRequests(1, message);
      held += amount;
    },
  };
}

/** A query without the parameters that Go cannot read: with a semicolon, or a percent sign that escapes nothing. */
function readableQuery(query: string): string {
  const unreadable = /;|%(?![0-9a-f]{2})/i;
  if (!unreadable.test(query)) return query;
  return query
    .split("&")
    .filter((parameter) => !unreadable.test(parameter))
    .join("&");
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest("malformed URL");
  }
}
