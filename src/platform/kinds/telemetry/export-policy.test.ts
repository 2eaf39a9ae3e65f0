import { expect, test } from "vitest";
import { columnDefinitions, tableRow } from "../../../kube-server/api/table.ts";
import { exportPolicyKind } from "./export-policy.ts";

test("the table of a custom kind is that of a CRD: Age is a date, what is not there is null", () => {
  const kind = exportPolicyKind("example");
  const policy = { apiVersion: "telemetry.example/v1alpha1", kind: "ExportPolicy", metadata: { name: "p" } };
  expect(columnDefinitions(kind).map(({ name, type }) => [name, type])).toEqual([
    ["Name", "string"],
    ["Ready", "string"],
    ["Delivering", "string"],
    ["Reason", "string"],
    ["Last Delivered", "date"],
    ["Age", "date"],
    ["Message", "string"],
  ]);
  expect(tableRow(kind, policy, { include: "Metadata", metaVersion: "v1beta1" }, 0)).toEqual({
    cells: ["p", null, null, null, null, "<unknown>", null],
    object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1", metadata: { name: "p" } },
  });
});

test("an ExportPolicy's row has the state of delivery", () => {
  const since = { message: "m", lastTransitionTime: "2026-11-20T00:00:00Z" };
  const conditions = [
    { type: "Ready", status: "True", reason: "SinksAccepted", ...since },
    { type: "Delivering", status: "False", reason: "Retrying", ...since, message: "s: HTTP 503" },
  ];
  const policy = {
    ...{ apiVersion: "telemetry.example/v1alpha1", kind: "ExportPolicy" },
    metadata: { name: "p", creationTimestamp: "2026-11-20T00:00:00Z" },
    status: { conditions, lastDeliveredTime: "2026-11-20T00:05:30.500Z" },
  };
  const { cells } = tableRow(
    exportPolicyKind("example"),
    policy,
    { include: "None", metaVersion: "v1" },
    Date.UTC(2026, 10, 20, 0, 10),
  );
  expect(cells).toEqual(["p", "True", "False", "Retrying", "4m29s", "10m", "s: HTTP 503"]);
});
