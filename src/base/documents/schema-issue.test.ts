import { describe, expect, test } from "vitest";
import { z } from "zod";
import { checkSchema, oneOf, reportIssue, show } from "./schema-issue.ts";

const schema = z.object({
  text: z.string().min(1).max(3).optional(),
  count: z.int().min(1).max(5).optional(),
  kind: z.enum(["replay", "drop"]).optional(),
  list: z.array(z.boolean()).min(1).max(2).optional(),
  even: z
    .number()
    .superRefine((value, context) => {
      if (value % 2 !== 0) reportIssue(context, "must be even", { reason: "FieldValueNotSupported" });
    })
    .optional(),
  needed: z.string().prefault("x"),
});

describe("what is wrong, in words and as Kubernetes' reason", () => {
  test.each<[unknown, string, string]>([
    [{ text: 5 }, "text", "FieldValueTypeInvalid must be text, not 5"],
    [{ text: "" }, "text", "FieldValueRequired must not be empty"],
    [{ text: "abcd" }, "text", "FieldValueTooLong must have at most 3 characters, not 4"],
    [{ count: 0 }, "count", "FieldValueInvalid must be at least 1, not 0"],
    [{ count: 1.5 }, "count", "FieldValueTypeInvalid must be a whole number, not 1.5"],
    [
      { kind: "Drop" },
      "kind",
      'FieldValueNotSupported must be replay or drop, not "Drop" (did you mean "drop"?)',
    ],
    [{ kind: 7 }, "kind", "FieldValueNotSupported must be replay or drop, not 7"],
    [{ list: [] }, "list", "FieldValueRequired must have at least 1 item"],
    [{ list: [true, false, true] }, "list", "FieldValueTooMany must have at most 2 items, not 3"],
    [{ list: {} }, "list", "FieldValueTypeInvalid must be a list, not an object"],
    [{ list: ["x"] }, "list.0", 'FieldValueTypeInvalid must be true or false, not "x"'],
    [{ even: 3 }, "even", "FieldValueNotSupported must be even"],
    [{ needed: null }, "needed", "FieldValueRequired is required"],
    ["text", "", 'FieldValueTypeInvalid must be an object, not "text"'],
  ])("%j", (input, path, expected) => {
    const { issues } = checkSchema(schema, input, ["base"]);
    expect(issues?.map((issue) => `${issue.reason} ${issue.message}`)).toEqual([expected]);
    expect(issues?.[0]?.path.join(".")).toBe(path === "" ? "base" : `base.${path}`);
  });

  test("what is right comes out", () => {
    expect(checkSchema(schema, { count: 2 })).toEqual({ value: { count: 2, needed: "x" } });
  });
});

test("a value in a message is short and without a credential", () => {
  expect(show("http://user:hunter2@host/")).toBe('"http://***@host/"');
  expect(show("x".repeat(100))).toBe(`"${"x".repeat(60)}…"`);
  expect([show([1]), show({}), show(null), show(true)]).toEqual(["a list", "an object", "nothing", "true"]);
});

test("oneOf", () => {
  expect([oneOf([]), oneOf(["a"]), oneOf(["a", "b", "c"])]).toEqual(["", "a", "a, b or c"]);
});
