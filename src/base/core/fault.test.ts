import { expect, test } from "vitest";
import { type Fault, FaultsError, hasErrors, printFault, sortFaults } from "./fault.ts";

const fault = (members: Partial<Fault>): Fault => ({
  severity: "error",
  file: "a.yaml",
  path: "spec",
  message: "is wrong",
  ...members,
});

test.each<[Partial<Fault>, string]>([
  [{ line: 3, column: 5 }, "a.yaml:3:5: error: spec: is wrong"],
  [{ path: "" }, "a.yaml: error: is wrong"],
  [{ severity: "warning", file: "--set a.b" }, "--set a.b: warning: spec: is wrong"],
  [{ line: 1, column: 1, excerpt: "up{\n   ^" }, "a.yaml:1:1: error: spec: is wrong\n    up{\n       ^"],
  [{ path: "\u001b[2J\n" }, "a.yaml: error: \uFFFD[2J\uFFFD: is wrong"],
])("%j", (members, text) => {
  expect(printFault(fault(members))).toBe(text);
});

test("files by name, then from top to bottom", () => {
  const faults = [
    fault({ file: "b", line: 1 }),
    fault({ file: "a", line: 10, column: 1 }),
    fault({ file: "a", line: 9, column: 7 }),
    fault({ file: "a", line: 9, column: 2 }),
    fault({ file: "a" }),
  ];
  expect(sortFaults(faults).map(({ file, line, column }) => [file, line, column])).toEqual([
    ["a", undefined, undefined],
    ["a", 9, 2],
    ["a", 9, 7],
    ["a", 10, 1],
    ["b", 1, undefined],
  ]);
});

test("an error of many faults", () => {
  const faults = [fault({ severity: "warning" }), fault({})];
  const error = new FaultsError("INVALID_MANIFEST", faults);
  expect(error.message).toBe("a.yaml: warning: spec: is wrong\na.yaml: error: spec: is wrong");
  expect([error.exitStatus, error.faults, hasErrors(faults), hasErrors(faults.slice(0, 1))]).toEqual([
    2,
    faults,
    true,
    false,
  ]);
});
