import { expect, test } from "vitest";
import { sharedErrorKey, sharedErrors } from "./shared-errors.ts";
import type { PolicyView, SinkView } from "./status-view.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function sink(reason: string, message: string, more: Partial<SinkView> = {}): SinkView {
  const status = reason === "UpToDate" || reason === "CatchingUp" ? "True" : "False";
  const delivering = { type: "Delivering", status, reason, message: "" };
  const lastError = { at: at(30), message };
  return { conditions: [delivering], sources: [], lastError, ...more } as unknown as SinkView;
}

const groupsOf = (...policies: SinkView[][]) =>
  sharedErrors({ policies: policies.map((sinks) => ({ sinks }) as unknown as PolicyView) });

test("an error of three sinks is one, whatever series and times it names; the largest group comes first", () => {
  const refused = (series: string) => sink("Suspended", `400 "no {job="${series}"} at 1795232809458"`);
  const groups = groupsOf(
    [refused("a"), refused("b"), sink("Retrying", "503"), sink("Retrying", "503")],
    [sink("Retrying", "503"), sink("Suspended", "503"), refused("c"), refused("d")],
  );
  expect(groups.map(({ reason, sinks, policies }) => [reason, sinks, policies])).toEqual([
    ["Suspended", 4, 2],
    ["Retrying", 3, 2],
  ]);
  expect(groups[0]?.message).toContain('{job="a"}');
});

test("two sinks share nothing yet, and a sink that delivers again is not in trouble", () => {
  expect(groupsOf([sink("Suspended", "401"), sink("Suspended", "401"), sink("UpToDate", "401")])).toEqual([]);
  expect(sharedErrorKey(sink("CatchingUp", "401"))).toBeUndefined();
  expect(sharedErrorKey(sink("Paused", "401"))).toBeUndefined();
});

test("sinks of differently named sources share the store's error", () => {
  const unread = (name: string) =>
    sink("SourceUnavailable", "", { sources: [{ name: "well" }, { name, error: "cannot be reached" }] });
  expect(groupsOf([unread("cpu"), unread("memory"), unread("disk")])).toMatchObject([
    { message: "cannot be reached", sinks: 3 },
  ]);
});

test("the first to fail and the first to lose data count", () => {
  const times = (since: number, loses?: number) => ({
    stateSince: at(since),
    ...(loses === undefined ? {} : { losesDataAt: at(loses) }),
  });
  const [group] = groupsOf([
    sink("Suspended", "401", times(20, 50)),
    sink("Suspended", "401", times(10)),
    sink("Suspended", "401", times(15, 40)),
  ]);
  expect(group).toMatchObject({ since: at(10), losesDataAt: at(40) });
});
