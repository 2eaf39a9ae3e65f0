import type { DaemonStatus } from "../../../../exporter/policy/status/status-view.ts";

/** Warnings about the daemon as a whole, one sentence each. */
export function statusWarnings(status: DaemonStatus): string[] {
  return [
    ...(status.state === "stopping"
      ? ["the daemon is stopping"]
      : status.ready
        ? []
        : ["the daemon is not ready"]),
    ...status.degraded,
  ];
}
