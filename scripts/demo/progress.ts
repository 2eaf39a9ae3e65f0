import { formatExactCount } from "../../src/base/core/human.ts";
import { type DaemonStatus, sinkHealth } from "../../src/exporter/policy/status/status-view.ts";

/** One progress line: elapsed time, samples delivered, each sink's lag, samples sent again. */
export function progressLine(status: DaemonStatus | undefined, elapsedMs: number): string {
  const seconds = `${Math.floor(elapsedMs / 1000)} s`.padStart(6);
  const sinks = status?.policies.flatMap((policy) => policy.sinks) ?? [];
  if (status === undefined || sinks.length === 0) return `${seconds}  waiting for telemetryd`;
  const total = (pick: (sink: (typeof sinks)[number]) => number): number =>
    sinks.reduce((sum, sink) => sum + pick(sink), 0);
  const lags = sinks.map((sink) => {
    const health = sinkHealth(sink);
    const lag = sink.lagMs === undefined ? "-" : `${(Math.max(0, sink.lagMs) / 1000).toFixed(1)} s`;
    return `${sink.name} ${lag}${health === "up-to-date" || health === "starting" ? "" : ` (${health})`}`;
  });
  const parts = [
    `delivered ${formatExactCount(total((sink) => sink.delivered))} samples`,
    `lag: ${lags.join(", ")}`,
    `retries ${total((sink) => sink.retries)}`,
  ];
  const rejected = total((sink) => sink.rejected);
  if (rejected > 0) parts.push(`rejected ${formatExactCount(rejected)}`);
  return `${seconds}  ${parts.join("  |  ")}`;
}
