import { expect, test } from "vitest";
import { parseMetadata } from "./metric-metadata.ts";

const parsed = (value: unknown) => parseMetadata(Buffer.from(JSON.stringify(value)));

test("the first description of each metric counts; what has no known type is left out", () => {
  const data = {
    up: [{ type: "gauge", help: "Whether.", unit: "" }],
    seconds: [
      { type: "histogram", help: "One.", unit: "seconds" },
      { type: "counter", help: "Another.", unit: "" },
    ],
    bare: [{ type: "counter" }],
    unknown: [{ type: "unknown", help: "", unit: "" }],
    none: [],
    odd: 7,
  };
  const families = parsed({ status: "success", data });
  expect(families).toEqual(
    new Map([
      ["up", { type: "gauge", help: "Whether.", unit: "" }],
      ["seconds", { type: "histogram", help: "One.", unit: "seconds" }],
      ["bare", { type: "counter", help: "", unit: "" }],
    ]),
  );
});

test.each([[[]], [{ status: "success" }], [{ data: 7 }], [null]])("%j is none", (value) => {
  expect(parsed(value)).toMatchObject({ kind: "failed", reason: "malformed_answer" });
});

test("text that is not JSON is none", () => {
  expect(parseMetadata(Buffer.from("<html>"))).toMatchObject({ kind: "failed", reason: "malformed_answer" });
});
