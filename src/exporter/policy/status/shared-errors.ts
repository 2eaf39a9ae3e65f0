import { type DaemonStatus, findCondition, type SinkView, shownError, sinkHealth } from "./status-view.ts";

/** An error is shown once, and no longer per sink, when this many sinks have it. */
const fewestSinks = 3;

/** An error that several sinks have at present. */
export interface SharedError {
  /** {@link sharedErrorKey} of each of its sinks. */
  readonly key: string;
  /** The reason of the condition that is False. */
  readonly reason: string;
  /** Of one of them. */
  readonly message: string;
  readonly sinks: number;
  readonly policies: number;
  /** RFC 3339: since when the first of them has been in its state, and when the first one loses data. */
  readonly since?: string;
  readonly losesDataAt?: string;
}

/** The errors that at least three sinks share, those with the most sinks first. */
export function sharedErrors({ policies }: Pick<DaemonStatus, "policies">): SharedError[] {
  const groups = new Map<string, { sinks: SinkView[]; policies: Set<object> }>();
  for (const policy of policies) {
    for (const sink of policy.sinks) {
      const key = sharedErrorKey(sink);
      if (key === undefined) continue;
      const group = groups.get(key) ?? { sinks: [], policies: new Set() };
      groups.set(key, group);
      group.sinks.push(sink);
      group.policies.add(policy);
    }
  }
  return [...groups]
    .filter(([, { sinks }]) => sinks.length >= fewestSinks)
    .map(([key, { sinks, policies }]): SharedError => {
      const [first] = sinks;
      const { reason, message } = (first && currentError(first)) ?? { reason: "", message: "" };
      const since = earliest(sinks.map(({ stateSince }) => stateSince));
      const losesDataAt = earliest(sinks.map(({ losesDataAt }) => losesDataAt));
      const group = { key, reason, message, sinks: sinks.length, policies: policies.size };
      return { ...group, ...(since && { since }), ...(losesDataAt && { losesDataAt }) };
    })
    .sort((a, b) => b.sinks - a.sinks || (a.key < b.key ? -1 : 1));
}

/** Equal for sinks that have the same error; undefined for one that is not in trouble. */
export function sharedErrorKey(sink: SinkView): string | undefined {
  const error = currentError(sink);
  return error && `${error.reason}: ${reasonOf(error.message)}`;
}

/** A sink that delivers again may still show its last error: that is no trouble. */
function currentError(sink: SinkView): { readonly reason: string; readonly message: string } | undefined {
  const health = sinkHealth(sink);
  if (health !== "failing" && health !== "retrying") return undefined;
  const condition = [
    findCondition(sink.conditions, "Accepted"),
    findCondition(sink.conditions, "Delivering"),
  ].find((each) => each?.status === "False");
  if (condition === undefined) return undefined;
  const { reason } = condition;
  // The condition's message has the sources' names, which differ.
  const unread =
    reason === "SourceUnavailable" ? sink.sources.find(({ error }) => error !== undefined) : undefined;
  return { reason, message: unread?.error ?? shownError(sink)?.message ?? condition.message };
}

/** Of RFC 3339 times in UTC. */
function earliest(times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort()[0];
}

/**
 * What messages about different series have in common: label sets, times and long numbers are left out.
 * Linear in the message, which is at most a few KiB.
 */
export function reasonOf(message: string): string {
  return message
    .replace(/\{[^{}]*\}/g, "{…}")
    .replace(/\d{4}-\d{2}-\d{2}[T ][\d:.]{1,20}Z?/g, "…")
    .replace(/\d{5,}(\.\d+)?/g, "…")
    .replace(/\s+/g, " ");
}
