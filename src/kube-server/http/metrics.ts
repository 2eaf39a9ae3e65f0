import { Counter, type Registry } from "prom-client";
import type { AuditCounts } from "./audit.ts";

/** Metrics of the API, named as a Kubernetes API server names them. */
export interface ApiMetrics {
  readonly audit: AuditCounts;
}

export function createApiMetrics(registry: Registry): ApiMetrics {
  const registers = [registry];
  const events = new Counter({
    name: "apiserver_audit_event_total",
    help: "Audit events that were queued to be written.",
    registers,
  });
  const lost = new Counter({
    name: "apiserver_audit_error_total",
    help: "Audit events that were not written: the log's queue was full, or too many requests had no valid token.",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of ["queue_full", "unauthenticated"]) lost.inc({ reason }, 0);
  return { audit: { written: () => events.inc(), lost: (reason) => lost.inc({ reason }) } };
}
