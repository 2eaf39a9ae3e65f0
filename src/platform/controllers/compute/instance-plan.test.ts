import fc from "fast-check";
import { expect, test } from "vitest";
import type { KubeObject } from "../../../kube-server/api/object.ts";
import { countInstances, planInstances } from "./instance-plan.ts";

interface Given {
  readonly ordinal: number;
  readonly isNew?: boolean;
  readonly isAvailable?: boolean;
  readonly isLeaving?: boolean;
}

function instance({ ordinal, isNew = true, isAvailable = true, isLeaving = false }: Given) {
  const object: KubeObject = {
    apiVersion: "compute.platformapis/v1alpha",
    kind: "Instance",
    metadata: { name: `web-${ordinal}`, ...(isLeaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}) },
    spec: { controller: { templateHash: isNew ? "new" : "old" } },
    status: { conditions: [{ type: "Available", status: isAvailable ? "True" : "False" }] },
  };
  return { ordinal, object };
}

const nameOf = (object: KubeObject | undefined) => object?.metadata.name;

test.each<[string, readonly Given[], number, object]>([
  ["nothing yet", [], 2, { missing: [0, 1] }],
  ["all there", [{ ordinal: 0 }, { ordinal: 1 }], 2, {}],
  [
    "fewer are wanted",
    [{ ordinal: 0 }, { ordinal: 1 }, { ordinal: 2 }],
    1,
    { superfluous: ["web-2", "web-1"] },
  ],
  ["one is leaving", [{ ordinal: 0 }, { ordinal: 1, isLeaving: true }], 2, {}],
  ["an older template: the highest first", [old(0), old(1)], 2, { replaced: ["web-1"] }],
  ["one at a time", [old(0), { ordinal: 1, isAvailable: false }], 2, {}],
  ["not while one is missing", [old(0)], 2, { missing: [1] }],
  ["not while one leaves", [old(0), { ordinal: 1, isLeaving: true }], 2, {}],
  [
    "one that is not available goes first",
    [{ ...old(0), isAvailable: false }, old(1)],
    2,
    { replaced: ["web-0"] },
  ],
  [
    "all that are not available go at once, also while one is missing or new",
    [{ ...old(0), isAvailable: false }, { ...old(1), isAvailable: false }, old(2), { ordinal: 4 }],
    5,
    { missing: [3], replaced: ["web-1", "web-0"] },
  ],
  ["one that leaves is not deleted again", [{ ...old(0), isAvailable: false, isLeaving: true }], 1, {}],
])("%s", (_, given, wanted, expected) => {
  const plan = planInstances(given.map(instance), wanted, "new");
  expect({
    missing: plan.missing,
    superfluous: plan.superfluous.map(nameOf),
    replaced: plan.replaced.map(nameOf),
  }).toEqual({ missing: [], superfluous: [], replaced: [], ...expected });
});

function old(ordinal: number): Given {
  return { ordinal, isNew: false };
}

test("a rollout reaches the new template, and never takes more than one away", () => {
  fc.assert(
    fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 8 }), (available) => {
      const wanted = available.length;
      const before = available.filter(Boolean).length;
      let instances = available.map((isAvailable, ordinal) => instance({ ...old(ordinal), isAvailable }));
      for (let step = 0; step < 3 * wanted; step++) {
        const { missing, replaced } = planInstances(instances, wanted, "new");
        instances = instances.filter(({ object }) => !replaced.includes(object));
        instances.push(...missing.map((ordinal) => instance({ ordinal })));
        const objects = instances.map(({ object }) => object);
        expect(countInstances(objects, "new").readyReplicas).toBeGreaterThanOrEqual(
          Math.min(before, wanted - 1),
        );
      }
      expect(instances.every(({ object }) => nameOf(object) !== undefined)).toBe(true);
      const objects = instances.map(({ object }) => object);
      expect(countInstances(objects, "new")).toEqual({
        ...{ replicas: wanted, currentReplicas: wanted, readyReplicas: wanted },
      });
    }),
  );
});
