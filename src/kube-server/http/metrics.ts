import type { ServerResponse } from "node:http";
import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { KindDefinition } from "../api/kind.ts";
import type { AuditCounts } from "./audit.ts";
import type { ResourcePath } from "./resource-path.ts";

/** Counts one request until its response is over. */
export interface RequestMetrics {
  /** The request is for a kind that is served. */
  resolved(kind: KindDefinition, path: ResourcePath, verb: string): void;
  /** The response is a watch from now on. */
  watching(): void;
}

/** Metrics of the API, named as a Kubernetes API server names them. */
export interface ApiMetrics {
  readonly audit: AuditCounts;
  begin(method: string, response: ServerResponse): RequestMetrics;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const aboutResource = ["verb", "group", "version", "resource", "subresource", "scope"] as const;
type About = Record<(typeof aboutResource)[number], string>;

/** Kubernetes' metrics name the verbs of writes by the methods. */
const verbNames: Readonly<Record<string, string>> = { create: "POST", update: "PUT" };
const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]);

export function createApiMetrics(registry: Registry): ApiMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: "apiserver_request_total",
    help: "Requests to the control planes whose response is over; code 0: the client left before it began.",
    labelNames: [...aboutResource, "code"],
    registers,
  });
  const durations = new Histogram({
    name: "apiserver_request_duration_seconds",
    help: "From the head of a request to the end of its response; watches apart.",
    labelNames: aboutResource,
    buckets,
    registers,
  });
  const inflight = new Gauge({
    name: "apiserver_current_inflight_requests",
    help: "Requests without a complete response; watches apart.",
    labelNames: ["request_kind"],
    registers,
  });
  const watches = new Gauge({
    name: "apiserver_longrunning_requests",
    help: "Open watches.",
    labelNames: aboutResource,
    registers,
  });
  const events = new Counter({
    name: "apiserver_audit_event_total",
    help: "Audit events that were queued to be written.",
    registers,
  });
  const lost = new Counter({
    name: "apiserver_audit_error_total",
    help: "Audit events not written: the log's queue was full, or too many requests had no valid token.",
    labelNames: ["reason"],
    registers,
  });
  for (const reason of ["queue_full", "unauthenticated"]) lost.inc({ reason }, 0);
  for (const request_kind of ["mutating", "readOnly"]) inflight.set({ request_kind }, 0);

  return {
    audit: { written: () => events.inc(), lost: (reason) => lost.inc({ reason }) },
    begin(method, response) {
      const startMs = performance.now();
      const request_kind = method === "GET" || method === "HEAD" ? "readOnly" : "mutating";
      const none = { group: "", version: "", resource: "", subresource: "", scope: "" };
      let about: About = { ...none, verb: methods.has(method) ? method : "other" };
      let isWatch = false;
      inflight.inc({ request_kind });
      response.once("close", () => {
        if (isWatch) watches.dec(about);
        else {
          inflight.dec({ request_kind });
          durations.observe(about, (performance.now() - startMs) / 1_000);
        }
        requests.inc({ ...about, code: String(response.headersSent ? response.statusCode : 0) });
      });
      return {
        resolved(
          { group, version, plural, statusSubresource, logs },
          { namespace, name, subresource },
          verb,
        ) {
          const isStatus = statusSubresource && subresource === "status";
          const isLog = logs !== undefined && subresource === "log";
          const scopeOfMany = namespace === undefined ? "cluster" : "namespace";
          about = {
            verb: verbNames[verb] ?? verb.toUpperCase(),
            group,
            version,
            resource: plural,
            // A subresource that is not served is a client's text.
            subresource: isStatus ? "status" : isLog ? "log" : "",
            scope: name === undefined ? scopeOfMany : "resource",
          };
        },
        watching() {
          isWatch = true;
          inflight.dec({ request_kind });
          watches.inc(about);
        },
      };
    },
  };
}
