import { expect, test } from "vitest";
import type { KubeObject } from "../api/object.ts";
import { withStatus } from "./conditions.ts";

const object: KubeObject = {
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "a", generation: 3 },
  status: {
    conditions: [
      {
        ...{ type: "Ready", status: "False", reason: "Old", message: "old" },
        ...{ observedGeneration: 2, lastTransitionTime: "2026-01-01T00:00:00Z" },
      },
    ],
    kept: 1,
  },
};
const now = "2026-02-02T00:00:00Z";

test.each([
  ["another status: the time changes", "True", now],
  ["another reason only: the time stays", "False", "2026-01-01T00:00:00Z"],
] as const)("%s", (_, status, lastTransitionTime) => {
  const condition = { type: "Ready", status, reason: "New", message: "new" };
  expect(withStatus(object, [condition], { added: 2 }, now)["status"]).toEqual({
    conditions: [{ ...condition, observedGeneration: 3, lastTransitionTime }],
    ...{ kept: 1, added: 2 },
  });
});

test("the same object where nothing changes", () => {
  const condition = { type: "Ready", status: "True", reason: "New", message: "new" } as const;
  const once = withStatus(object, [condition], {}, now);
  expect(withStatus(once, [condition], { kept: 1 }, "2026-03-03T00:00:00Z")).toBe(once);
});
