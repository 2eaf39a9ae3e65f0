import { Readable } from "node:stream";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Clock } from "../../core/clock.ts";
import { describeError } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { withEither } from "../../core/signals.ts";
import type { Slots } from "../../core/slots.ts";
import type { BearerTokens } from "../access/bearer-tokens.ts";
import type { AccessDirectory, Caller } from "../access/directory.ts";
import { bearerOf } from "../access/token.ts";
import { decodeBody } from "../encoding/body.ts";
import type { KindDefinition } from "../kinds/kind.ts";
import { isJsonObject, type JsonObject } from "../object.ts";
import { type Plane, parsePlanePath } from "../plane.ts";
import type { Resources } from "../resources/resources.ts";
import {
  badRequest,
  forbiddenPath,
  internalError,
  methodNotAllowed,
  PlaneGoneError,
  pathNotFound,
  StatusError,
  tooLarge,
  tooManyRequests,
  unavailable,
} from "../status.ts";
import type { ObjectStore } from "../store/object-store.ts";
import type { ChangeFeed } from "../watch/feed.ts";
import type { UnsentEvents } from "../watch/unsent-events.ts";
import { type Answer, readForm } from "./answer.ts";
import { sendDocument } from "./document-reply.ts";
import { type Document, documentsByPlane } from "./documents.ts";
import { mediaType } from "./negotiate.ts";
import { createRateLimiter } from "./rate-limit.ts";
import { isTrue, type ResourceRequest } from "./request.ts";
import { handleResource, selectionOf } from "./resource-handler.ts";
import { kindOfPath, parseResourcePath } from "./resource-path.ts";
import { responseSink } from "./response-sink.ts";
import { answerReview, reviewOfPath } from "./reviews.ts";
import { warningHeaders } from "./warnings.ts";
import { readWatchOptions, serveWatch } from "./watch-handler.ts";

export interface PlatformLimits {
  readonly maxBodyBytes: number;
  /** Of one Personal Access Token, on this process. */
  readonly requestsPerSecond: number;
  readonly requestBurst: number;
  readonly watchesPerToken: number;
}

export const defaultLimits: PlatformLimits = {
  maxBodyBytes: 3 * 2 ** 20,
  requestsPerSecond: 200,
  requestBurst: 1_000,
  watchesPerToken: 5_000,
};

