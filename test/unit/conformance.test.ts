import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  conformanceText,
  documentFile,
  expected,
  failing,
  inDocument,
  passing,
  unsupported,
} from "../conformance/expectations.ts";

test("docs/http-proxies.md says which tests of the Gateway API's conformance suite pass", () => {
  expect(inDocument.exec(readFileSync(documentFile, "utf8"))?.[0]).toBe(conformanceText());
});

test("a test of the suite has one outcome", () => {
  const groups = [...failing, ...unsupported].flatMap(({ tests }) => tests);
  expect(expected.size).toBe(passing.length + groups.length);
});
