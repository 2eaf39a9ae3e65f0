import { expect, test } from "vitest";
import { brokenPolicies } from "../../../test/support/policy/broken-policies.ts";
import { printFault, sortFaults } from "../../base/core/fault.ts";
import { checkManifest } from "./spec/manifest.ts";

test.each(brokenPolicies)("%s", (_name, expected, text) => {
  const { faults } = checkManifest(text, "web.yaml", { plane: "directory", unknownFields: "error" });
  expect(
    sortFaults(faults).map((fault) =>
      printFault(fault)
        .replace(/^web\.yaml:/, "")
        .replace(/(is not MetricsQL: ).*( \(column)/, "$1…$2"),
    ),
  ).toEqual(expected);
});

test("nothing of a Secret's values is ever in a message", () => {
  const text = `apiVersion: v1
kind: Secret
metadata: { name: s }
type: kubernetes.io/basic-auth
data: { username: [hunter2], password: hunter2 }
stringData: { password: { hunter2: hunter2 } }
`;
  const { faults } = checkManifest(text, "s.yaml", { plane: "directory", unknownFields: "error" });
  expect(faults.length).toBeGreaterThan(0);
  expect(JSON.stringify(faults)).not.toContain("hunter2");
});
