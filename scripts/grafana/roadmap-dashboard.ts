import { dashboard, graph, labelVariable, ofJob, quantile, rate, stat } from "./panels.ts";

/** The roadmap's cache, its refreshes through the queue, and the website API. */
export function roadmapDashboard() {
  return dashboard({
    uid: "telemetryd-roadmap",
    title: "telemetryd: roadmap and queues",
    description: "How fresh the roadmap is, what its refreshes do, and how the website API responds.",
    variables: [labelVariable("job", "telemetryd_build_info")],
    rows: [
      {
        title: "At this moment",
        height: 4,
        panels: [
          stat({
            title: "Age of the backlog",
            description: "Since a refresh last succeeded, in any replica.",
            unit: "s",
            bad: 7200,
            queries: { age: `time() - max(telemetryd_roadmap_last_success_timestamp_seconds${ofJob} > 0)` },
          }),
          stat({
            title: "Items",
            description: "In the cached backlog.",
            unit: "short",
            // Every replica shows the same cache.
            queries: { items: `sum(max by (status) (telemetryd_roadmap_items${ofJob}))` },
          }),
          stat({
            title: "Refreshing",
            description: "1 while a refresh is in flight; in the whole fleet there is one at a time.",
            unit: "short",
            queries: { refreshing: `max(telemetryd_roadmap_refreshing${ofJob})` },
          }),
          stat({
            title: "Replicas",
            description: "Daemons that are scraped.",
            unit: "short",
            queries: { replicas: `count(telemetryd_build_info${ofJob})` },
          }),
        ],
      },
      {
        title: "Refreshes",
        height: 8,
        panels: [
          graph({
            title: "Refreshes by result",
            description: "Unchanged: the board was asked, and nothing had changed.",
            unit: "short",
            queries: {
              "{{result}}": `sum by (result) (increase(telemetryd_roadmap_refreshes_total${ofJob}[$__rate_interval]))`,
            },
          }),
          graph({
            title: "Failures by kind",
            description: "The last backlog goes on being served.",
            unit: "short",
            queries: {
              "{{kind}}": `sum by (kind) (increase(telemetryd_roadmap_refresh_failures_total${ofJob}[$__rate_interval]))`,
            },
          }),
          graph({
            title: "Time of a refresh",
            description: "The slowest of ten, and the average.",
            unit: "s",
            queries: {
              "90 %": quantile(0.9, "telemetryd_roadmap_refresh_duration_seconds"),
              average: `sum(${rate("telemetryd_roadmap_refresh_duration_seconds_sum")}) / sum(${rate("telemetryd_roadmap_refresh_duration_seconds_count")})`,
            },
          }),
        ],
      },
      {
        title: "The backlog",
        height: 8,
        panels: [
          graph({
            title: "Items by status",
            description: "As the page shows them.",
            unit: "short",
            queries: { "{{status}}": `max by (status) (telemetryd_roadmap_items${ofJob})` },
          }),
          graph({
            title: "Unreadable cache entries",
            description: "Thrown away and fetched again.",
            unit: "short",
            queries: {
              entries: `sum(increase(telemetryd_roadmap_invalid_entries_total${ofJob}[$__rate_interval]))`,
            },
          }),
        ],
      },
      {
        title: "Queues",
        height: 8,
        panels: [
          graph({
            title: "Jobs by state",
            description: "Of all replicas together; many that wait call for more replicas.",
            unit: "short",
            // Every replica reports the same value.
            queries: { "{{queue}} {{state}}": `max by (queue, state) (bullmq_job_count${ofJob}) > 0` },
          }),
          graph({
            title: "Jobs completed",
            description:
              "A second, in all replicas. Export cycles, where the schedule is the queue, and refreshes.",
            unit: "ops",
            queries: { "{{queue}}": `max by (queue) (${rate("bullmq_job_completed_total")})` },
          }),
          graph({
            title: "Jobs failed",
            description:
              "A second, in all replicas. A cycle whose receiver is away does not fail; these are faults.",
            unit: "ops",
            queries: { "{{queue}}": `max by (queue) (${rate("bullmq_job_failed_total")})` },
          }),
        ],
      },
      {
        title: "Website API",
        height: 8,
        panels: [
          graph({
            title: "Responses by status code",
            description: "429: a client is over its rate limit.",
            unit: "ops",
            queries: { "{{code}}": `sum by (code) (${rate("telemetryd_api_requests_total")})` },
          }),
          graph({
            title: "Responses by operation",
            description: "What is asked for.",
            unit: "ops",
            queries: { "{{operation}}": `sum by (operation) (${rate("telemetryd_api_requests_total")})` },
          }),
        ],
      },
    ],
  });
}
