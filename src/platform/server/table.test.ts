import { expect, test } from "vitest";
import { exportPolicyKind } from "./kinds/export-policy.ts";
import { secretKind } from "./kinds/secret.ts";
import { columnDefinitions, humanDuration, type IncludeObject, type MetaVersion, tableRow } from "./table.ts";

const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

test.each([
  [-5 * second, "<invalid>"],
  [-1, "0s"],
  [0, "0s"],
  [119 * second, "119s"],
  [2 * minute, "2m"],
  [5 * minute + 10 * second, "5m10s"],
  [10 * minute + 10 * second, "10m"],
  [179 * minute, "179m"],
  [3 * hour, "3h"],
  [5 * hour + 30 * minute, "5h30m"],
  [47 * hour, "47h"],
  [2 * day + 4 * hour, "2d4h"],
  [8 * day + 4 * hour, "8d"],
  [729 * day, "729d"],
  [800 * day, "2y70d"],
  [3000 * day, "8y"],
])("%d ms is %s", (ms, expected) => {
  expect(humanDuration(ms)).toBe(expected);
});

const row = (include: IncludeObject, metaVersion: MetaVersion = "v1") => ({ include, metaVersion });

test("a row has a cell for each column", () => {
  const secret = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "s", creationTimestamp: "2026-11-20T00:00:00Z" },
    type: "Opaque",
    data: { a: "", b: "" },
  };
  const nowMs = Date.parse("2026-11-20T00:01:00Z");
  expect(columnDefinitions(secretKind).map(({ name }) => name)).toEqual(["Name", "Type", "Data", "Age"]);
  expect(tableRow(secretKind, secret, row("None"), nowMs)).toEqual({
    cells: ["s", "Opaque", "2", "60s"],
    object: null,
  });
  expect(tableRow(secretKind, secret, row("Metadata"), nowMs)["object"]).toEqual({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: secret.metadata,
  });
  expect(tableRow(secretKind, secret, row("Object"), nowMs)["object"]).toBe(secret);
});

test("the table of a custom kind is that of a CRD: Age is a date, what is not there is null", () => {
  const kind = exportPolicyKind("example");
  const policy = { apiVersion: "telemetry.example/v1alpha1", kind: "ExportPolicy", metadata: { name: "p" } };
  expect(columnDefinitions(kind).map(({ name, type }) => [name, type])).toEqual([
    ...[
      ["Name", "string"],
      ["Ready", "string"],
      ["Reason", "string"],
      ["Message", "string"],
    ],
    ["Age", "date"],
  ]);
  expect(tableRow(kind, policy, row("Metadata", "v1beta1"), 0)).toEqual({
    cells: ["p", null, null, null, "<unknown>"],
    object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1", metadata: { name: "p" } },
  });
});
