import { describe, expect, test } from "vitest";
import type { Condition, PolicyStatus } from "../../../exporter/policy/status/conditions.ts";
import {
  beforeDoubt,
  knownStatus,
  mergedStatus,
  minIntervalMs,
  refreshMs,
  seenStatus,
  type WrittenStatus,
  writeDueMs,
} from "./status-decision.ts";

const condition = (fields: Partial<Condition> = {}): Condition => ({
  ...{ type: "Ready", status: "True", reason: "SinksAccepted", message: "m", observedGeneration: 1 },
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...fields,
});
const status = (fields: Partial<Condition> = {}, checkpoint = "2026-01-01T00:00:00Z"): PolicyStatus => ({
  conditions: [condition(fields)],
  sinks: [{ name: "s", conditions: [condition({ type: "Delivering", ...fields })], checkpoint }],
});

/** A status as the control plane has it after it was written. */
const inPlane = (wanted: PolicyStatus) => seenStatus(mergedStatus(undefined, wanted));

function isWriteDue(
  written: WrittenStatus | undefined,
  wanted: PolicyStatus,
  seen: ReturnType<typeof seenStatus> | undefined,
  nowMs: number,
  othersMs?: number,
): boolean {
  return writeDueMs(written, wanted, seen, nowMs, othersMs) <= nowMs;
}

const merged = (fields?: Partial<Condition>) => mergedStatus(undefined, status(fields));

const writtenStatus = (status: PolicyStatus, rewrites = 0): WrittenStatus => ({
  ...{ status, reported: status, writtenMs: 0, rewrites },
});

describe("when a status is written", () => {
  test.each([
    ["never written", undefined, status(), 0, true],
    ["the same", status(), status(), refreshMs, false],
    ["a transition", status(), status({ status: "False" }), minIntervalMs, true],
    ["a transition, soon", status(), status({ status: "False" }), minIntervalMs - 1, false],
    ["another reason", status(), status({ reason: "Other" }), minIntervalMs, true],
    ["a new generation", status(), status({ observedGeneration: 2 }), minIntervalMs, true],
    ["another message, soon", status(), status({ message: "n" }), refreshMs - 1, false],
    [
      "another fault of a Secret",
      status({ reason: "InvalidAuthentication" }),
      status({ reason: "InvalidAuthentication", message: "n" }),
      minIntervalMs,
      true,
    ],
    ["another message, late", status(), status({ message: "n" }), refreshMs, true],
    ["a checkpoint, soon", status(), status({}, "2026-01-01T00:01:00Z"), 60_000, false],
    ["a checkpoint, late", status(), status({}, "2026-01-01T00:01:00Z"), refreshMs, true],
    ["a sink more", { ...status(), sinks: [] }, status(), minIntervalMs, true],
    ["another sink", status(), { ...status(), sinks: [{ name: "t", conditions: [] }] }, minIntervalMs, true],
  ])("%s", (_name, before, wanted, nowMs, expected) => {
    const written = before && writtenStatus(before);
    expect(isWriteDue(written, wanted, undefined, nowMs)).toBe(expected);
    // Reading back our own status changes nothing.
    expect(isWriteDue(written, wanted, inPlane(wanted), nowMs)).toBe(expected);
  });

  test.each([
    ["what we said", merged(), 0, refreshMs, false],
    ["another one's word, when ours may still be on its way", merged({ status: "False" }), 0, 9_999, false],
    ["another one's word", merged({ status: "False" }), 0, 10_000, true],
    ["another one's reason", merged({ reason: "Other" }), 0, 10_000, true],
    ["another one's word that comes back again and again", merged({ status: "False" }), 2, 39_999, false],
    ["and then", merged({ status: "False" }), 2, 40_000, true],
    ["never less often than a refresh", merged({ status: "False" }), 30, refreshMs, true],
    [
      "what another one says of a newer generation",
      merged({ status: "False", observedGeneration: 2 }),
      0,
      refreshMs,
      false,
    ],
    ["our conditions without the policy's Delivering", status(), 0, 10_000, true],
    ["nothing at all", {}, 0, 10_000, true],
    ["nonsense", { conditions: 1, sinks: [{ conditions: [null, {}] }] }, 0, 10_000, true],
  ])("the control plane has %s", (_name, present, rewrites, nowMs, expected) => {
    expect(isWriteDue(writtenStatus(status(), rewrites), status(), seenStatus(present), nowMs)).toBe(
      expected,
    );
  });

  test.each([
    ["a while ago", 5_000, 15_000],
    ["before our last write", -5_000, 10_000],
    ["all the time", refreshMs - 1, refreshMs],
  ])(
    "after another writer has written %s, a transition waits, but not for ever",
    (_name, othersMs, dueMs) => {
      const written = writtenStatus(status());
      expect(writeDueMs(written, status({ status: "False" }), undefined, othersMs, othersMs)).toBe(dueMs);
    },
  );
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
    const written = mergedStatus(present, status()) as {
      conditions: unknown;
      sinks: { conditions: Condition[] }[];
    };
    const delivering = condition({ type: "Delivering", message: "s: m" });
    expect(written.conditions).toEqual([condition({ lastTransitionTime: since }), delivering, foreign]);
    expect(written.sinks[0]?.conditions[0]?.lastTransitionTime).toBe("2026-01-01T00:00:00Z");
  });

  test.each([[undefined], [{}], [{ conditions: "x", sinks: [1] }]])("over %j", (present) => {
    const checkpoint = "2026-01-01T00:00:00Z";
    const delivering = condition({ type: "Delivering", message: "s: m" });
    expect(mergedStatus(present, status({}, checkpoint))).toEqual({
      ...status({}, checkpoint),
      conditions: [condition(), delivering],
      lastDeliveredTime: checkpoint,
    });
  });

  const accepted = condition({ type: "Accepted", reason: "SinkConfigured" });
  const retrying = condition({ type: "Delivering", status: "False", reason: "Retrying", message: "503" });
  const refused = { ...accepted, status: "False", reason: "InvalidSource", message: "no" } as const;

  test("the policy's Delivering and its oldest checkpoint are those of all sinks, of other replicas', too", () => {
    const [older, newer] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:05:00.000Z"];
    const present = {
      sinks: [
        { name: "a", conditions: [accepted, retrying], checkpoint: older },
        { name: "gone", conditions: [accepted], checkpoint: "2020-01-01T00:00:00Z" },
      ],
    };
    const own = [accepted, condition({ type: "Delivering", reason: "UpToDate" })];
    const sinks = [
      { name: "a", conditions: [accepted] },
      { name: "b", conditions: own, checkpoint: newer },
    ];
    expect(mergedStatus(present, { conditions: [condition()], sinks })).toMatchObject({
      conditions: [{ type: "Ready" }, { ...retrying, message: "a: 503" }],
      lastDeliveredTime: older,
    });
  });

  test("a sink that nobody has reported is starting, and has no checkpoint", () => {
    const wanted = { conditions: [condition()], sinks: [{ name: "a", conditions: [accepted] }] };
    expect(mergedStatus({ lastDeliveredTime: "2020-01-01T00:00:00Z" }, wanted)).toMatchObject({
      conditions: [{ type: "Ready" }, { type: "Delivering", status: "Unknown", reason: "Starting" }],
      lastDeliveredTime: null,
    });
  });

  test.each<[string, Condition, readonly Condition[]]>([
    ["is gone", retrying, [refused]],
    [
      "stays if it says that the address is blocked",
      { ...retrying, reason: "Suspended" },
      [refused, { ...retrying, reason: "Suspended" }],
    ],
  ])("how a sink delivered before it was not accepted %s", (_name, before, after) => {
    const present = { sinks: [{ name: "a", conditions: [accepted, before] }] };
    const wanted = { conditions: [condition()], sinks: [{ name: "a", conditions: [refused] }] };
    const written = mergedStatus(present, wanted);
    expect(written["sinks"]).toEqual([{ name: "a", conditions: after }]);
    expect(written["conditions"]).toMatchObject([{}, { reason: "InvalidSource", message: "a: no" }]);
  });
});

