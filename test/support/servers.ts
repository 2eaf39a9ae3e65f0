/**
 * The real servers for tests, found and started by the same code as in the demo and the benchmarks. A test
 * file that starts one imports it from here; `leak-check.ts` ensures that it was stopped.
 */
export { findServers } from "../../scripts/servers/find.ts";
export { freePort } from "../../scripts/servers/free-port.ts";
export { type PrometheusBuild, prometheusBuild } from "../../scripts/servers/prometheus-build.ts";
export {
  type PrometheusOptions,
  type RedisOptions,
  type RunningServer,
  type SentinelOptions,
  startPrometheus,
  startRedis,
  startSentinel,
  startVictoriaMetrics,
  type VictoriaMetricsOptions,
} from "../../scripts/servers/start.ts";
export { victoriaMetricsBuild } from "../../scripts/servers/victoria-metrics-build.ts";
