import type { Queue } from "bullmq";
import { Counter, Gauge, Registry } from "prom-client";

/**
 * BullMQ's own metrics of all queues, under the names of its `exportPrometheusMetrics` (which writes one
 * document per queue, so two queues would repeat their types). Empty while Redis is unreachable.
 */
export function createQueueRegistry(queues: readonly Queue[]): Registry {
  const registry = new Registry();
  new Gauge({
    name: "bullmq_job_count",
    help: "Jobs in the queue by state.",
    labelNames: ["queue", "state"],
    registers: [registry],
    async collect() {
      this.reset();
      await each(queues, async (queue) => {
        for (const [state, count] of Object.entries(await queue.getJobCounts())) {
          this.set({ queue: queue.name, state }, count);
        }
      });
    },
  });
  for (const type of ["completed", "failed"] as const) {
    new Counter({
      name: `bullmq_job_${type}_total`,
      help: `Jobs of the queue that have ${type}, in all replicas.`,
      labelNames: ["queue"],
      registers: [registry],
      async collect() {
        this.reset();
        await each(queues, async (queue) => {
          this.inc({ queue: queue.name }, (await queue.getMetrics(type)).meta.count);
        });
      },
    });
  }
  return registry;
}

/** A queue that cannot be read has no metrics. */
async function each(queues: readonly Queue[], collect: (queue: Queue) => Promise<void>): Promise<void> {
  await Promise.all(queues.map((queue) => collect(queue).catch(() => undefined)));
}
