import { z } from "zod";
import { delivering, type Standing } from "../send/standing.ts";

/** How a sink stands with its receiver, as replicas tell each other: the pause in ms from now instead of a clock's time. */
export interface SharedStanding {
  readonly kind: Exclude<Standing["kind"], "delivering">;
  readonly times: number;
  readonly message: string;
  readonly pauseMs: number;
}

const schema = z.object({
  kind: z.enum(["retrying", "suspended", "forbidden"]),
  times: z.number().int().positive(),
  message: z.string(),
});

/** @returns undefined while the sink delivers, also where the text is none of ours */
export function shareStanding(standing: Standing, monotonicMs: number): SharedStanding | undefined {
  if (standing.kind === "delivering") return undefined;
  const { kind, times, message, untilMs } = standing;
  return { kind, times, message, pauseMs: Math.max(0, untilMs - monotonicMs) };
}

/** The inverse of {@link shareStanding}, by this process' monotonic time. */
export function ownStanding(shared: SharedStanding | undefined, monotonicMs: number): Standing {
  if (shared === undefined) return delivering;
  const { kind, times, message, pauseMs } = shared;
  return { kind, times, message, untilMs: monotonicMs + pauseMs };
}

/** Reads what is stored beside the pause. @returns undefined where it is absent or none of ours */
export function parseStanding(text: string | undefined, pauseMs: number): SharedStanding | undefined {
  if (text === undefined) return undefined;
  try {
    const { data } = schema.safeParse(JSON.parse(text));
    return data === undefined ? undefined : { ...data, pauseMs };
  } catch {
    return undefined;
  }
}
