import { Counter, Registry } from "prom-client";
import type { RouteName } from "./operations.ts";

/** The end of a webhook delivery. */
export type WebhookResult =
  /** It starts a refresh. */
  | "accepted"
  /** It was accepted before. */
  | "repeated"
  /** It cannot have changed the page. */
  | "ignored"
  | "ping"
  /** The signature is missing or wrong. */
  | "unsigned"
  | "malformed"
  | "too-large"
  | "late"
  /** The client closed the connection. */
  | "aborted"
  | "rate-limited"
  /** Redis was unavailable, or too many bodies were being read. */
  | "unavailable";

/** "other" counts unknown paths and input that never became a request. */
export type RouteLabel = RouteName | "other";

/** The website API's metrics, in a registry of its own. */
export interface ApiMetrics {
  readonly registry: Registry;
  /** On the hot path: one addition. */
  responded(route: RouteLabel, status: number): void;
  webhookEnded(result: WebhookResult): void;
}

export function createApiMetrics(): ApiMetrics {
  const registry = new Registry();
  const counts = new Map<RouteLabel, Map<number, number>>();
  new Counter({
    name: "telemetryd_api_requests_total",
    help: "Responses of the website API, by operation and status code.",
    labelNames: ["operation", "code"],
    registers: [registry],
    collect() {
      this.reset();
      for (const [operation, codes] of counts) {
        for (const [code, count] of codes) this.inc({ operation, code: String(code) }, count);
      }
    },
  });
  const webhooks = new Counter({
    name: "telemetryd_api_webhooks_total",
    help: "Webhook deliveries, by result.",
    labelNames: ["result"],
    registers: [registry],
  });
  return {
    registry,
    webhookEnded: (result) => webhooks.inc({ result }),
    responded(route, status) {
      let codes = counts.get(route);
      if (codes === undefined) {
        codes = new Map();
        counts.set(route, codes);
      }
      codes.set(status, (codes.get(status) ?? 0) + 1);
    },
  };
}
