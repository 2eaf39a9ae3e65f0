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

/** One row of the page: a sink and its policy. */
export interface SinkRow {
  readonly key: string;
  readonly policy: PolicyView;
  readonly sink: SinkView;
  readonly health: SinkHealth;
  /** The health in words: "Up to date", "Suspended". */
  readonly state: string;
}

/** The query of a status page request. */
export interface StatusQuery {
  /** Words that must all occur; empty matches everything. */
  readonly filter: string;
  readonly health: SinkHealth | undefined;
  /** Maximum number of rows, which bounds the work of one request. */
  readonly limit: number;
}

const usualLimit = 200;
const highestLimit = 5_000;
const longestFilter = 200;

/** Parses the page's query string. Unknown and out-of-range values are ignored. */
export function parseStatusQuery(query: Readonly<Record<string, unknown>>): StatusQuery {
  const filter = typeof query["filter"] === "string" ? query["filter"].slice(0, longestFilter).trim() : "";
  const health = healthOrder.find((known) => known === query["health"]);
  return { filter, health, limit: query["limit"] === "all" ? highestLimit : usualLimit };
}

/** All sinks, unhealthy first: by health, lag in coarse steps, lost samples, then name. */
export function sinkRows(status: DaemonStatus): SinkRow[] {
  const rows = status.policies.flatMap((policy) =>
    policy.sinks.map((sink) => {
      const health = sinkHealth(sink);
      const key = sinkKey({ policy, sink });
      return { key, policy, sink, health, state: stateOf(sink, health) };
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
function words(reason: string): string {
  const spaced = reason.replace(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
