import type { Condition } from "./conditions.ts";

/**
 * Every reason of a telemetryd condition: the status that belongs to it and its meaning. Code that sets
 * conditions takes the reasons from here; a test keeps this table and `docs/conditions.md` in agreement.
 */
export const conditionReasons = {
  Ready: {
    SinksAccepted: { status: "True", meaning: "All sinks are configured." },
    SinksNotAccepted: { status: "False", meaning: "Some sinks are not accepted; the others run." },
    Invalid: {
      status: "False",
      meaning:
        "The policy as a whole has faults: none of it runs, or an earlier generation, as the message says.",
    },
  },
  Accepted: {
    SinkConfigured: { status: "True", meaning: "The sink runs." },
    InvalidAuthentication: {
      status: "False",
      meaning: "The Secret is missing, of another type or incomplete, or its value cannot be used.",
    },
    InvalidSource: { status: "False", meaning: "A source that the sink names is missing or has faults." },
    InvalidTarget: { status: "False", meaning: "The target has faults, or its address may not be sent to." },
  },
  Delivering: {
    UpToDate: {
      status: "True",
      meaning: "All samples up to the watermark are delivered, give or take two cycles.",
    },
    CatchingUp: { status: "True", meaning: "Delivering, and behind." },
    Idle: { status: "True", meaning: "The sources have selected no series for ten minutes." },
    Starting: {
      status: "Unknown",
      meaning:
        "The first cycle has not run yet, or no request of it had a response. A sink that had a state keeps it through a restart.",
    },
    Retrying: {
      status: "False",
      meaning:
        "Requests failed for 5 s or had no response for 8 s, or attempts are used up; they are sent again. Or samples are refused, and telemetryd searches for those to reject.",
    },
    Suspended: {
      status: "False",
      meaning: "The endpoint or its credentials are wrong, or it refuses every sample. Nothing is lost.",
    },
    Rejecting: { status: "False", meaning: "Every sample of the last ten minutes was rejected." },
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

/** A reason of that type of condition. */
export type ReasonOf<Type extends Condition["type"]> = keyof (typeof conditionReasons)[Type];
