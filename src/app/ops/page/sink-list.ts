import { createHash } from "node:crypto";
import { sharedErrorKey } from "../../../exporter/policy/status/shared-errors.ts";
import {
  type DaemonStatus,
  findCondition,
  healthOrder,
  type PolicyView,
  type SinkHealth,
  type SinkView,
  shownError,
  sinkHealth,
  sinkKey,
} from "../../../exporter/policy/status/status-view.ts";
import { recentRate } from "./sparkline-svg.ts";

/** One row of the page: a sink and its policy. */
export interface SinkRow {
  readonly key: string;
  readonly policy: PolicyView;
  readonly sink: SinkView;
  readonly health: SinkHealth;
  /** The health in words: "Up to date", "Suspended". */
  readonly state: string;
  /** Its error, as {@link problemId} names it; undefined when it is not in trouble. */
  readonly problem: string | undefined;
}

/** The columns that the table can be sorted by; without one, trouble comes first. */
export type SinkOrder = "name" | "lag" | "rate" | "delivered" | "lost" | "retries" | "error";

/** The query of a status page request. */
export interface StatusQuery {
  /** Words that must all occur; empty matches everything. */
  readonly filter: string;
  readonly health: SinkHealth | undefined;
  /** The {@link problemId} of the only rows to show. */
  readonly problem: string | undefined;
  readonly sort: SinkOrder | undefined;
  /** Whether the order of `sort` is reversed. */
  readonly isReversed: boolean;
  /** Maximum number of rows, which bounds the work of one request. */
  readonly limit: number;
}

const usualLimit = 200;
const highestLimit = 5_000;
/** Without a choice of the reader's, more sinks than this are folded. */
const mostUnfolded = 50;
const mostInFold = 20;
const longestFilter = 200;

/** Parses the page's query string. Unknown and out-of-range values are ignored. */
export function parseStatusQuery(query: Readonly<Record<string, unknown>>): StatusQuery {
  const filter = typeof query["filter"] === "string" ? query["filter"].slice(0, longestFilter).trim() : "";
  const health = healthOrder.find((known) => known === query["health"]);
  const text = (name: string) => (typeof query[name] === "string" ? query[name] : "");
  const problem = /^[\w-]{8}$/.test(text("problem")) ? text("problem") : undefined;
  const [, minus, column = ""] = /^(-?)(\w+)$/.exec(text("sort")) ?? [];
  const sort = isSinkOrder(column) ? column : undefined;
  const isReversed = sort !== undefined && minus === "-";
  const limit = query["limit"] === "all" ? highestLimit : usualLimit;
  return { filter, health, problem, sort, isReversed, limit };
}

/** A link to the page with a query that differs in this. Links that show other rows drop `limit=all`. */
export function linkTo(query: StatusQuery, changes: Partial<StatusQuery>): string {
  const { filter, health, problem, sort, isReversed, limit } = { ...query, limit: usualLimit, ...changes };
  const parameters = new URLSearchParams();
  if (filter !== "") parameters.set("filter", filter);
  if (health !== undefined) parameters.set("health", health);
  if (problem !== undefined) parameters.set("problem", problem);
  if (sort !== undefined) parameters.set("sort", `${isReversed ? "-" : ""}${sort}`);
  if (limit !== usualLimit) parameters.set("limit", "all");
  return parameters.size === 0 ? "./" : `./?${parameters}`;
}

/** Changes of {@link linkTo} that show all rows. */
export const everything: Partial<StatusQuery> = { limit: highestLimit };

/** Whether only some rows are asked for. */
export function isFiltered({ filter, health, problem }: StatusQuery): boolean {
  return filter !== "" || health !== undefined || problem !== undefined;
}

/**
 * The rows that a page shows of those that the query matches. Of many sinks it shows only those with a
 * trouble of their own, until the reader chooses otherwise.
 *
 * @param shared the {@link problemId}s of errors that the page shows by themselves
 */
export function shownRows(
  found: readonly SinkRow[],
  query: StatusQuery,
  shared: ReadonlySet<string>,
): readonly SinkRow[] {
  if (!isFolded(found.length, query)) return inOrder(found, query).slice(0, query.limit);
  return found
    .filter(({ health, problem }) => isRestless(health) && (problem === undefined || !shared.has(problem)))
    .slice(0, mostInFold);
}

