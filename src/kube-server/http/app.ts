import type { RequestListener } from "node:http";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { defined } from "../../base/core/defined.ts";
import { describeError } from "../../base/core/errors.ts";
import { isHttp2 } from "../../base/net/host.ts";
import { discardBody, hasUnreadBody, isShortBody } from "../../base/net/request-body.ts";
import type { RedisOutage } from "../../base/redis/pulse.ts";
import type { Caller, PlaneAccess } from "../access/directory.ts";
import { isJsonObject, type JsonObject } from "../api/object.ts";
import { parsePlanePath } from "../api/plane.ts";
import { readBoolean } from "../api/query-values.ts";
import {
  badRequest,
  forbiddenPath,
  internalError,
  methodNotAllowed,
  PlaneGoneError,
  pathNotFound,
  readMethods,
  StatusError,
  unavailable,
} from "../api/status.ts";
import { decodeBody } from "../encoding/body.ts";
import type { Resources } from "../resources/resources.ts";
import { nameOf, readForm } from "./api-response.ts";
import { type Attempt, type AuditSink, createAudit, resourceVerb } from "./audit.ts";
import { sendDocument } from "./document-reply.ts";
import { type ApiDescription, type Document, documentsByPlane } from "./documents.ts";
import type { Drain } from "./drain.ts";
import { contentTypeOf, encode, encodingOf, failureType } from "./encoding.ts";
import { createGate, type Entry, type GateOptions, healthPaths } from "./gate.ts";
import { healthReport } from "./health-report.ts";
import { ListRoom } from "./list-room.ts";
import { createLogServer, type LogServerOptions } from "./log-server.ts";
import type { ApiMetrics, RequestMetrics } from "./metrics.ts";
import { mediaType } from "./negotiate.ts";
import type { ResourceRequest } from "./request.ts";
import { acceptAnyContentType, bodyOf, readBody } from "./request-body.ts";
import { handleResource } from "./resource-handler.ts";
import { kindOfPath, parseResourcePath } from "./resource-path.ts";
import { sendResponse } from "./response.ts";
import { reviewOfPath, reviewResponse } from "./reviews.ts";
import { checkRole } from "./role-check.ts";
import { createHttpsServer, type HttpsServer, type ServerOptions } from "./server.ts";
import { isStoreUnavailable } from "./store-outage.ts";
import { warningHeaders } from "./warnings.ts";
import { createWatchServer, type WatchServerOptions } from "./watch-server.ts";

export interface ApiAppOptions
  extends ApiDescription,
    GateOptions,
    WatchServerOptions,
    LogServerOptions,
    ServerOptions {
  readonly resources: Resources;
  /** Receives the audit events; absent: there are none. */
  readonly audit?: AuditSink | undefined;
  readonly metrics: ApiMetrics;
  /** Undefined while the store responds. */
  outage(): RedisOutage | undefined;
}

/** In a longer outage, requests fail at once: clients repeat one ten times where they are asked to. */
const briefOutageMs = 10_000;

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

/** A request as seen by the handlers below. */
interface Incoming extends Entry {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly method: string;
}

/**
 * The platform's HTTP application, without the listener: token exchange, and the Kubernetes API of every
 * plane.
 *
 * The gate decides by a request's head alone; the body is read only for admitted requests.
 *
 * @param drain moves requests to other servers until the application is closed
 * @param signal closes open watches
 */
