import { describe, expect, test } from "vitest";
import { programOf } from "../../../test/support/gateway/route-program.ts";
import type { RouteProgram } from "../routing/route-program.ts";
import { LoadPace } from "./load-pace.ts";

const ofProject = (uid: string): RouteProgram =>
  programOf([], { plane: { type: "project", name: uid, uid, organization: "acme" } });
const [busy, quiet] = [ofProject("busy"), ofProject("quiet")];

/** As many loads for these programs, one a second, of which each takes this long. */
function paceAfter(loads: number, programs: readonly RouteProgram[], tookMs = 100): LoadPace {
  const pace = new LoadPace();
  for (let load = loads - 1; load >= 0; load--) pace.note(programs, -1_000 * load - tookMs, -1_000 * load);
  return pace;
}

describe("the next load, after one that ended at 0", () => {
  test.each([
    { what: "the first edits", pace: paceAfter(1, [busy]), changed: [busy], dueAtMs: 400 },
    {
      what: "a project that edits without end",
      pace: paceAfter(31, [busy]),
      changed: [busy],
      dueAtMs: 2_000,
    },
    { what: "another project beside it", pace: paceAfter(31, [busy]), changed: [busy, quiet], dueAtMs: 400 },
    { what: "what is no project's", pace: paceAfter(31, [busy]), changed: [], dueAtMs: 400 },
    { what: "loads that take long", pace: paceAfter(31, [busy], 3_000), changed: [busy], dueAtMs: 6_000 },
  ])("$what: after $dueAtMs ms", ({ pace, changed, dueAtMs }) => {
    expect(pace.dueAtMs(changed)).toBe(dueAtMs);
  });

  test("many projects that take turns", () => {
    const pace = new LoadPace();
    for (let load = 60; load >= 0; load--) pace.note([ofProject(String(load % 6))], -500 * load, -500 * load);
    expect(pace.dueAtMs([quiet])).toBe(2_000);
  });

  test("a minute later, nothing is left of it", () => {
    const pace = paceAfter(31, [busy]);
    pace.note([busy], 61_000, 61_100);
    expect(pace.dueAtMs([busy])).toBe(61_500);
  });

  test("before any load: at once", () => {
    expect(new LoadPace().dueAtMs([busy])).toBe(Number.NEGATIVE_INFINITY);
  });
});