/** Whether a list of that many sinks or policies is folded. */
export function isFolded(count: number, query: StatusQuery): boolean {
  const isChosen = isFiltered(query) || query.sort !== undefined || query.limit === highestLimit;
  return !isChosen && count > mostUnfolded;
}

function isRestless(health: SinkHealth): boolean {
  return healthOrder.indexOf(health) < healthOrder.indexOf("up-to-date");
}

const orderValues: Readonly<Record<Exclude<SinkOrder, "name">, (row: SinkRow) => number>> = {
  lag: ({ sink }) => sink.lagMs ?? -1,
  rate: ({ sink }) => recentRate(sink.sparkline),
  delivered: ({ sink }) => sink.delivered,
  lost: ({ sink }) => lostOf(sink),
  retries: ({ sink }) => sink.retries,
  error: ({ sink }) => Date.parse(shownError(sink)?.at ?? "") || 0,
};

function isSinkOrder(text: string): text is SinkOrder {
  return text === "name" || Object.hasOwn(orderValues, text);
}

/** Numbers and times: the largest first. Of equal rows, those in trouble. */
function inOrder(rows: readonly SinkRow[], { sort, isReversed }: StatusQuery): readonly SinkRow[] {
  if (sort === undefined) return rows;
  const sign = isReversed ? -1 : 1;
  if (sort === "name") return rows.toSorted((a, b) => sign * (a.key < b.key ? -1 : 1));
  const value = orderValues[sort];
  return rows.toSorted((a, b) => sign * (value(b) - value(a)));
}

/** A short name of an error that sinks share, for a page's address. */
export function problemId(sharedKey: string): string {
  return createHash("sha256").update(sharedKey).digest("base64url").slice(0, 8);
}

/** All sinks, unhealthy first: by health, lag in coarse steps, lost samples, then name. */
export function sinkRows(status: DaemonStatus): SinkRow[] {
  const rows = status.policies.flatMap((policy) =>
    policy.sinks.map((sink) => {
      const health = sinkHealth(sink);
      const key = sinkKey({ policy, sink });
      const shared = sharedErrorKey(sink);
      const problem = shared === undefined ? undefined : problemId(shared);
      return { key, policy, sink, health, state: stateOf(sink, health), problem };
    }),
  );
  return rows.sort(
    (a, b) =>
      healthOrder.indexOf(a.health) - healthOrder.indexOf(b.health) ||
      lagStep(b) - lagStep(a) ||
      Number(lostOf(b.sink) > 0) - Number(lostOf(a.sink) > 0) ||
      (a.key < b.key ? -1 : 1),
  );
}

/** Lag counts in doublings, and only where it is the problem: otherwise rows would move at every refresh. */
function lagStep({ health, sink }: SinkRow): number {
  if (healthOrder.indexOf(health) > healthOrder.indexOf("catching-up")) return 0;
  return Math.floor(Math.log2(1 + (sink.lagMs ?? 0) / 1_000));
}

/** Whether a row matches the query. */
export function matches(row: SinkRow, query: StatusQuery): boolean {
  if (query.health !== undefined && row.health !== query.health) return false;
  if (query.problem !== undefined && row.problem !== query.problem) return false;
  if (query.filter === "") return true;
  const text =
    `${row.key} ${row.sink.endpoint} ${row.state} ${shownError(row.sink)?.message ?? ""} ${row.sink.lastCycle?.replica ?? ""}`.toLowerCase();
  return query.filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** Samples that will not arrive: rejected, or dropped. */
export function lostOf(sink: SinkView): number {
  return sink.rejected + sink.dropped;
}

const healthWords: Readonly<Record<SinkHealth, string>> = {
  failing: "Failing",
  retrying: "Retrying",
  "catching-up": "Catching up",
  starting: "Starting",
  "up-to-date": "Up to date",
  paused: "Paused",
};

export function healthWord(health: SinkHealth): string {
  return healthWords[health];
}

function stateOf(sink: SinkView, health: SinkHealth): string {
  if (findCondition(sink.conditions, "Delivering")?.reason === "Idle" && health === "up-to-date")
    return "Idle";
  if (health !== "failing") return healthWords[health];
  const accepted = findCondition(sink.conditions, "Accepted");
  if (accepted?.status === "False") return words(accepted.reason);
  return words(findCondition(sink.conditions, "Delivering")?.reason ?? healthWords.failing);
}

/** "SourceUnavailable" becomes "Source unavailable". */
export function words(reason: string): string {
  const spaced = reason.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
