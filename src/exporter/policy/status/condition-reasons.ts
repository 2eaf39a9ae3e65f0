import type { Condition } from "./conditions.ts";

/**
 * Every reason that a condition of ours can have, in one table: the status that goes with it and what it means. What sets
 * conditions takes its reasons from here; `docs/conditions.md` lists the same, and a test holds the two to each other.
 */
export const conditionReasons = {
  Ready: {
    SinksAccepted: { status: "True", meaning: "All sinks are configured." },
    SinksNotAccepted: { status: "False", meaning: "Some sinks are not accepted; the others run." },
    Invalid: { status: "False", meaning: "The policy as a whole has faults; none of it runs." },
  },
  Accepted: {
    SinkConfigured: { status: "True", meaning: "The sink runs." },
    InvalidAuthentication: {
      status: "False",
      meaning: "The Secret is missing, of another type or incomplete.",
    },
    InvalidSource: { status: "False", meaning: "A source that the sink names is missing or has faults." },
    InvalidTarget: { status: "False", meaning: "The target has faults, or its address may not be sent to." },
  },
  Delivering: {
    UpToDate: { status: "True", meaning: "Everything settled is delivered, give or take two cycles." },
    CatchingUp: { status: "True", meaning: "Delivering, and behind." },
    Starting: { status: "Unknown", meaning: "The first cycle has not run yet." },
    Retrying: {
      status: "False",
      meaning: "The attempts of a request were used up; the sink pauses and goes on.",
    },
    Suspended: { status: "False", meaning: "The endpoint or its credentials are wrong." },
    SourceUnavailable: {
      status: "False",
      meaning: "A source could not be read in full from the metrics store.",
    },
    Paused: { status: "False", meaning: "Paused by the policy's annotation." },
  },
} as const satisfies Record<
  Condition["type"],
  Record<string, { status: Condition["status"]; meaning: string }>
>;

/** A reason of the condition of that type. */
export type ReasonOf<Type extends Condition["type"]> = keyof (typeof conditionReasons)[Type];
