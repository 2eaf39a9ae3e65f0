import { Counter, Histogram, type Registry } from "prom-client";

/** Metrics of the controllers, named as controller-runtime names them. */
export interface ControllerMetrics {
  /** @param controller a bounded set of names */
  reconciled(controller: string, result: "success" | "requeue_after" | "error", seconds: number): void;
}

const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
/** All controllers share one queue, by control plane. */
export const queueName = "controllers";

export function createControllerMetrics(registry: Registry): ControllerMetrics {
  const registers = [registry];
  const total = new Counter({
    name: "controller_runtime_reconcile_total",
    help: "Reconciliations by this daemon; requeue_after: it has to be repeated after a pause.",
    labelNames: ["controller", "result"],
    registers,
  });
  const times = new Histogram({
    name: "controller_runtime_reconcile_time_seconds",
    help: "Time of a reconciliation.",
    labelNames: ["controller"],
    buckets,
    registers,
  });
  const errors = new Counter({
    name: "controller_runtime_reconcile_errors_total",
    help: "Reconciliations that failed; they are repeated.",
    labelNames: ["controller"],
    registers,
  });
  const retries = new Counter({
    name: "workqueue_retries_total",
    help: "Work that was put back into the queue, after a failure or for later.",
    labelNames: ["name"],
    registers,
  });
  retries.inc({ name: queueName }, 0);
  return {
    reconciled(controller, result, seconds) {
      total.inc({ controller, result });
      times.observe({ controller }, seconds);
      errors.inc({ controller }, result === "error" ? 1 : 0);
      if (result !== "success") retries.inc({ name: queueName });
    },
  };
}
