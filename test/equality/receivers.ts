import { type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import type { Receiver } from "./comparison.ts";

/**
 * One receiver of each kind: one that keeps duplicates, one that ignores them, and one that rejects a request
 * with one.
 *
 * @param started called with each server as soon as it runs, so that it is always stopped
 */
export async function startReceivers(
  started: (start: Promise<RunningServer>) => Promise<RunningServer>,
): Promise<Receiver[]> {
  return [
    { name: "victoria-metrics", kind: "victoria-metrics", server: await started(startVictoriaMetrics()) },
    {
      name: "prometheus-out-of-order",
      kind: "prometheus",
      server: await started(startPrometheus({ outOfOrderWindow: "1h", nativeHistograms: true })),
    },
    {
      name: "prometheus",
      kind: "prometheus",
      server: await started(startPrometheus({ nativeHistograms: true })),
    },
  ];
}
