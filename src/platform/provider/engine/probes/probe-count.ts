import type { RuntimeProbe } from "../../runtime/runtime.ts";

/** What is known of one probe of a container since the container was started. */
export interface ProbeCount {
  /** Whether it counts as successful; undefined: it has not concluded anything. */
  readonly isSuccessful: boolean | undefined;
  /** Equal results in a row. */
  readonly inRow: number;
  /** Of the last result. */
  readonly why: string | undefined;
}

export const noCount: ProbeCount = { isSuccessful: undefined, inRow: 0, why: undefined };

/** @param why of a failure; undefined: the probe succeeded @param before the results so far */
export function countResult(
  before: ProbeCount,
  why: string | undefined,
  { successThreshold, failureThreshold }: Pick<RuntimeProbe, "successThreshold" | "failureThreshold">,
): ProbeCount {
  const isSame = before.inRow > 0 && (before.why === undefined) === (why === undefined);
  const inRow = isSame ? before.inRow + 1 : 1;
  const isEnough = inRow >= (why === undefined ? successThreshold : failureThreshold);
  return { isSuccessful: isEnough ? why === undefined : before.isSuccessful, inRow, why };
}