describe("a sink that another replica of the fleet runs", () => {
  const own = status();
  const elsewhere: PolicyStatus = { ...own, sinks: [{ name: "s", conditions: [] }] };

  test("what is not reported here is no change, and its return only if it differs", () => {
    expect(isWriteDue(writtenStatus(own), elsewhere, inPlane(own), 10_000)).toBe(false);
    const known = writtenStatus(knownStatus(own, elsewhere));
    expect(isWriteDue(known, own, inPlane(own), 10_000)).toBe(false);
    const failing = { ...own, sinks: status({ status: "False" }).sinks };
    expect(isWriteDue(known, failing, inPlane(own), 10_000)).toBe(true);
    // The other replica reported a failure; here the sink did not fail when it last ran.
    expect(isWriteDue(known, own, inPlane(failing), 10_000)).toBe(true);
  });

  test("its condition and its checkpoint stay as the other one wrote them", () => {
    const merged = mergedStatus({ ...own }, elsewhere);
    expect(merged["sinks"]).toEqual(own.sinks);
  });
});

describe("the status before a write whose response was lost", () => {
  const reported = status({ status: "False", reason: "Retrying" });
  const [before, after] = [inPlane(status()), inPlane(reported)];

  test.each([
    ["there was none", before, undefined, before],
    ["it was carried out", after, { before, reported }, before],
    ["it was not", before, { before, reported }, before],
    ["the conditions are new with it", after, { before: new Map(), reported }, new Map()],
  ])("%s", (_, present, doubt, expected) => {
    // The policy's own Delivering is made of its sinks'.
    const [found, wanted] = [beforeDoubt(present, doubt), new Map(expected)];
    for (const map of [found, wanted]) (map as Map<string, unknown>).delete(" Delivering");
    expect(found).toEqual(wanted);
  });

  test("what others have written since stays", () => {
    const others = inPlane(status({ status: "False", reason: "Suspended" }));
    expect(beforeDoubt(others, { before, reported })).toEqual(others);
  });
});
