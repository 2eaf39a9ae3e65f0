import { describe, expect, test } from "vitest";
import type { Condition, PolicyStatus } from "../../exporter/policy/status/conditions.ts";
import { isWriteDue, knownStatus, mergedStatus, refreshMs, seenStatus } from "./status-decision.ts";

const condition = (fields: Partial<Condition> = {}): Condition => ({
  ...{ type: "Ready", status: "True", reason: "SinksAccepted", message: "m", observedGeneration: 1 },
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...fields,
});
const status = (fields: Partial<Condition> = {}, checkpoint = "2026-01-01T00:00:00Z"): PolicyStatus => ({
  conditions: [condition(fields)],
  sinks: [{ name: "s", conditions: [condition({ type: "Delivering", ...fields })], checkpoint }],
});

describe("when a status is written", () => {
  test.each([
    ["never written", undefined, status(), 0, true],
    ["the same", status(), status(), refreshMs, false],
    ["a transition", status(), status({ status: "False" }), 1, true],
    ["another reason", status(), status({ reason: "Other" }), 1, true],
    ["a new generation", status(), status({ observedGeneration: 2 }), 1, true],
    ["another message, soon", status(), status({ message: "n" }), refreshMs - 1, false],
    [
      "another fault of a Secret, soon",
      status({ reason: "InvalidAuthentication" }),
      status({ reason: "InvalidAuthentication", message: "n" }),
      1,
      true,
    ],
    ["another message, late", status(), status({ message: "n" }), refreshMs, true],
    ["a checkpoint, soon", status(), status({}, "2026-01-01T00:01:00Z"), 60_000, false],
    ["a checkpoint, late", status(), status({}, "2026-01-01T00:01:00Z"), refreshMs, true],
    ["a sink more", { ...status(), sinks: [] }, status(), 1, true],
    ["another sink", status(), { ...status(), sinks: [{ name: "t", conditions: [] }] }, 1, true],
  ])("%s", (_name, before, wanted, nowMs, expected) => {
    const written = before && { status: before, writtenMs: 0, inVain: 0 };
    expect(isWriteDue(written, wanted, undefined, nowMs)).toBe(expected);
    // Reading back our own status changes nothing.
    expect(isWriteDue(written, wanted, seenStatus(wanted), nowMs)).toBe(expected);
  });

  test.each([
    ["what we said is there", status(), 0, refreshMs, false],
    ["another one's word, when ours may still be on its way", status({ status: "False" }), 0, 4_000, false],
    ["another one's word", status({ status: "False" }), 0, 5_000, true],
    ["another one's reason", status({ reason: "Other" }), 0, 5_000, true],
    ["another one's word that comes back again and again", status({ status: "False" }), 3, 39_999, false],
    ["and then", status({ status: "False" }), 3, 40_000, true],
    ["never less often than a refresh", status({ status: "False" }), 30, refreshMs, true],
    [
      "what another one says of a newer generation",
      status({ status: "False", observedGeneration: 2 }),
      0,
      refreshMs,
      false,
    ],
    ["nothing at all", {}, 0, 5_000, true],
    ["nonsense", { conditions: 1, sinks: [{ conditions: [null, {}] }] }, 0, 5_000, true],
  ])("the control plane has %s", (_name, present, inVain, nowMs, expected) => {
    expect(isWriteDue({ status: status(), writtenMs: 0, inVain }, status(), seenStatus(present), nowMs)).toBe(
      expected,
    );
  });
});

describe("what is written", () => {
  test("conditions of others stay, and times of what has not changed", () => {
    const since = "2025-05-05T00:00:00Z";
    const foreign = { type: "Audited", status: "True" };
    const present = {
      conditions: [foreign, { type: "Ready", status: "True", lastTransitionTime: since }],
      sinks: [
        { name: "s", conditions: [{ type: "Delivering", status: "False", lastTransitionTime: since }] },
      ],
    };
    const merged = mergedStatus(present, status()) as {
      conditions: unknown;
      sinks: { conditions: Condition[] }[];
    };
    expect(merged.conditions).toEqual([condition({ lastTransitionTime: since }), foreign]);
    expect(merged.sinks[0]?.conditions[0]?.lastTransitionTime).toBe("2026-01-01T00:00:00Z");
  });

  test.each([[undefined], [{}], [{ conditions: "x", sinks: [1] }]])("over %j", (present) => {
    expect(mergedStatus(present, status())).toEqual(status());
  });
});

describe("a sink that another replica of the fleet runs", () => {
  const own = status();
  const elsewhere: PolicyStatus = { ...own, sinks: [{ name: "s", conditions: [] }] };

  test("what is not told here is no change, and its return only if it differs", () => {
    expect(isWriteDue({ status: own, writtenMs: 0, inVain: 0 }, elsewhere, seenStatus(own), 10_000)).toBe(
      false,
    );
    const known = { status: knownStatus(own, elsewhere), writtenMs: 0, inVain: 0 };
    expect(isWriteDue(known, own, seenStatus(own), 10_000)).toBe(false);
    const failing = { ...own, sinks: status({ status: "False" }).sinks };
    expect(isWriteDue(known, failing, seenStatus(own), 1_000)).toBe(true);
    // The other replica reported a failure; here the sink did not fail when it last ran.
    expect(isWriteDue(known, own, seenStatus(failing), 10_000)).toBe(true);
  });

  test("its condition and its checkpoint stay as the other one wrote them", () => {
    const merged = mergedStatus({ ...own }, elsewhere);
    expect(merged["sinks"]).toEqual(own.sinks);
  });
});
