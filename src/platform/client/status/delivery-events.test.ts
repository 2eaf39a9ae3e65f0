import { describe, expect, test } from "vitest";
import { conditionReasons } from "../../../exporter/policy/status/condition-reasons.ts";
import type { Condition, PolicyStatus } from "../../../exporter/policy/status/conditions.ts";
import { DeliveryEvents, lossPauseMs, lossReports, type SinkLosses } from "./delivery-events.ts";
import { seenStatus } from "./status-decision.ts";

const times = { observedGeneration: 1, lastTransitionTime: "2026-11-20T12:00:00Z" };
const statusOf: Readonly<Record<string, { readonly status: Condition["status"] }>> =
  conditionReasons.Delivering;

/** The status of a policy whose sink `s` has this reason; undefined if this daemon does not run it. */
function statusWith(reason: string | undefined, accepted: Condition["status"] = "True"): PolicyStatus {
  const conditions: Condition[] = [
    { type: "Accepted", status: accepted, reason: "R", message: "", ...times },
  ];
  const status = statusOf[reason ?? ""]?.status ?? "Unknown";
  if (reason !== undefined)
    conditions.push({ type: "Delivering", status, reason, message: "HTTP 503", ...times });
  return { conditions: [], sinks: [{ name: "s", conditions }] };
}

/** Reasons of the events when a status with the first reason is replaced by ones with the others. */
function story(first: string | undefined, ...then: (string | undefined)[]): string[] {
  const events = new DeliveryEvents();
  let before = first === undefined ? undefined : statusWith(first);
  return then.flatMap((reason) => {
    const written = statusWith(reason);
    const reports = events.statusWritten(seenStatus(before), written);
    // What is not reported here stays as another replica wrote it.
    if (reason !== undefined) before = written;
    return reports.map(({ report }) => report.reason);
  });
}

describe("events about transitions", () => {
  test.each<[(string | undefined)[], string[]]>([
    [[undefined, "Starting", "UpToDate", "CatchingUp", "UpToDate"], []],
    [[undefined, "Retrying"], ["Retrying"]],
    [
      ["UpToDate", "Retrying", "UpToDate"],
      ["Retrying", "Recovered"],
    ],
    [
      ["CatchingUp", "Suspended", "CatchingUp", "UpToDate"],
      ["Suspended", "Recovered"],
    ],
    [
      ["UpToDate", "Retrying", "Suspended", "Retrying", "UpToDate"],
      ["Retrying", "Suspended", "Retrying", "Recovered"],
    ],
    // Reported by the daemon before its restart.
    [["Retrying", "Retrying", "UpToDate"], ["Recovered"]],
    [["Suspended", "Starting", "UpToDate"], ["Recovered"]],
    [["Retrying", "Starting", "Retrying"], ["Retrying"]],
    [
      ["UpToDate", "Retrying", "Paused", "SourceUnavailable", "UpToDate"],
      ["Retrying", "Recovered"],
    ],
    [["UpToDate", "SourceUnavailable", "UpToDate", "Paused", "UpToDate"], []],
    // Another replica runs the sink for a while.
    [["Retrying", undefined, "UpToDate"], ["Recovered"]],
    [["UpToDate", undefined, "UpToDate"], []],
  ])("%j makes %j", ([first, ...then], reasons) => {
    expect(story(first, ...then)).toEqual(reasons);
  });

  test("a sink that is removed during an outage and added again later has not recovered", () => {
    const events = new DeliveryEvents();
    events.statusWritten(seenStatus(statusWith("UpToDate")), statusWith("Suspended"));
    const without = { ...statusWith("Suspended"), sinks: [] };
    events.statusWritten(seenStatus(statusWith("Suspended")), without);
    events.statusWritten(seenStatus(without), statusWith("Starting"));
    expect(events.statusWritten(seenStatus(statusWith("Starting")), statusWith("UpToDate"))).toEqual([]);
  });

  test("a recovery that another replica has reported is not reported again", () => {
    const events = new DeliveryEvents();
    events.statusWritten(seenStatus(statusWith("UpToDate")), statusWith("Retrying"));
    // The other replica has replaced Retrying by UpToDate.
    expect(events.statusWritten(seenStatus(statusWith("UpToDate")), statusWith("UpToDate"))).toEqual([]);
  });

  test("a sink that recovers with another Secret", () => {
    const events = new DeliveryEvents();
    events.statusWritten(seenStatus(statusWith("Suspended")), statusWith(undefined, "False"));
    const [recovered] = events.statusWritten(seenStatus(statusWith(undefined)), statusWith("UpToDate"));
    expect(recovered).toEqual({
      sink: "s",
      report: { type: "Normal", reason: "Recovered", message: "s: HTTP 503" },
    });
  });
});

const losses = (fields: Partial<SinkLosses> = {}): SinkLosses => ({
  ...{ name: "s", rejected: 0, dropped: 0, skippedSeconds: 0, lastRejection: "HTTP 400: out of order" },
  ...fields,
});

describe("events about losses", () => {
  const refused = (count: string) =>
    `SamplesRejected s: ${count} samples were rejected: HTTP 400: out of order`;
  test.each<[string, SinkLosses | undefined, SinkLosses, string[]]>([
    ["none", undefined, losses(), []],
    ["the first", undefined, losses({ rejected: 1_234 }), [refused("1,234")]],
    ["no more", losses({ rejected: 5 }), losses({ rejected: 5 }), []],
    ["more", losses({ rejected: 5 }), losses({ rejected: 7 }), [refused("2")]],
    ["counters that began again", losses({ rejected: 5 }), losses({ rejected: 3 }), [refused("3")]],
    [
      "dropped",
      undefined,
      losses({ dropped: 2 }),
      ["SamplesRejected s: 2 samples were dropped after their last attempt"],
    ],
    [
      "both",
      undefined,
      losses({ rejected: 1, dropped: 2 }),
      [`${refused("1")}; 2 samples were dropped after their last attempt`],
    ],
    [
      "skipped",
      losses(),
      losses({ skippedSeconds: 60 }),
      ["Skipped s: 60 s older than delivery.maxBackfill were skipped"],
    ],
  ])("%s", (_name, before, now, expected) => {
    expect(lossReports(before, now).map(({ report }) => `${report.reason} ${report.message}`)).toEqual(
      expected,
    );
  });

  test("losses that continue are reported at once, then every five minutes, all of them", () => {
    const events = new DeliveryEvents();
    const lost = (rejected: number, nowMs: number) =>
      events.lost([losses({ rejected })], nowMs).map(({ report }) => report.message.split(" ")[1]);
    expect(lost(1, 0)).toEqual(["1"]);
    expect(lost(2, 1_000)).toEqual([]);
    expect(lost(9, lossPauseMs)).toEqual(["8"]);
    expect(lost(9, 3 * lossPauseMs)).toEqual([]);
    expect(lost(10, 3 * lossPauseMs + 1)).toEqual(["1"]);
  });
});