export function createApiApp(options: ApiAppOptions, drain: Drain, signal: AbortSignal): FastifyInstance {
  const { bearerTokens, clock, log, limits, groupDomain, kinds } = options;
  const documents = documentsByPlane(options);
  const gate = createGate(options);
  const watches = createWatchServer(options, signal);
  const logs = createLogServer(options, signal);
  const listRoom = new ListRoom();
  const entries = new WeakMap<FastifyRequest, Entry>();
  const attempts = new WeakMap<FastifyRequest, Attempt>();
  const counted = new WeakMap<FastifyRequest, RequestMetrics>();
  const record =
    options.audit &&
    createAudit({
      groupDomain,
      kinds,
      sink: options.audit,
      counts: options.metrics.audit,
      nowMs: () => clock.nowMs(),
    });
  let https: HttpsServer | undefined;

  const app = fastify({
    serverFactory: (handler: RequestListener) => {
      https = createHttpsServer(options, handler, drain);
      return https.server;
    },
    // The server installs its own.
    clientErrorHandler: () => undefined,
    logger: false,
    return503OnClosing: false,
    // Undecodable paths end up here; all others are routed below.
    frameworkErrors: (_error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      void sendError(reply, request, badRequest("malformed URL")),
  } as { logger: false });
  app.addHook("preClose", async () => https?.closeConnections());
  app.addHook("onRequest", async (request, reply) => {
    const attempt = attemptOf(request);
    counted.set(request, options.metrics.begin(request.method, reply.raw));
    acceptAnyContentType(request);
    const identified = (caller: Caller): void => {
      attempt.caller = caller;
    };
    entries.set(request, await gate.enter(request.raw, reply.raw, identified));
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", async (request: FastifyRequest) => {
    const entry = entryOf(request);
    return await readBody(request.raw, limits, entry.holdBody, entry.invite);
  });
  app.setErrorHandler((error, request, reply) => sendError(reply, request, error));
  app.setNotFoundHandler((request, reply) => sendError(reply, request, methodNotAllowed(methods)));
  app.route({ method: [...methods], url: "/*", handler: handle });
  app.addHook("onSend", async (_request, reply) => {
    reply.raw.setTimeout(limits.unreadMs, () => reply.raw.destroy());
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
    const entry = entryOf(request);
    // Node.js omits the body of a response to HEAD.
    const method = request.method === "HEAD" ? "GET" : request.method;
    const incoming: Incoming = { ...entry, request, reply, method };
    const { destination } = entry;
    switch (destination.to) {
      case "health":
        return sendHealth(incoming);
      case "exchange":
        return await exchange(incoming, destination.caller);
      case "root":
        return replyDocument(
          incoming,
          entry.path.startsWith("/api") ? undefined : findDocument("root", incoming),
        );
      case "plane":
        return await servePlane(incoming, destination, destination.caller);
    }
  }

  /** The gate either throws or sets the entry, so a handler always finds one. */
  function entryOf(request: FastifyRequest): Entry {
    const entry = entries.get(request);
    if (entry === undefined) throw internalError();
    return entry;
  }

  /** Also of a request whose URL cannot be decoded, which passes no hook. */
  function attemptOf(request: FastifyRequest): Attempt {
    const attempt = attempts.get(request) ?? {
      request: request.raw,
      receivedMs: clock.nowMs(),
      isRecorded: false,
    };
    attempts.set(request, attempt);
    return attempt;
  }

  async function exchange({ request, reply }: Incoming, caller: Caller): Promise<unknown> {
    const text = await bearerTokens.issue(caller, clock.nowMs());
    record?.(attemptOf(request), { code: 200 });
    const body = { access_token: text, token_type: "Bearer" };
    return reply
      .headers({ "content-type": "application/json", "cache-control": "no-store" })
      .send(Buffer.from(JSON.stringify(body)));
  }

  function findDocument(which: keyof typeof documents, incoming: Incoming): Document | undefined {
    const { request, method, path, query } = incoming;
    const trimmed = path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
    const accept = method === "GET" ? request.headers.accept : undefined;
    const document = documents[which].find(trimmed, query, accept, request.headers.host ?? "");
    if (document !== undefined && method !== "GET") throw methodNotAllowed(readMethods);
    return document;
  }

  function sendHealth({ reply, path, query }: Incoming): unknown {
    const isResponding = options.outage() === undefined;
    const isStopping = drain.stopping.aborted;
    const { code, text } = healthReport(path.slice(1), isResponding, isStopping, query.has("verbose"));
    return reply
      .code(code)
      .headers({ "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache" })
      .send(text);
  }

  async function replyDocument(incoming: Incoming, document: Document | undefined): Promise<unknown> {
    const { request, reply, path, query } = incoming;
    if (document === undefined) throw pathNotFound();
    const isPlain = isDiscovery(path) && document.contentType === "application/json";
    const encoding = isPlain ? readForm({ query, ...clientOf(request) }).encoding : "json";
    return await sendDocument(request, reply, document, encoding);
  }

  async function servePlane(incoming: Incoming, access: PlaneAccess, caller: Caller): Promise<unknown> {
    const { plane, role } = access;
    const { request, reply, method, path, query } = incoming;
    const contentType = request.raw.headers["content-type"];
    if (healthPaths.includes(path) && method === "GET") return sendHealth(incoming);
    const document = findDocument(plane.type, incoming);
    if (document !== undefined) return await replyDocument(incoming, document);
    const served = kinds.filter(({ planes }) => planes.includes(plane.type));
    const review = reviewOfPath(path);
    if (review !== undefined) {
      if (method !== "POST") throw methodNotAllowed(["POST"]);
      const { value: body } = decodeBody(bodyOf(request), mediaType(contentType));
      if (!isJsonObject(body)) throw badRequest("the review is not an object");
      const { encoding } = readForm({ query, ...clientOf(request) });
      record?.(attemptOf(request), { code: 201 });
      return await sendResponse(request, reply, {
        code: 201,
        body: reviewResponse(review, body, { ...caller, role }, served),
        encoding,
      });
    }
    const resourcePath = parseResourcePath(path);
    const kind = resourcePath === undefined ? undefined : kindOfPath(resourcePath, served);
    if (resourcePath === undefined || kind === undefined) throw pathNotFound();
    const verb = resourceVerb(method, resourcePath, query);
    counted.get(request)?.resolved(kind, resourcePath, verb);
    const resourceRequest: ResourceRequest = {
      method,
      plane,
      kind,
      path: resourcePath,
      query,
      caller,
      role,
      ...clientOf(request),
      contentType,
      body: bodyOf(request),
      onOver: incoming.onOver,
    };
    checkRole(resourceRequest, verb);
    const beginStream = (): void => {
      record?.(attemptOf(request), { code: 200 });
      counted.get(request)?.watching();
      reply.hijack();
    };
    if (kind.logs !== undefined && resourcePath.subresource === "log") {
      if (request.method !== "GET") {
        const taken = await logs.take(resourceRequest);
        record?.(attemptOf(request), { code: taken.code });
        return await sendResponse(request, reply, taken);
      }
      await logs.serve(resourceRequest, reply.raw, incoming, beginStream);
      return;
    }
    if (
      request.method === "GET" &&
      readBoolean(query, "watch") === true &&
      resourcePath.subresource === undefined
    ) {
      await watches.serve(resourceRequest, reply.raw, incoming, beginStream);
      return;
    }
    const response = await handleResource({ ...options, listRoom }, resourceRequest);
    const place = { plane, resource: resourcePath };
    record?.(attemptOf(request), { code: response.code, name: nameOf(response), place });
    return await sendResponse(request, reply, response);
  }

  function sendError(reply: FastifyReply, request: FastifyRequest, error: unknown): FastifyReply {
    const { status, allowed, warnings } = statusOf(error, request);
    const { code, reason, details } = status;
    record?.(attemptOf(request), { code, reason, name: details?.name });
    const client = clientOf(request);
    const query = new URLSearchParams((request.raw.url ?? "").split(/\?(.*)/s)[1]);
    const encoding = encodingOf(failureType(client.accept), query, client.userAgent);
    const bytes = Buffer.from(encode(status as unknown as JsonObject, encoding));
    const retryAfterSeconds = status.details?.retryAfterSeconds;
    const headers = defined({
      "content-type": contentTypeOf(encoding),
      "cache-control": "no-cache, private",
      "content-length": String(bytes.length),
      allow: allowed.length === 0 ? undefined : allowed.join(", "),
      "retry-after": retryAfterSeconds?.toString(),
      warning: warnings.length === 0 ? undefined : warningHeaders(warnings).join(", "),
    });
    if (isHttp2(request.raw))
      return reply.removeHeader("connection").code(status.code).headers(headers).send(bytes);
    // A client that is to come again keeps its connection: a TLS handshake would cost more than the body.
    const isKept = !hasUnreadBody(request.raw) || (status.code === 429 && isShortBody(request.raw));
    if (isKept) return reply.code(status.code).headers(headers).send(bytes);
    // The rest of the body stays unread, so the connection cannot be reused.
    reply.hijack();
    reply.raw.writeHead(status.code, { ...headers, connection: "close" });
    reply.raw.write(bytes);
    void discardBody(request.raw).then(() => reply.raw.end());
    return reply;
  }

  function statusOf(error: unknown, request: FastifyRequest): StatusError {
    const path = pathOf(request);
    if (error instanceof StatusError) return error;
    if (error instanceof PlaneGoneError) return forbiddenPath(request.method, path);
    const code = error instanceof Error && "code" in error ? String(error.code) : "";
    if (code.startsWith("FST_ERR_CTP") || code === "FST_ERR_BAD_URL") return badRequest("malformed request");
    if (isStoreUnavailable(error)) {
      log.warn({ error: describeError(error) }, "the store does not respond");
      const outage = options.outage();
      return unavailable(outage === undefined || clock.nowMs() - outage.sinceMs < briefOutageMs);
    }
    log.error({ error: describeError(error), method: request.method, path }, "a request failed");
    return internalError();
  }
}

/** Discovery documents, which are also available as YAML. */
function isDiscovery(path: string): boolean {
  return path === "/api" || path === "/apis" || path.startsWith("/api/") || path.startsWith("/apis/");
}

function clientOf({ headers }: FastifyRequest): { accept: string | undefined; userAgent: string } {
  return { accept: headers.accept, userAgent: headers["user-agent"] ?? "" };
}