export interface PlatformAppOptions {
  readonly groupDomain: string;
  readonly kinds: readonly KindDefinition[];
  readonly store: ObjectStore;
  readonly resources: Resources;
  readonly feed: ChangeFeed;
  readonly turns: Slots;
  readonly unsent: UnsentEvents;
  readonly directory: AccessDirectory;
  readonly bearerTokens: BearerTokens;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly limits: PlatformLimits;
  readonly bookmarkMs: number;
  /** How often an open watch's right to be open is looked at. */
  readonly watchCheckMs: number;
  /** Absent in tests that inject requests: kubectl needs TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
}

export const exchangePath = "/platform-os/oauth/token/exchange";

/** A request as the handlers below see it. */
interface Incoming {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly method: string;
  /** Without the plane's prefix where there is one. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/**
 * The HTTP side of the platform, apart from listening: token exchange, and the Kubernetes API of every plane.
 *
 * @param signal ends open watches
 */
export function createPlatformApp(options: PlatformAppOptions, signal: AbortSignal): FastifyInstance {
  const { directory, bearerTokens, clock, log, limits, groupDomain, kinds } = options;
  const documents = documentsByPlane(kinds);
  const limiter = createRateLimiter({ perSecond: limits.requestsPerSecond, burst: limits.requestBurst });
  const watches = new Map<string, number>();

  const app = fastify({
    ...(options.tls === undefined ? {} : { https: { ...options.tls, minVersion: "TLSv1.2" } }),
    bodyLimit: limits.maxBodyBytes,
    forceCloseConnections: true,
    keepAliveTimeout: 120_000,
    logger: false,
    return503OnClosing: false,
    // A path that cannot be decoded ends up here; everything else is routed below.
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      void refuse(reply, request, "", badRequest("malformed URL")),
  } as { logger: false });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.setErrorHandler((error, request, reply) => refuse(reply, request, pathOf(request), error));
  app.setNotFoundHandler((request, reply) => refuse(reply, request, pathOf(request), methodNotAllowed()));
  app.route({
    method: ["GET", "POST", "PUT", "PATCH", "DELETE"],
    url: "/*",
    handler: handle,
  });
  app.addHook("onResponse", (request, reply, done) => {
    const ms = Math.round(reply.elapsedTime);
    log.debug({ method: request.method, path: pathOf(request), code: reply.statusCode, ms }, "request");
    done();
  });
  return app;

  function pathOf(request: FastifyRequest): string {
    const path = (request.raw.url ?? "/").split("?", 1)[0] ?? "/";
    return parsePlanePath(path, groupDomain)?.path ?? path;
  }

  async function handle(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const [rawPath = "/", rawQuery = ""] = (request.raw.url ?? "/").split(/\?(.*)/s);
    const query = new URLSearchParams(rawQuery);
    const fullPath = decodePath(rawPath);
    const inPlane = parsePlanePath(fullPath, groupDomain);
    const path = inPlane?.path ?? fullPath;
    const incoming: Incoming = { request, reply, method: request.method, path, query };
    if (fullPath === "/healthz" || fullPath === "/livez" || fullPath === "/readyz") {
      return reply.type("text/plain").send("ok");
    }
    limit(request.ip);
    const bearer = bearerOf(request.headers.authorization);
    if (fullPath === exchangePath) return await exchange(incoming, bearer);
    const caller = bearer === undefined ? undefined : await bearerTokens.verify(bearer, clock.nowMs());
    if (caller === undefined) throw forbiddenPath(request.method, path);
    limit(caller.tokenId);
    if (inPlane === undefined) {
      if (!(await directory.isActive(caller))) throw forbiddenPath(request.method, path);
      return replyDocument(incoming, path.startsWith("/api") ? undefined : findDocument("root", incoming));
    }
    const plane = await directory.findPlane(inPlane.type, inPlane.name, caller);
    if (plane === undefined) throw forbiddenPath(request.method, path);
    return await servePlane(incoming, plane, caller);
  }

  function limit(client: string): void {
    const seconds = limiter.take(client, clock.nowMs());
    if (seconds > 0) throw tooManyRequests(seconds, "Too many requests, please try again later.");
  }

  async function exchange({ method, path, reply }: Incoming, token: string | undefined): Promise<unknown> {
    if (method !== "GET") throw forbiddenPath(method, path);
    const caller = token === undefined ? undefined : await directory.callerOf(token);
    if (caller === undefined) throw forbiddenPath(method, path);
    const { text } = await bearerTokens.issue(caller, clock.nowMs());
    log.info({ user: caller.user, token: caller.tokenId }, "a token was exchanged");
    return reply.header("cache-control", "no-store").send({ access_token: text, token_type: "Bearer" });
  }

  function findDocument(which: keyof typeof documents, incoming: Incoming): Document | undefined {
    const { request, method, path, query } = incoming;
    if (method !== "GET") return undefined;
    const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    return documents[which].find(trimmed, query, request.headers.accept, request.headers.host ?? "");
  }

  function replyDocument({ request, reply }: Incoming, document: Document | undefined): unknown {
    if (document === undefined) throw pathNotFound();
    return sendDocument(reply, document, request.headers["if-none-match"]);
  }

  async function servePlane(incoming: Incoming, plane: Plane, caller: Caller): Promise<unknown> {
    const { request, reply, method, path, query } = incoming;
    const document = findDocument(plane.type, incoming);
    if (document !== undefined) return replyDocument(incoming, document);
    const served = kinds.filter(({ planes }) => planes.includes(plane.type));
    const review = reviewOfPath(path);
    if (review !== undefined) {
      if (method !== "POST") throw methodNotAllowed();
      const { value: body } = decodeBody(bodyOf(request), mediaType(request.headers["content-type"]));
      if (!isJsonObject(body)) throw badRequest("the review is not an object");
      return reply.code(201).send(answerReview(review, body, caller, served));
    }
    const resourcePath = parseResourcePath(path);
    const kind = resourcePath === undefined ? undefined : kindOfPath(resourcePath, served);
    if (resourcePath === undefined || kind === undefined) throw pathNotFound();
    const resourceRequest: ResourceRequest = {
      method,
      plane,
      kind,
      path: resourcePath,
      query,
      caller,
      accept: request.headers.accept,
      contentType: request.headers["content-type"],
      userAgent: request.headers["user-agent"] ?? "",
      body: bodyOf(request),
    };
    if (method === "GET" && isTrue(query, "watch") && resourcePath.subresource === undefined) {
      return await watch(incoming, resourceRequest);
    }
    const answer = await handleResource(options, resourceRequest);
    if (method !== "GET") audit(resourceRequest, answer.code);
    return send(reply, answer);
  }

  function audit({ caller, method, plane, kind, path }: ResourceRequest, code: number): void {
    const { namespace, name, subresource } = path;
    const target = {
      plane: `${plane.type}/${plane.name}`,
      resource: kind.plural,
      namespace,
      name,
      subresource,
    };
    log.info({ audit: true, user: caller.user, token: caller.tokenId, method, ...target, code }, "write");
  }

  async function watch({ request, reply, query }: Incoming, resourceRequest: ResourceRequest): Promise<void> {
    const { caller, kind, path } = resourceRequest;
    const form = readForm(resourceRequest.accept, query);
    const watchOptions = readWatchOptions(query, kind, options.random());
    // A watch of one object is a watch of the collection that shows nothing else.
    if (path.name !== undefined) query.set("fieldSelector", `metadata.name=${path.name}`);
    const selection = selectionOf(resourceRequest);
    const open = watches.get(caller.tokenId) ?? 0;
    if (open >= limits.watchesPerToken) throw tooManyRequests(10, "Too many watches for this token.");
    watches.set(caller.tokenId, open + 1);
    const closed = new AbortController();
    // The response's close: the request's comes as soon as its body is read.
    reply.raw.once("close", () => closed.abort());
    reply.hijack();
    request.raw.socket.setNoDelay(true);
    reply.raw.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache" });
    reply.raw.flushHeaders();
    const guard = guardWatch(resourceRequest, closed);
    const unsent = options.unsent.open(() => reply.raw.destroy());
    try {
      const sink = responseSink(reply.raw, unsent);
      await withEither([signal, closed.signal], (either) =>
        serveWatch(options, selection, watchOptions, form, sink, either),
      );
      reply.raw.end();
    } catch (error) {
      if (!signal.aborted && !closed.signal.aborted)
        log.warn({ error: describeError(error) }, "a watch broke off");
      reply.raw.destroy();
    } finally {
      clearInterval(guard);
      unsent.close();
      const left = (watches.get(caller.tokenId) ?? 1) - 1;
      if (left === 0) watches.delete(caller.tokenId);
      else watches.set(caller.tokenId, left);
    }
  }

  /** Ends a watch whose token has been revoked, or whose user is no member any more. */
  function guardWatch({ plane, caller }: ResourceRequest, closed: AbortController): NodeJS.Timeout {
    const check = async (): Promise<void> => {
      const found = await directory.findPlane(plane.type, plane.name, caller);
      if (found?.uid !== plane.uid) closed.abort();
    };
    // A store that is away says nothing about the caller.
    return setInterval(() => void check().catch(() => undefined), options.watchCheckMs);
  }

  function refuse(reply: FastifyReply, request: FastifyRequest, path: string, error: unknown): FastifyReply {
    const { status } = statusOf(error, request, path);
    if (status.details.retryAfterSeconds !== undefined) {
      reply.header("retry-after", String(status.details.retryAfterSeconds));
    }
    return reply.code(status.code).header("content-type", "application/json").send(JSON.stringify(status));
  }

  function statusOf(error: unknown, request: FastifyRequest, path: string): StatusError {
    if (error instanceof StatusError) return error;
    if (error instanceof PlaneGoneError) return forbiddenPath(request.method, path);
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
      return tooLarge(`Request entity too large: limit is ${limits.maxBodyBytes}`);
    }
    if (code.startsWith("FST_ERR_CTP") || code === "FST_ERR_BAD_URL") return badRequest("malformed request");
    if (isStoreAway(error)) {
      log.warn({ error: describeError(error) }, "the store does not answer");
      return unavailable();
    }
    log.error({ error: describeError(error), method: request.method, path }, "a request failed");
    return internalError();
  }
}

function bodyOf(request: FastifyRequest): Buffer {
  return Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw badRequest("malformed URL");
  }
}

function send(reply: FastifyReply, { code, body, warnings = [] }: Answer): unknown {
  reply.code(code).header("content-type", "application/json");
  const headers = warningHeaders(warnings);
  if (headers.length > 0) reply.header("warning", headers);
  if (isIterable(body)) return reply.send(Readable.from(body, { objectMode: false }));
  return reply.send(JSON.stringify(body));
}

function isIterable(body: JsonObject | AsyncIterable<string>): body is AsyncIterable<string> {
  return Symbol.asyncIterator in body;
}

/** The errors of a Redis that is away, hangs, is starting or is full. */
function isStoreAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /timed out|isn't writeable|Connection is closed|max retries|^(LOADING|READONLY|OOM|MISCONF|CLUSTERDOWN)|ECONN|EPIPE|ENOENT/i.test(
    error.message,
  );
}
