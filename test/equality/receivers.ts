import { type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import type { Receiver } from "./comparison.ts";

/**
 * A receiver of each kind: one that keeps repeats, one that forgives them, and one that refuses a request for
 * one.
 *
 * @param started notes each server as soon as it runs, so that it is stopped whatever comes next
 */
export async function startReceivers(
  started: (start: Promise<RunningServer>) => Promise<RunningServer>,
): Promise<Receiver[]> {
  return [
    { name: "victoria-metrics", kind: "victoria-metrics", server: await started(startVictoriaMetrics()) },
    {
      name: "prometheus-out-of-order",
      kind: "prometheus",
      server: await started(startPrometheus({ outOfOrderWindow: "1h" })),
    },
    { name: "prometheus", kind: "prometheus", server: await started(startPrometheus()) },
  ];
}
