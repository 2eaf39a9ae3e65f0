import { createHash } from "node:crypto";
import Fastify, { type FastifyInstance, type FastifyPluginAsync } from "fastify";
import { Registry } from "prom-client";
import { describeError } from "../../base/core/errors.ts";
import type { Logger } from "../../base/log/log.ts";
import { namesOneHost } from "../../base/net/host.ts";
import type { DaemonStatus } from "../../exporter/policy/status/status-view.ts";
import type { RejectedFolder } from "../../exporter/remote-write/rejected/rejected-access.ts";
import { debugPath, debugRoutes } from "./debug-routes.ts";
import { isKnownHost } from "./known-host.ts";
import { pageScript } from "./page/page-script.ts";
import { pageStyle } from "./page/page-style.ts";
import type { Readiness } from "./page/readiness.ts";
import { parseStatusQuery } from "./page/sink-list.ts";
import { livePart, type PageView, statusPage } from "./page/status-page.ts";
import { plain } from "./plain-reply.ts";
import { rejectedPath, rejectedRoutes } from "./rejected-routes.ts";
import { Scrapes } from "./scrape.ts";
import { type TapInput, tapPath, tapRoutes } from "./tap-routes.ts";

/** Path of the queue dashboard. */
export const queuesPath = "/queues";

/**
 * Data sources of the ops address. Everything is pulled on request; all of it must be cheap and in memory.
 */
export interface OpsInput {
  status(): DaemonStatus;
  readiness(): Readiness;
  /** Degraded parts, as in the status: probes read only this, at no cost per policy. */
  degraded(): readonly string[];
  /** One per component; each metric name occurs in one of them only. */
  readonly registries: readonly Registry[];
  /** The sinks' series, as in {@link ScrapeInput.pieces}; absent when nothing is exported. */
  readonly pieces?: (() => Iterable<string>) | undefined;
  /** For `telemetryd rejected`; absent when nothing is exported. */
  readonly rejected?: RejectedFolder | undefined;
  /** For `telemetryd tap`; absent when nothing is exported. */
  readonly tap?: TapInput | undefined;
  /** The queue dashboard; absent when the daemon has no queues. */
  readonly dashboard?: FastifyPluginAsync | undefined;
  /** The host of `ops.listen`, and `ops.hosts`: accepted host names. */
  readonly listenHost: string;
  readonly hosts: readonly string[];
  /** Wall-clock time, ms. */
  nowMs(): number;
  readonly log: Logger;
}

/** The ops address without a socket: tests inject requests, {@link OpsServer} listens. */
export function buildOpsApp(input: OpsInput): FastifyInstance {
  const app = Fastify({
    logger: false,
    // A slow client must not delay a shutdown.
    requestTimeout: 5_000,
    bodyLimit: 1_024,
  });
  const names = new Set(input.hosts.map((name) => name.toLowerCase()));
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(securityHeaders);
    const { headers, url = "" } = request.raw;
    if (!namesOneHost(request.raw)) return plain(reply, 400, "the request must have one Host header\n");
    // Health checks may use any host name; they reveal nothing.
    if (healthPaths.has(url) || isKnownHost(headers.host, input.listenHost, names)) return;
    return plain(reply, 421, unknownHost);
  });
  app.setNotFoundHandler((_, reply) => plain(reply, 404, "not found\n"));
  app.setErrorHandler((error, request, reply) => {
    input.log.error({ url: request.url, error: describeError(error) }, "a request to the ops address failed");
    // Fastify's own errors (malformed request, unknown method) carry their status; any other is a 500.
    const statusCode = statusOf(error);
    return plain(
      reply,
      statusCode,
      statusCode < 500 ? "bad request\n" : "internal error; the log says more\n",
    );
  });

  const scrapes = new Scrapes({ registries: input.registries, pieces: input.pieces ?? (() => []) });
  app.get("/metrics", async (request, reply) => {
    const gone = new AbortController();
    reply.raw.once("close", () => gone.abort());
    const body = await scrapes.body(request.ip, gone.signal).catch(() => undefined);
    // The client disconnected while waiting for its turn.
    if (body === undefined) return reply.hijack();
    return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(body);
  });
  app.register(debugRoutes(input.log), { prefix: debugPath });
  if (input.rejected !== undefined) app.register(rejectedRoutes(input.rejected), { prefix: rejectedPath });
  if (input.tap !== undefined) app.register(tapRoutes(input.tap), { prefix: tapPath });
  if (input.dashboard !== undefined) app.register(input.dashboard, { prefix: queuesPath });
  app.get("/healthz", async (_, reply) => plain(reply, 200, "ok\n"));
  app.get("/readyz", async (_, reply) => {
    const { ready, reasons } = input.readiness();
    const others = input.degraded().filter((reason) => !reasons.includes(reason));
    const degraded = others.map((reason) => `degraded: ${reason}\n`);
    const lines = reasons.map((reason) => `not ready: ${reason}\n`);
    return plain(
      reply,
      ready ? 200 : 503,
      [ready ? "ready\n" : "not ready\n", ...lines, ...degraded].join(""),
    );
  });
  app.get("/api/v1/status", async () => input.status());
  app.get("/", async (request, reply) => {
    reply.type("text/html; charset=utf-8").header("content-security-policy", pagePolicy);
    return statusPage(pageView(input, request.query));
  });
  app.get("/live", async (request, reply) => {
    reply.type("text/html; charset=utf-8");
    return livePart(pageView(input, request.query)).markup;
  });
  return app;
}

function pageView(input: OpsInput, query: unknown): PageView {
  return {
    status: input.status(),
    readiness: input.readiness(),
    query: parseStatusQuery(query as Record<string, unknown>),
    nowMs: input.nowMs(),
    hasQueues: input.dashboard !== undefined,
  };
}

const healthPaths: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);
const unknownHost =
  "telemetryd does not respond to the host name of this request; the configuration's ops.hosts lists the names that it responds to\n";

function statusOf(error: unknown): number {
  const statusCode =
    typeof error === "object" && error !== null && "statusCode" in error ? error.statusCode : 500;
  return typeof statusCode === "number" && statusCode >= 400 && statusCode < 500 ? statusCode : 500;
}

const securityHeaders = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Allows only the page's own style and script, by hash: injected markup could not run. */
const pagePolicy = [
  "default-src 'none'",
  `style-src '${hashOf(pageStyle)}'`,
  `script-src '${hashOf(pageScript)}'`,
  "connect-src 'self'",
  "img-src data:",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
