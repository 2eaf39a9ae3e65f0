import { describe, expect, test } from "vitest";
import { busyDaemon, condition } from "../../../../test/support/daemon/daemon-status.ts";
import type { DaemonStatus } from "../../../exporter/policy/status/status-view.ts";
import { matches, parseStatusQuery, sinkRows } from "./sink-list.ts";

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
  expect(parseStatusQuery({})).toEqual({ filter: "", health: undefined, limit: 200 });
  expect(parseStatusQuery({ limit: "all", filter: "x".repeat(999) })).toEqual({
    filter: "x".repeat(200),
    health: undefined,
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
