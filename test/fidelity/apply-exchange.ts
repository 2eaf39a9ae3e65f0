import { type Exchange, type PolicyParts, policy } from "./scenario.ts";

/** Requests of server-side apply, as exchanges of a scenario. */

export const apply = (path: string, body: unknown, more: Partial<Exchange> = {}): Exchange => ({
  ...{ method: "PATCH", path, body, type: "apply", code: 200 },
  ...more,
});
export const maps = (name: string, manager: string, query = "") =>
  `configmaps/${name}?fieldManager=${manager}${query}`;
export const policies = (name: string, manager: string, query = "") =>
  `exportpolicies/${name}?fieldManager=${manager}${query}`;
export const applied = (
  name: string,
  parts: PolicyParts = {},
  manager = "one",
  more: Partial<Exchange> = {},
) => apply(policies(name, manager), policy(name, parts), more);

export const named = (names: readonly string[]) => names.map((name) => ({ name }));

/** Sinks that send the source cpu. */
export const sinksOf = (...names: readonly string[]) =>
  names.map((name): [string, string[]] => [name, ["cpu"]]);
