import { z } from "zod";
import { type SinkPlan, sinkKey } from "../../policy/spec/types.ts";
import type { CycleEnd } from "../exporter.ts";

/** What a job of the queue says: run a cycle of this sink, by this generation of its policy or a newer one. */
const cycleJobSchema = z.object({
  sink: z.string(),
  uid: z.string(),
  generation: z.number().int().nonnegative(),
});

export type CycleJob = z.infer<typeof cycleJobSchema>;

export function parseCycleJob(data: unknown): CycleJob | undefined {
  return cycleJobSchema.safeParse(data).data;
}

/** Replicas count the generations of a directory's policies each by itself, so these are not compared: 0. */
export function cycleJobOf(plan: SinkPlan): CycleJob {
  const { uid } = plan.policy;
  return { sink: sinkKey(plan.policy, plan.name), uid, generation: uid === "-" ? 0 : plan.generation };
}

/** A job that no replica knows better than this one for so long is not left lying. */
const patienceMs = 60_000;

/**
 * What a replica does with a job, by what it knows of the sink: `step-aside` leaves it to a replica with a newer
 * policy; `drop` ends it, since it is of a sink that nobody has.
 *
 * @param ageMs since the job was due
 */
export function judgeJob(
  job: CycleJob,
  own: CycleJob | undefined,
  ageMs: number,
): "run" | "step-aside" | "drop" {
  if (own === undefined) return ageMs < patienceMs ? "step-aside" : "drop";
  // An older policy is better than none: the control plane may be silent to every replica that is left.
  return own.generation < job.generation && ageMs < patienceMs ? "step-aside" : "run";
}

/** How a job ends: for good, or it comes back to whichever replica takes it then. */
export type JobEnd = { readonly kind: "done" } | { readonly kind: "again"; readonly afterMs: number };

export const done: JobEnd = { kind: "done" };

/** A moment later than what was waited for, since clocks tick differently. */
const marginMs = 50;

/**
 * After a cycle, or where another one keeps a job from running.
 *
 * - A cycle that was interrupted has more to do: again at once, behind the jobs that wait.
 * - A sink that pauses runs again when its pause is over; if that is later than its next regular job, this one is needless.
 * - Of a lease that is held, the holder takes care. Only a job whose own holder has died must outlast that one's lease.
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
