import { describe, expect, test } from "vitest";
import { busyDaemon, condition } from "../../../../test/support/daemon/daemon-status.ts";
import type { DaemonStatus } from "../../../exporter/policy/status/status-view.ts";
import { linkTo, matches, parseStatusQuery, type SinkOrder, shownRows, sinkRows } from "./sink-list.ts";

const nowMs = Date.UTC(2026, 10, 20, 12);
const daemon = busyDaemon(200, nowMs);

describe("sinkRows", () => {
  test("trouble comes first, whatever order the policies have", () => {
    const shuffled: DaemonStatus = { ...daemon, policies: daemon.policies.toReversed() };
    const rows = sinkRows(shuffled);
    expect(rows.map(({ key }) => key)).toEqual(sinkRows(daemon).map(({ key }) => key));
    const order = [...new Set(rows.map(({ health }) => health))];
    expect(order).toEqual(["failing", "retrying", "catching-up", "up-to-date", "paused"]);
    const upToDate = rows.filter(({ health }) => health === "up-to-date");
    expect(upToDate[0]?.sink.rejected).toBeGreaterThan(0);
  });

  test("a little more lag does not move a healthy sink", () => {
    const changed = structuredClone(daemon) as DaemonStatus;
    for (const policy of changed.policies) {
      for (const sink of policy.sinks) Object.assign(sink, { lagMs: (sink.lagMs ?? 0) % 977 });
    }
    const healthyKeys = (status: DaemonStatus) =>
      sinkRows(status)
        .filter(({ health }) => health === "up-to-date")
        .map(({ key }) => key);
    expect(healthyKeys(changed)).toEqual(healthyKeys(daemon));
  });

  test("the state is said in words", () => {
    const states = new Set(sinkRows(daemon).map(({ state }) => state));
    expect([...states].sort()).toEqual([
      "Catching up",
      "Invalid authentication",
      "Paused",
      "Retrying",
      "Source unavailable",
      "Suspended",
      "Up to date",
    ]);
  });
});

describe("matches", () => {
  const rows = sinkRows(daemon);
  test.each([
    ["", {}, rows.length],
    ["every word must be there", { filter: "SHOP-metrics  mimir" }, undefined],
    ["by health", { health: "retrying" }, rows.filter(({ health }) => health === "retrying").length],
    [
      "by the error's text",
      { filter: "401" },
      rows.filter(({ sink }) => sink.lastError?.message.includes("401")).length,
    ],
    ["nothing", { filter: "no-such-sink" }, 0],
    ["an unknown health is no filter", { health: "odd" }, rows.length],
    ["a repeated parameter is no filter", { filter: ["a", "b"] }, rows.length],
  ])("%s", (_, query, expected) => {
    const found = rows.filter((row) => matches(row, parseStatusQuery(query)));
    const shopToMimir = rows.filter(({ key }) => key.includes("shop-metrics") && key.endsWith("/mimir"));
    expect(found).toHaveLength(expected ?? shopToMimir.length);
  });
});

test("a query is bounded", () => {
  const usual = { filter: "", health: undefined, problem: undefined, sort: undefined, isReversed: false };
  expect(parseStatusQuery({})).toEqual({ ...usual, limit: 200 });
  expect(parseStatusQuery({ limit: "all", filter: "x".repeat(999) })).toEqual({
    ...usual,
    filter: "x".repeat(200),
    limit: 5_000,
  });
});

test("a refused sink's reason wins over how it delivered", () => {
  const status = busyDaemon(1, nowMs);
  const conditions = [
    condition("Accepted", "False", "InvalidTarget", "", nowMs),
    condition("Delivering", "True", "UpToDate", "", nowMs),
  ];
  const policies = status.policies.map((policy) => ({
    ...policy,
    sinks: policy.sinks.map((sink) => ({ ...sink, conditions })),
  }));
  expect(sinkRows({ ...status, policies })[0]).toMatchObject({ state: "Invalid target", health: "failing" });
});

test.each(["./", "./?filter=a+b&health=failing&sort=-lag", "./?problem=0aZ_-9bc", "./?sort=error&limit=all"])(
  "a link has what it was read from: %s",
  (link) => {
    const { searchParams } = new URL(link, "http://localhost");
    const query = parseStatusQuery(Object.fromEntries(searchParams));
    expect(linkTo(query, { limit: query.limit })).toBe(link);
  },
);

test.each([
  [{ sort: "constructor" }, "./"],
  [{ sort: "--lag" }, "./"],
  [{ sort: ["lag"] }, "./"],
  [{ problem: "<script>" }, "./"],
])("odd parameters are left out: %j", (query, link) => {
  expect(linkTo(parseStatusQuery(query), {})).toBe(link);
});

describe("shownRows", () => {
  const rows = sinkRows(daemon);
  const none = new Set<string>();

  test.each<[SinkOrder, (row: (typeof rows)[number]) => number | string]>([
    ["name", ({ key }) => key],
    ["lag", ({ sink }) => -(sink.lagMs ?? -1)],
    ["delivered", ({ sink }) => -sink.delivered],
    ["lost", ({ sink }) => -sink.rejected],
    ["retries", ({ sink }) => -sink.retries],
  ])("sorted by %s, and the other way round", (sort, value) => {
    const shown = shownRows(rows, parseStatusQuery({ sort }), none).map(value);
    expect(shown).toHaveLength(200);
    expect(shown).toEqual(shown.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    const reversed = shownRows(rows, parseStatusQuery({ sort: `-${sort}` }), none).map(value);
    expect(reversed).toEqual(shown.toReversed());
  });

  test("the newest error comes first", () => {
    const [first] = shownRows(rows, parseStatusQuery({ sort: "error" }), none);
    expect(first?.sink.lastError?.at).toBe(new Date(nowMs - 4_000).toISOString());
  });

  test("of many sinks, those with a trouble of their own, until the reader chooses otherwise", () => {
    const folded = shownRows(rows, parseStatusQuery({}), none);
    expect(new Set(folded.map(({ health }) => health))).toEqual(
      new Set(["failing", "retrying", "catching-up"]),
    );
    const shared = new Set(rows.flatMap(({ state, problem }) => (state === "Suspended" && problem) || []));
    expect(shared.size).toBe(1);
    const without = shownRows(rows, parseStatusQuery({}), shared);
    expect(without).toEqual(folded.filter(({ state }) => state !== "Suspended"));
    const [problem] = shared;
    const chosen = rows.filter((row) => matches(row, parseStatusQuery({ problem })));
    expect(shownRows(chosen, parseStatusQuery({ problem }), shared).map(({ state }) => state)).toEqual(
      chosen.map(() => "Suspended"),
    );
    expect(shownRows(rows, parseStatusQuery({ limit: "all" }), shared)).toHaveLength(200);
    expect(shownRows(rows.slice(0, 50), parseStatusQuery({}), shared)).toHaveLength(50);
  });
});
