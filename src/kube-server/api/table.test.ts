import { expect, test } from "vitest";
import { secretKind } from "../kinds/secret.ts";
import { ageColumn, type PrinterColumn } from "./kind.ts";
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

test("Age stands where the kind puts it, and a list is shown as JSON", () => {
  const column = (name: string, value: PrinterColumn["value"]): PrinterColumn => {
    return { name, type: "string", description: name, priority: 0, value };
  };
  const none: PrinterColumn = { ...column("Used", () => null), type: "date" };
  const families = column("Families", () => ["IPv4", "IPv6"]);
  const kind = { ...secretKind, builtIn: false, columns: [ageColumn, families, none] };
  const metadata = { name: "p", creationTimestamp: "2026-11-20T00:00:00Z" };
  const object = { apiVersion: "v1", kind: "Secret", metadata };
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
