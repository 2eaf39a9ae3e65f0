import type { IncomingHttpHeaders } from "node:http";
import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { FastifyAdapter } from "@bull-board/fastify";
import type { Queue } from "bullmq";
import type { FastifyInstance, FastifyPluginAsync } from "fastify";
import { parseUrl } from "../../base/core/url.ts";
import { queuesPath } from "./app.ts";

export interface QueueDashboard {
  readonly queues: readonly Queue[];
  /** `ops.dashboard: write`; otherwise the dashboard is read-only. */
  readonly isWritable: boolean;
}

/**
 * Bull Board under {@link queuesPath}: the queues' jobs and, if writable, buttons to retry, remove and pause.
 * Must be registered with that prefix.
 */
export function queueDashboard({ queues, isWritable }: QueueDashboard): FastifyPluginAsync {
  return async (scope: FastifyInstance) => {
    scope.addHook("onRequest", async (request, reply) => {
      reply.header("content-security-policy", boardPolicy);
      if (request.method === "GET" || request.method === "HEAD") return;
      if (isWritable && isOwnPage(request.headers)) return;
      await reply.code(403).type("text/plain; charset=utf-8").send("the queues are read-only here\n");
    });
    const adapter = new FastifyAdapter().setBasePath(queuesPath);
    createBullBoard({
      queues: queues.map((queue) => new BullMQAdapter(queue, { readOnlyMode: !isWritable })),
      serverAdapter: adapter,
      options: { uiConfig: { boardTitle: "telemetryd queues", hideRedisDetails: true } },
    });
    await scope.register(adapter.registerPlugin());
  };
}

/**
 * CSRF protection: a page of another site must not press the buttons. Every browser sends the request's
 * origin in Origin; newer ones also send Sec-Fetch-Site to trustworthy addresses.
 */
function isOwnPage(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  if (site !== undefined) return site === "same-origin";
  const { origin = "", host = "" } = headers;
  const from = parseUrl(origin);
  if (from === undefined || from.host === "") return false;
  // Origin omits the scheme's default port.
  return parseUrl(`${from.protocol}//${host}`)?.host === from.host;
}

/** Bull Board needs its script, inline styles and a `base` tag; external fonts are blocked. */
const boardPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");
