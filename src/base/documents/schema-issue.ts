import type { z } from "zod";
import { characterCount } from "../core/character-count.ts";
import { redact } from "../log/redact.ts";
import { suggestion } from "./closest.ts";
import type { DocumentPath } from "./yaml/document-path.ts";

/** The kind of an issue, as in the causes of a rejected Kubernetes object (metav1.CauseType). */
export type CauseReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueNotFound"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany";

/** A schema violation, in words. */
interface SchemaIssue {
  readonly path: DocumentPath;
  readonly reason: CauseReason;
  /** The problem and what is expected, to follow the path: `must be a number, not "x"`. */
  readonly message: string;
}

/** The outcome of {@link checkSchema}: the schema's output, or the issues of the input. */
type Checked<T> =
  | { readonly value: T; readonly issues?: never }
  | { readonly issues: readonly SchemaIssue[] };

/**
 * Checks `input` and reports every issue at once. `basePath` is prepended to their paths. A strict object's
 * unknown keys make the input invalid but are not issues here: `unknownKeys` finds them all, each with the
 * known keys at its place.
 */
export function checkSchema<T extends z.ZodType>(
  schema: T,
  input: unknown,
  basePath: DocumentPath = [],
): Checked<z.output<T>> {
  const result = schema.safeParse(input, { reportInput: true });
  if (result.success) return { value: result.data };
  const issues = result.error.issues.filter((issue) => issue.code !== "unrecognized_keys");
  return { issues: issues.map((issue) => describeIssue(issue, basePath)) };
}

/** Reports an issue with its reason from a schema's custom check. */
export function reportIssue(
  context: z.RefinementCtx,
  message: string,
  options: { reason?: CauseReason; path?: DocumentPath } = {},
): void {
  context.addIssue({
    code: "custom",
    message,
    path: [...(options.path ?? [])],
    params: { reason: options.reason ?? "FieldValueInvalid" },
  });
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  record: "an object",
  null: "nothing",
  undefined: "nothing",
};

function describeIssue(issue: z.core.$ZodIssue, basePath: DocumentPath): SchemaIssue {
  const path = [...basePath, ...issue.path.map((step) => (typeof step === "symbol" ? String(step) : step))];
  return { path, ...describeProblem(issue) };
}

function describeProblem(issue: z.core.$ZodIssue): Omit<SchemaIssue, "path"> {
  switch (issue.code) {
    case "invalid_type": {
      if (issue.input === undefined || issue.input === null) {
        return { reason: "FieldValueRequired", message: "is required" };
      }
      // The schema's own message, if it has one.
      if (!issue.message.startsWith("Invalid input")) {
        return { reason: "FieldValueTypeInvalid", message: issue.message };
      }
      const expected = typeNames[issue.expected] ?? issue.expected;
      return { reason: "FieldValueTypeInvalid", message: `must be ${expected}, not ${show(issue.input)}` };
    }
    case "invalid_value": {
      if (issue.input === undefined) return { reason: "FieldValueRequired", message: "is required" };
      const values = issue.values.map(String);
      const hint = typeof issue.input === "string" ? suggestion(issue.input, values) : "";
      return {
        reason: "FieldValueNotSupported",
        message: `must be ${oneOf(values)}, not ${show(issue.input)}${hint}`,
      };
    }
    case "too_small":
    case "too_big":
      return describeSize(issue);
    case "custom": {
      const reason = issue.params?.["reason"] as CauseReason | undefined;
      return { reason: reason ?? "FieldValueInvalid", message: issue.message };
    }
    default:
      return { reason: "FieldValueInvalid", message: issue.message };
  }
}

function describeSize(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): Omit<SchemaIssue, "path"> {
  const small = issue.code === "too_small";
  const limit = small ? issue.minimum : issue.maximum;
  const bound = `at ${small ? "least" : "most"} ${limit}`;
  switch (issue.origin) {
    case "array": {
      const length = Array.isArray(issue.input) ? issue.input.length : 0;
      const items = limit === 1 ? "item" : "items";
      if (small && length === 0)
        return { reason: "FieldValueRequired", message: `must have ${bound} ${items}` };
      return {
        reason: small ? "FieldValueInvalid" : "FieldValueTooMany",
        message: `must have ${bound} ${items}, not ${length}`,
      };
    }
    case "string": {
      const length = typeof issue.input === "string" ? characterCount(issue.input) : 0;
      if (small && length === 0) return { reason: "FieldValueRequired", message: "must not be empty" };
      const reason = small ? "FieldValueInvalid" : "FieldValueTooLong";
      return { reason, message: `must have ${bound} characters, not ${length}` };
    }
    default:
      return { reason: "FieldValueInvalid", message: `must be ${bound}, not ${show(issue.input)}` };
  }
}

/** `a, b or c` */
export function oneOf(values: readonly string[]): string {
  const last = values.at(-1) ?? "";
  return values.length < 2 ? last : `${values.slice(0, -1).join(", ")} or ${last}`;
}

/** Formats a value for a message: short, and without credentials. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (value === undefined || value === null) return "nothing";
  if (typeof value !== "string") return String(value);
  const text = redact(value);
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}
