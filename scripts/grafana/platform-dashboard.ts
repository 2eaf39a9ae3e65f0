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
            queries: [
              { expr: `sum(${rate("apiserver_request_duration_seconds_count")})`, legend: "requests" },
            ],
          }),
          stat({
            title: "Failed",
            description: "Share of the requests that had a 5xx: the platform's fault, or its Redis'.",
            unit: "percentunit",
            bad: 0.01,
            queries: [
              {
                expr: `sum(${rate("apiserver_request_total", failed)}) / sum(${rate("apiserver_request_total")})`,
                legend: "failed",
              },
            ],
          }),
          stat({
            title: "Open watches",
            description: "Of all daemons; platform.limits.watches bounds those of each.",
            unit: "short",
            queries: [{ expr: `sum(apiserver_longrunning_requests${ofJob})`, legend: "watches" }],
          }),
          stat({
            title: "Objects",
            description: "In all control planes.",
            unit: "short",
            // Each daemon counts the same store.
            queries: [
              { expr: `sum(max by (resource) (apiserver_storage_objects${ofJob}))`, legend: "objects" },
            ],
          }),
          stat({
            title: "Fullest quota",
            description: "Of an organization or a project; above 90 % somebody should act.",
            unit: "percentunit",
            bad: 0.9,
            queries: [{ expr: `max(telemetryd_quota_used_ratio${ofJob})`, legend: "used" }],
          }),
          stat({
            title: "Certificate",
            description: "Time until it expires. Generated ones are renewed 60 days before.",
            unit: "s",
            queries: [
              {
                expr: `min(telemetryd_platform_certificate_expiry_timestamp_seconds${ofJob}) - time()`,
                legend: "left",
              },
            ],
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
            queries: [{ expr: `sum by (verb) (${rate("apiserver_request_total")})`, legend: "{{verb}}" }],
          }),
          graph({
            title: "Errors by code",
            description:
              "A second. 409: writers that conflict; 422: invalid objects; 429: clients over a limit.",
            unit: "ops",
            queries: [
              {
                expr: `sum by (code) (${rate("apiserver_request_total", '{job=~"$job", code=~"[45].."}')})`,
                legend: "{{code}}",
              },
            ],
          }),
          graph({
            title: "Time of a request, 99 %",
            description: "By verb, to the end of the response.",
            unit: "s",
            queries: [
              { expr: quantile(0.99, "apiserver_request_duration_seconds", "verb"), legend: "{{verb}}" },
            ],
          }),
          graph({
            title: "Requests in progress",
            description: "Watches apart.",
            unit: "short",
            queries: [
              {
                expr: `sum by (request_kind) (apiserver_current_inflight_requests${ofJob})`,
                legend: "{{request_kind}}",
              },
            ],
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
            queries: [
              {
                expr: `topk(10, max by (resource) (apiserver_storage_objects${ofJob}))`,
                legend: "{{resource}}",
              },
            ],
          }),
          graph({
            title: "Quotas, the ten fullest",
            description: "Of organizations and projects, from a half on.",
            unit: "percentunit",
            queries: [
              {
                expr: `topk(10, max by (quota, name, resource) (telemetryd_quota_used_ratio${ofJob}))`,
                legend: "{{quota}} {{name}} {{resource}}",
              },
            ],
          }),
          graph({
            title: "Audit events",
            description: "Written and lost, a second.",
            unit: "cps",
            queries: [
              { expr: `sum(${rate("apiserver_audit_event_total")})`, legend: "written" },
              {
                expr: `sum by (reason) (${rate("apiserver_audit_error_total")})`,
                legend: "lost: {{reason}}",
              },
            ],
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
            queries: [
              {
                expr: `sum by (controller) (${rate("controller_runtime_reconcile_total")})`,
                legend: "{{controller}}",
              },
              {
                expr: `sum by (controller) (${rate("controller_runtime_reconcile_errors_total")}) > 0`,
                legend: "failed: {{controller}}",
              },
            ],
          }),
          graph({
            title: "Time of a reconciliation, 99 %",
            description: "By controller.",
            unit: "s",
            queries: [
              {
                expr: quantile(0.99, "controller_runtime_reconcile_time_seconds", "controller"),
                legend: "{{controller}}",
              },
            ],
          }),
          graph({
            title: "Queue of the controllers",
            description:
              "Work that is due, and work put back a second. A queue that grows: they do not keep up.",
            unit: "short",
            queries: [
              { expr: `max(workqueue_depth${ofJob})`, legend: "due" },
              { expr: `sum(${rate("workqueue_retries_total")})`, legend: "put back a second" },
            ],
          }),
          graph({
            title: "Round trip to Redis",
            description: "Of pings. Each request takes several.",
            unit: "s",
            queries: [
              {
                expr: quantile(0.99, "telemetryd_redis_round_trip_seconds", "instance"),
                legend: "{{instance}}",
              },
            ],
          }),
        ],
      },
    ],
  });
}
