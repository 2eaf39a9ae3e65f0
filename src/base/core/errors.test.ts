import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeError, errnoCode, errorTable, TelemetrydError } from "./errors.ts";

test("docs/errors.md and the table name the same codes, with the same exit status", () => {
  const document = readFileSync(new URL("../../../docs/errors.md", import.meta.url), "utf8");
  const documented = [...document.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (.+) \|$/gm)].map(
    ([, code, status, meaning]) => ({ code, exitStatus: Number(status), meaning }),
  );
  expect(documented).toEqual(Object.entries(errorTable).map(([code, entry]) => ({ code, ...entry })));
});

describe("describeError", () => {
  test.each([
    [new Error("plain"), "plain"],
    ["text", "text"],
    [
      new Error("fetch failed", { cause: new Error("connect ECONNREFUSED") }),
      "fetch failed: connect ECONNREFUSED",
    ],
    [new Error("a: b", { cause: new Error("b") }), "a: b"],
    [new AggregateError([new Error("first"), new Error("second")]), "first"],
    [Object.assign(new Error(""), { code: "EPIPE" }), "EPIPE"],
    [undefined, "unknown error"],
  ])("%s", (error, expected) => {
    expect(describeError(error)).toBe(expected);
  });
});

test("an error knows its exit status and keeps its cause", () => {
  const cause = new Error("cause");
  const error = new TelemetrydError("STATE_LOCKED", "held by 12", { cause });
  expect([error.exitStatus, error.cause, error.code]).toEqual([3, cause, "STATE_LOCKED"]);
});

test("errnoCode reads system errors only", () => {
  expect(errnoCode(Object.assign(new Error(), { code: "ENOENT" }))).toBe("ENOENT");
  expect(errnoCode(null)).toBeUndefined();
  expect(errnoCode({ code: 7 })).toBeUndefined();
});
