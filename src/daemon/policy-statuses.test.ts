import { expect, test } from "vitest";
import { systemClock } from "../core/clock.ts";
import type { ExporterSnapshot } from "../export/exporter.ts";
import { SinkStats } from "../export/sink-stats.ts";
import { delivering, type Standing } from "../export/standing.ts";
import { checkExportPolicy } from "../policy/check-policy.ts";
import { PolicyStore } from "../policy/store.ts";
import { desiredPlans, PolicyStatuses } from "./policy-statuses.ts";

const manifest = {
  apiVersion: "telemetry.platformapis/v1alpha1",
  kind: "ExportPolicy",
  metadata: { name: "export", namespace: "shop" },
  spec: {
    sources: [{ name: "up", metrics: { metricsql: "up" } }],
    sinks: ["one", "two"].map((name) => ({
      name,
      sources: ["up"],
      target: { prometheusRemoteWrite: { endpoint: `https://${name}.example.com/write?token=x` } },
    })),
  },
};

/** The policy's conditions and those of its sinks, as `type status reason`, where the second sink stands like this. */
function conditionsWith(standing: Standing): Record<string, string[]> {
  const store = new PolicyStore();
  const { checked } = checkExportPolicy(manifest, { plane: "web", unknownFields: "error" });
  if (checked === undefined) throw new Error("the manifest has no name");
  store.putPolicy(checked);
  const snapshots = desiredPlans(store).map(
    (plan): ExporterSnapshot => ({
      plan,
      standing: plan.name === "two" ? standing : delivering,
      sources: [],
      lagMs: 0,
      periodMs: 15_000,
      stats: new SinkStats(0),
    }),
  );
  const [view] = new PolicyStatuses(store, () => snapshots, systemClock).views();
  const texts = (conditions: readonly { type: string; status: string; reason: string }[] = []) =>
    conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`);
  return {
    policy: texts(view?.conditions),
    ...Object.fromEntries(view?.sinks.map(({ name, conditions }) => [name, texts(conditions)]) ?? []),
  };
}

const trouble = { times: 1, untilMs: 0, message: "10.0.0.1 is private" };

test("all is well", () => {
  expect(conditionsWith(delivering)).toEqual({
    policy: ["Ready True SinksAccepted"],
    one: ["Accepted True SinkConfigured", "Delivering True UpToDate"],
    two: ["Accepted True SinkConfigured", "Delivering True UpToDate"],
  });
});

test("an endpoint that must not be sent to is an InvalidTarget of this sink alone", () => {
  expect(conditionsWith({ kind: "forbidden", ...trouble })).toEqual({
    policy: ["Ready False SinksNotAccepted"],
    one: ["Accepted True SinkConfigured", "Delivering True UpToDate"],
    two: ["Accepted False InvalidTarget", "Delivering False Suspended"],
  });
});

test("trouble with delivery leaves the policy ready", () => {
  expect(conditionsWith({ kind: "suspended", ...trouble })).toMatchObject({
    policy: ["Ready True SinksAccepted"],
    two: ["Accepted True SinkConfigured", "Delivering False Suspended"],
  });
});
