import { z } from "zod";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";
import type { CycleEnd } from "../cycle.ts";

/**
 * Payload of a job in the queue: run a cycle of this sink, by this generation of its policy or a newer one.
 */
const cycleJobSchema = z.object({
  sink: z.string(),
  uid: z.string(),
  generation: z.number().int().nonnegative(),
});

export type CycleJob = z.infer<typeof cycleJobSchema>;

export function parseCycleJob(data: unknown): CycleJob | undefined {
  return cycleJobSchema.safeParse(data).data;
}

/** Replicas count the generations of a directory's policies independently, so these are not compared: 0. */
export function cycleJobOf(plan: SinkPlan): CycleJob {
  const { uid } = plan.policy;
  return { sink: sinkKey(plan.policy, plan.name), uid, generation: uid === "-" ? 0 : plan.generation };
}

/** How long a job is left to replicas with a newer policy. */
const patienceMs = 60_000;

/**
 * Decides whether a replica runs a job, from its knowledge of the sink. `step-aside` leaves the job to a
 * replica with a newer policy; `drop` ends it, since no replica has the sink.
 *
 * @param ageMs since the job was due
 */
export function judgeJob(
  job: CycleJob,
  own: CycleJob | undefined,
  ageMs: number,
): "run" | "step-aside" | "drop" {
  if (own === undefined) return ageMs < patienceMs ? "step-aside" : "drop";
  // An older policy is better than none: the control plane may be unreachable for all remaining replicas.
  return own.generation < job.generation && ageMs < patienceMs ? "step-aside" : "run";
}

/** The end of a job: final, or the job returns to the queue for any replica. */
export type JobEnd = { readonly kind: "done" } | { readonly kind: "again"; readonly afterMs: number };

export const done: JobEnd = { kind: "done" };

/** Added to waits, since clocks differ. */
const marginMs = 50;

/**
 * The end of a job after a cycle, or when the lease prevents one.
 *
 * - An interrupted cycle has more to do: it runs again at once, behind the waiting jobs.
 * - A paused sink runs again when its pause is over; if its next regular job is earlier, this job ends.
 * - A held lease is its holder's responsibility. Only a job whose own holder has died must outlast that
 *   holder's lease.
 */
export function jobEnd(
  outcome:
    | { readonly kind: "ran"; readonly end: CycleEnd; readonly pauseMs: number }
    | { readonly kind: "held" | "paused"; readonly restMs: number },
  job: { readonly isTakenOver: boolean; readonly periodMs: number },
): JobEnd {
  switch (outcome.kind) {
    case "held":
      return job.isTakenOver ? { kind: "again", afterMs: outcome.restMs + marginMs } : done;
    case "paused":
      return afterPause(outcome.restMs, job.periodMs);
    case "ran":
      if (outcome.end === "interrupted") return { kind: "again", afterMs: 0 };
      return outcome.end === "waiting" ? afterPause(outcome.pauseMs, job.periodMs) : done;
  }
}

function afterPause(pauseMs: number, periodMs: number): JobEnd {
  return pauseMs > 0 && pauseMs <= periodMs ? { kind: "again", afterMs: pauseMs + marginMs } : done;
}
