import { dashboard, graph, labelVariable, ofJob, quantiles, rate, stat } from "./panels.ts";

const chosen = '{job=~"$job", plane=~"$plane", namespace=~"$namespace", policy=~"$policy", sink=~"$sink"}';
const bySink = "by (namespace, policy, sink)";
const sinkLegend = "{{namespace}}/{{policy}} {{sink}}";

/**
 * The exporter: sinks, their requests, the store they read, the process. In a fleet a sink's series move
 * between replicas.
 */
export function exportsDashboard() {
  return dashboard({
    uid: "telemetryd-exports",
    title: "telemetryd: exports",
    description: "What telemetryd reads, delivers and loses, sink by sink.",
    variables: [
      labelVariable("job", "telemetryd_build_info"),
      labelVariable("plane", "telemetryd_sink_lag_seconds", ofJob),
      labelVariable("namespace", "telemetryd_sink_lag_seconds", '{job=~"$job", plane=~"$plane"}'),
      labelVariable("policy", "telemetryd_sink_lag_seconds", '{job=~"$job", namespace=~"$namespace"}'),
      labelVariable("sink", "telemetryd_sink_lag_seconds", '{job=~"$job", policy=~"$policy"}'),
    ],
    rows: [
      {
        title: "At this moment",
        height: 4,
        panels: [
          stat({
            title: "Sinks",
            description: "Sinks that run.",
            unit: "short",
            queries: { sinks: `count(max ${bySink} (telemetryd_sink_lag_seconds${chosen}))` },
          }),
          stat({
            title: "Longest lag",
            description: "Settled time minus the oldest checkpoint.",
            unit: "s",
            bad: 600,
            queries: { lag: `max(telemetryd_sink_lag_seconds${chosen})` },
          }),
          stat({
            title: "Suspended",
            description: "The endpoint or its credentials are wrong; somebody must act.",
            unit: "short",
            bad: 1,
            queries: { suspended: `sum(telemetryd_sink_suspended${chosen})` },
          }),
          stat({
            title: "Retrying",
            description: "Pausing because the attempts of a request were used up.",
            unit: "short",
            bad: 1,
            queries: { retrying: `sum(telemetryd_sink_retrying${chosen})` },
          }),
          stat({
            title: "Sources failing",
            description: "Sources that could not be read from the store last time.",
            unit: "short",
            bad: 1,
            queries: { failing: `sum(telemetryd_sink_sources_failing${chosen})` },
          }),
          stat({
            title: "Lost",
            description: "Samples in the chosen time that receivers rejected or that were dropped.",
            unit: "short",
            bad: 1,
            queries: {
              lost: `sum(increase(telemetryd_sink_samples_rejected_total${chosen}[$__range])) + sum(increase(telemetryd_sink_samples_dropped_total${chosen}[$__range]))`,
            },
          }),
        ],
      },
      {
        title: "Sinks",
        height: 9,
        panels: [
          graph({
            title: "Lag, the ten longest",
            description: "The one number of a sink: grows when anything is wrong, whatever it is.",
            unit: "s",
            queries: { [sinkLegend]: `topk(10, max ${bySink} (telemetryd_sink_lag_seconds${chosen}))` },
          }),
          graph({
            title: "Delivered, the ten busiest",
            description: "Samples a second that receivers acknowledged.",
            unit: "cps",
            queries: {
              [sinkLegend]: `topk(10, sum ${bySink} (${rate("telemetryd_sink_samples_delivered_total", chosen)}))`,
            },
          }),
        ],
      },
      {
        title: "What does not arrive",
        height: 8,
        panels: [
          graph({
            title: "Rejected",
            description: "Refused for good, or impossible to send.",
            unit: "cps",
            queries: {
              [sinkLegend]: `sum ${bySink} (${rate("telemetryd_sink_samples_rejected_total", chosen)}) > 0`,
            },
          }),
          graph({
            title: "Dropped and repeated",
            description:
              "Dropped: all attempts failed, under onExhausted: drop. Repeated: the receiver had them already.",
            unit: "cps",
            queries: {
              dropped: `sum(${rate("telemetryd_sink_samples_dropped_total", chosen)})`,
              repeated: `sum(${rate("telemetryd_sink_samples_repeated_total", chosen)})`,
            },
          }),
          graph({
            title: "Skipped time",
            description: "Older than delivery.maxBackfill: gaps at the receivers.",
            unit: "s",
            queries: {
              [sinkLegend]: `sum ${bySink} (increase(telemetryd_sink_skipped_seconds_total${chosen}[$__rate_interval])) > 0`,
            },
          }),
        ],
      },
      {
        title: "Late samples",
        height: 8,
        panels: [
          graph({
            title: "Delivered late, the ten busiest",
            description: "Samples a second that reached the store late and were delivered all the same.",
            unit: "cps",
            queries: {
              [sinkLegend]: `topk(10, sum ${bySink} (${rate("telemetryd_sink_samples_late_total", chosen)}) > 0)`,
            },
          }),
          graph({
            title: "Late and not delivered",
            description:
              "Rejected: the receiver takes no late samples. Too late: later than delivery.lateness. Vanished: no longer in the store.",
            unit: "cps",
            queries: {
              rejected: `sum(${rate("telemetryd_sink_samples_late_rejected_total", chosen)})`,
              "too late": `sum(${rate("telemetryd_sink_samples_too_late_total", chosen)})`,
              vanished: `sum(${rate("telemetryd_sink_samples_vanished_total", chosen)})`,
            },
          }),
          graph({
            title: "Time not checked",
            description:
              "The record of what was sent then is gone: late samples of that time are not delivered.",
            unit: "s",
            queries: {
              [sinkLegend]: `sum ${bySink} (increase(telemetryd_sink_unchecked_seconds_total${chosen}[$__rate_interval])) > 0`,
            },
          }),
          graph({
            title: "Checks",
            description:
              "Counts asked of the store, those it did not respond to, and the time spent waiting for it.",
            unit: "short",
            queries: {
              "a second": `sum(${rate("telemetryd_sink_late_checks_total", chosen)})`,
              "failed a second": `sum(${rate("telemetryd_sink_late_check_failures_total", chosen)})`,
              "waiting at the same time": `sum(${rate("telemetryd_sink_late_check_seconds_total", chosen)})`,
            },
          }),
        ],
      },
      {
        title: "Remote write",
        height: 8,
        panels: [
          graph({
            title: "Requests by outcome",
            description: "Each attempt counts.",
            unit: "ops",
            queries: {
              "{{outcome}}": `sum by (outcome) (${rate("telemetryd_remote_write_requests_total")})`,
            },
          }),
          graph({
            title: "Retries by reason",
            description: "Attempts that call for the same request again.",
            unit: "ops",
            queries: { "{{reason}}": `sum by (reason) (${rate("telemetryd_remote_write_retries_total")})` },
          }),
          graph({
            title: "Time of a request",
            description: "From its start to its outcome.",
            unit: "s",
            queries: quantiles("telemetryd_remote_write_request_duration_seconds", 0.5, 0.9, 0.99),
          }),
          graph({
            title: "Sent, and kept as rejected",
            description: "Compressed bodies a second; size of the rejected store.",
            unit: "bytes",
            queries: {
              "sent a second": `sum(${rate("telemetryd_remote_write_sent_bytes_total")})`,
              "rejected store": `sum(telemetryd_rejected_store_bytes${ofJob})`,
            },
          }),
        ],
      },
      {
        title: "The metrics store",
        height: 8,
        panels: [
          graph({
            title: "Reads by outcome",
            description: "Detached: nobody wanted the rest.",
            unit: "ops",
            queries: {
              "{{outcome}}": `sum by (outcome) (${rate("telemetryd_source_reads_total")})`,
              "failed: {{reason}}": `sum by (reason) (${rate("telemetryd_source_read_failures_total")})`,
            },
          }),
          graph({
            title: "Read",
            description: "Samples a second.",
            unit: "cps",
            queries: { samples: `sum(${rate("telemetryd_source_samples_read_total")})` },
          }),
          graph({
            title: "Time of a read",
            description: "From its request to the end of the response.",
            unit: "s",
            queries: quantiles("telemetryd_source_read_duration_seconds", 0.5, 0.99),
          }),
          graph({
            title: "Open and waiting reads",
            description: "metrics.concurrency bounds the open ones.",
            unit: "short",
            queries: {
              open: `sum(telemetryd_source_open_reads${ofJob})`,
              waiting: `sum(telemetryd_source_waiting_reads${ofJob})`,
            },
          }),
        ],
      },
      {
        title: "The process",
        height: 8,
        panels: [
          graph({
            title: "CPU",
            description: "Cores.",
            unit: "short",
            queries: { "{{instance}}": rate("process_cpu_seconds_total") },
          }),
          graph({
            title: "Memory",
            description: "Resident; and what waits to be sent, with its bound.",
            unit: "bytes",
            queries: {
              "resident {{instance}}": `process_resident_memory_bytes${ofJob}`,
              "waiting {{instance}}": `telemetryd_export_memory_bytes${ofJob}`,
              "limit {{instance}}": `telemetryd_export_memory_limit_bytes${ofJob}`,
            },
          }),
          graph({
            title: "Event loop",
            description: "How late timers run; above 0.1 s the process is overloaded.",
            unit: "s",
            queries: { "{{instance}}": `nodejs_eventloop_lag_p99_seconds${ofJob}` },
          }),
          graph({
            title: "Access token failing",
            description: "1 while the control plane's access token cannot be exchanged.",
            unit: "short",
            queries: { "{{instance}}": `telemetryd_control_plane_token_failing${ofJob}` },
          }),
        ],
      },
      {
        title: "Workloads of the projects",
        height: 8,
        panels: [
          graph({
            title: "CPU of workloads",
            description:
              "Cores that the instances of a workload use. Only a provider with an engine measures them.",
            unit: "short",
            queries: {
              "{{project}}/{{workload}}": `sum by (project, workload) (${rate("platform_instance_cpu_seconds_total")})`,
            },
          }),
          graph({
            title: "Memory of workloads",
            description: "Of all instances of a workload; each has at most that of its instance type.",
            unit: "bytes",
            queries: {
              "{{project}}/{{workload}}": `sum by (project, workload) (platform_instance_memory_bytes${ofJob})`,
            },
          }),
          graph({
            title: "Restarts",
            description: "Containers that ended and were started again, a second.",
            unit: "ops",
            queries: {
              "{{project}}/{{workload}}": `sum by (project, workload) (${rate("platform_instance_restarts_total")})`,
            },
          }),
          graph({
            title: "The provider's work",
            description: "Objects that wait for the provider; failing ones are tried again.",
            unit: "short",
            queries: {
              "{{state}}": `sum by (state) (telemetryd_provider_work${ofJob})`,
              "engine responds {{instance}}": `telemetryd_provider_runtime_up${ofJob}`,
            },
          }),
        ],
      },
      {
        title: "HTTP proxies of the projects",
        height: 8,
        panels: [
          graph({
            title: "Requests",
            description: "A second, by the class of the status. 5xx: a backend fails, or cannot be reached.",
            unit: "ops",
            queries: { "{{code}}": `sum by (code) (${rate("platform_gateway_requests_total")}) > 0` },
          }),
          graph({
            title: "Traffic, the ten busiest",
            description: "Bytes a second that clients get.",
            unit: "Bps",
            queries: {
              "{{project}}/{{gateway}}": `topk(10, sum by (project, gateway) (${rate("platform_gateway_sent_bytes_total")}))`,
            },
          }),
          graph({
            title: "Response time, the ten longest",
            description: "Average of the last 1,024 requests, with the backend's time and the client's.",
            unit: "s",
            queries: {
              "{{project}}/{{gateway}}": `topk(10, max by (project, gateway) (platform_gateway_response_seconds${ofJob}))`,
            },
          }),
          graph({
            title: "Open requests, the ten with the most",
            description: "At gateway.limits.requestsPerProxy, further requests get 429.",
            unit: "short",
            queries: {
              "{{project}}/{{gateway}}": `topk(10, max by (project, gateway) (platform_gateway_open_requests${ofJob}))`,
            },
          }),
        ],
      },
      {
        title: "The gateway of each daemon",
        height: 8,
        panels: [
          graph({
            title: "HAProxy",
            description: "Up: it serves the newest programs. Refused programs respond with 503.",
            unit: "short",
            queries: {
              "up {{instance}}": `telemetryd_gateway_up${ofJob}`,
              "refused {{instance}}":
                'max by (instance) (telemetryd_gateway_programs{job=~"$job", state="refused"})',
            },
          }),
          graph({
            title: "Loads",
            description: "New configurations a second; changes within half a second share one.",
            unit: "ops",
            queries: {
              "{{outcome}} {{instance}}": `sum by (outcome, instance) (${rate("telemetryd_gateway_loads_total")})`,
            },
          }),
        ],
      },
    ],
  });
}
