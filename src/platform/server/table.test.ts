import { expect, test } from "vitest";
import { secretKind } from "./kinds/core/secret.ts";
import { ageColumn, type PrinterColumn } from "./kinds/kind.ts";
import { exportPolicyKind } from "./kinds/telemetry/export-policy.ts";
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
    ["Name", "string"],
    ["Ready", "string"],
    ["Delivering", "string"],
    ["Reason", "string"],
    ["Last Delivered", "date"],
    ["Age", "date"],
    ["Message", "string"],
  ]);
  expect(tableRow(kind, policy, row("Metadata", "v1beta1"), 0)).toEqual({
    cells: ["p", null, null, null, null, "<unknown>", null],
    object: { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1beta1", metadata: { name: "p" } },
  });
});

test("an ExportPolicy's row tells how delivery stands", () => {
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
    row("None", "v1"),
    Date.UTC(2026, 10, 20, 0, 10),
  );
  expect(cells).toEqual(["p", "True", "False", "Retrying", "4m29s", "10m", "s: HTTP 503"]);
});

test("Age stands where the kind puts it, and a list is shown as JSON", () => {
  const column = (name: string, value: PrinterColumn["value"]): PrinterColumn => {
    return { name, type: "string", description: name, priority: 0, value };
  };
  const none: PrinterColumn = { ...column("Used", () => null), type: "date" };
  const families = column("Families", () => ["IPv4", "IPv6"]);
  const kind = { ...exportPolicyKind("example"), columns: [ageColumn, families, none] };
  const metadata = { name: "p", creationTimestamp: "2026-11-20T00:00:00Z" };
  const object = { apiVersion: "telemetry.example/v1alpha1", kind: "ExportPolicy", metadata };
  expect(columnDefinitions(kind).map(({ name, type }) => [name, type])).toEqual([
    ["Name", "string"],
    ["Age", "date"],
    ["Families", "string"],
    ["Used", "date"],
  ]);
  const nowMs = Date.parse("2026-11-20T00:01:00Z");
  expect(tableRow(kind, object, row("None"), nowMs)["cells"]).toEqual(["p", "60s", '["IPv4","IPv6"]', null]);
  expect(columnDefinitions({ ...kind, builtIn: true })[1]).toMatchObject({ name: "Age", type: "string" });
});
