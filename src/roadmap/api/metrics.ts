import { Counter, Registry } from "prom-client";
import type { OperationName } from "./operations.ts";

/** "other" counts unknown paths and input that never became a request. */
export type RouteLabel = OperationName | "other";

/** The website API's metrics, in a registry of its own. */
export interface ApiMetrics {
  readonly registry: Registry;
  /** On the hot path: one addition. */
  responded(route: RouteLabel, status: number): void;
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
  return {
    registry,
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
