import { dashboard, graph, labelVariable, ofJob, quantile, rate, stat } from "./panels.ts";

const failed = '{job=~"$job", code=~"5.."}';

/** The platform: its API, what is stored, its controllers and its Redis. */
export function platformDashboard() {
  return dashboard({
    uid: "telemetryd-platform",
    title: "telemetryd: platform",
    description: "The control planes' API, quotas, controllers, audit log and Redis.",
    variables: [labelVariable("job", "telemetryd_build_info")],
    rows: [
      {
        title: "At this moment",
        height: 4,
        panels: [
          stat({
            title: "Requests",
            description: "A second, watches apart.",
            unit: "ops",
            queries: { requests: `sum(${rate("apiserver_request_duration_seconds_count")})` },
          }),
          stat({
            title: "Failed",
            description: "Share of the requests that had a 5xx: the platform's fault, or its Redis'.",
            unit: "percentunit",
            bad: 0.01,
            queries: {
              failed: `sum(${rate("apiserver_request_total", failed)}) / sum(${rate("apiserver_request_total")})`,
            },
          }),
          stat({
            title: "Open watches",
            description: "Of all daemons; platform.limits.watches bounds those of each.",
            unit: "short",
            queries: { watches: `sum(apiserver_longrunning_requests${ofJob})` },
          }),
          stat({
            title: "Objects",
            description: "In all control planes.",
            unit: "short",
            // Each daemon counts the same store.
            queries: { objects: `sum(max by (resource) (apiserver_storage_objects${ofJob}))` },
          }),
          stat({
            title: "Fullest quota",
            description: "Of an organization or a project; above 90 % somebody should act.",
            unit: "percentunit",
            bad: 0.9,
            queries: { used: `max(telemetryd_quota_used_ratio${ofJob})` },
          }),
          stat({
            title: "Certificate",
            description: "Time until it expires. Generated ones are renewed 60 days before.",
            unit: "s",
            queries: {
              left: `min(telemetryd_platform_certificate_expiry_timestamp_seconds${ofJob}) - time()`,
            },
          }),
        ],
      },
      {
        title: "The API",
        height: 8,
        panels: [
          graph({
            title: "Requests by verb",
            description: "A second.",
            unit: "ops",
            queries: { "{{verb}}": `sum by (verb) (${rate("apiserver_request_total")})` },
          }),
          graph({
            title: "Errors by code",
            description:
              "A second. 409: writers that conflict; 422: invalid objects; 429: clients over a limit.",
            unit: "ops",
            queries: {
              "{{code}}": `sum by (code) (${rate("apiserver_request_total", '{job=~"$job", code=~"[45].."}')})`,
            },
          }),
          graph({
            title: "Time of a request, 99 %",
            description: "By verb, to the end of the response.",
            unit: "s",
            queries: { "{{verb}}": quantile(0.99, "apiserver_request_duration_seconds", "verb") },
          }),
          graph({
            title: "Requests in progress",
            description: "Watches apart.",
            unit: "short",
            queries: {
              "{{request_kind}}": `sum by (request_kind) (apiserver_current_inflight_requests${ofJob})`,
            },
          }),
        ],
      },
      {
        title: "What is stored",
        height: 8,
        panels: [
          graph({
            title: "Objects, the ten most frequent",
            description: "By resource, counted once a minute.",
            unit: "short",
            queries: { "{{resource}}": `topk(10, max by (resource) (apiserver_storage_objects${ofJob}))` },
          }),
          graph({
            title: "Quotas, the ten fullest",
            description: "Of organizations and projects, from a half on.",
            unit: "percentunit",
            queries: {
              "{{quota}} {{name}} {{resource}}": `topk(10, max by (quota, name, resource) (telemetryd_quota_used_ratio${ofJob}))`,
            },
          }),
          graph({
            title: "Audit events",
            description: "Written and lost, a second.",
            unit: "cps",
            queries: {
              written: `sum(${rate("apiserver_audit_event_total")})`,
              "lost: {{reason}}": `sum by (reason) (${rate("apiserver_audit_error_total")})`,
            },
          }),
        ],
      },
      {
        title: "Controllers and Redis",
        height: 8,
        panels: [
          graph({
            title: "Reconciliations",
            description: "A second, by controller; one daemon at a time has them.",
            unit: "ops",
            queries: {
              "{{controller}}": `sum by (controller) (${rate("controller_runtime_reconcile_total")})`,
              "failed: {{controller}}": `sum by (controller) (${rate("controller_runtime_reconcile_errors_total")}) > 0`,
            },
          }),
          graph({
            title: "Time of a reconciliation, 99 %",
            description: "By controller.",
            unit: "s",
            queries: {
              "{{controller}}": quantile(0.99, "controller_runtime_reconcile_time_seconds", "controller"),
            },
          }),
          graph({
            title: "Queue of the controllers",
            description:
              "Work that is due, and work put back a second. A queue that grows: they do not keep up.",
            unit: "short",
            queries: {
              due: `max(workqueue_depth${ofJob})`,
              "put back a second": `sum(${rate("workqueue_retries_total")})`,
            },
          }),
          graph({
            title: "Round trip to Redis",
            description: "Of pings. Each request takes several.",
            unit: "s",
            queries: { "{{instance}}": quantile(0.99, "telemetryd_redis_round_trip_seconds", "instance") },
          }),
        ],
      },
    ],
  });
}
