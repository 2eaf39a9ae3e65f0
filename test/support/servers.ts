/**
 * The real servers for tests. How they are found and started is the same code that the demo and the
 * benchmarks use; a test file that starts one imports it from here, and `leak-check.ts` sees to it that it
 * was stopped.
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
