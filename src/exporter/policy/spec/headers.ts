import { z } from "zod";
import { reportIssue, show } from "../../../base/documents/schema-issue.ts";
import { remoteWriteHeaderProblem, reservedHeaders as reserved } from "../../../base/http/header-problem.ts";
import { secretKeyOf } from "./authentication.ts";
import { policyLimits, rules, secretKey, secretName, text } from "./schema-fields.ts";
import type { HeaderValue } from "./types.ts";

/** A sink's `headers`, in the form of a container's environment variables. */

const reservedNames = reserved.map((name) => `'${name}'`).join(", ");

const header = z
  .object({
    name: text(policyLimits.headerNameLength).meta({
      description: "Name of the header, in any case",
      pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
      ...rules([
        `!(self.lowerAscii() in [${reservedNames}]) && !self.lowerAscii().startsWith('content-')`,
        "must not be a header that telemetryd sets, or that holds credentials",
      ]),
    }),
    value: z
      .string()
      .meta({
        description: "The value as it is",
        maxLength: policyLimits.headerValueLength,
        pattern: "^[\\t\\x20-\\x7e\\x80-\\xff]*$",
      })
      .optional(),
    valueFrom: z
      .object({
        secretKeyRef: z
          .object({
            name: secretName,
            key: secretKey.meta({ description: "Key in the Secret's data" }),
          })
          .meta({ description: "A Secret in the policy's namespace" }),
      })
      .meta({ description: "Where the value is" })
      .optional(),
  })
  .meta(rules(["has(self.value) != has(self.valueFrom)", "must have a value or valueFrom, and not both"]))
  .superRefine(({ name, value, valueFrom }, context) => {
    const problem = name === "" ? undefined : headerFault(name, value ?? "");
    if (problem !== undefined) reportIssue(context, problem, { path: ["name"] });
    if (value === undefined && valueFrom === undefined) {
      reportIssue(context, "is required, or valueFrom", { reason: "FieldValueRequired", path: ["value"] });
    } else if (value !== undefined && valueFrom !== undefined) {
      reportIssue(context, "cannot be given together with value; keep one", { path: ["valueFrom"] });
    }
  });

/** @returns what is wrong with a header that a policy adds, after its name */
export function headerFault(name: string, value: string): string | undefined {
  if (value.length > policyLimits.headerValueLength) {
    return `has a value of more than ${policyLimits.headerValueLength} characters`;
  }
  return remoteWriteHeaderProblem(name, value);
}

export const headers = z
  .array(header)
  .max(policyLimits.headers)
  .meta({
    description: "Further headers of the requests, such as X-Scope-OrgID",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    ...rules([
      "self.all(a, self.exists_one(b, a.name.lowerAscii() == b.name.lowerAscii()))",
      "must have each name once, in any case",
    ]),
  })
  .superRefine((list, context) => {
    const seen = new Set<string>();
    for (const [index, { name }] of list.entries()) {
      const lower = name.toLowerCase();
      if (seen.has(lower)) {
        const message = `names ${show(name)} a second time; keep one`;
        reportIssue(context, message, { reason: "FieldValueDuplicate", path: [index, "name"] });
      }
      seen.add(lower);
    }
  });

export function headerValues(
  list: z.output<typeof headers> | undefined,
): ReadonlyMap<string, HeaderValue> | undefined {
  if (list === undefined || list.length === 0) return undefined;
  return new Map(
    list.map(({ name, value, valueFrom }) => [
      name.toLowerCase(),
      valueFrom === undefined ? (value ?? "") : secretKeyOf(valueFrom.secretKeyRef),
    ]),
  );
}
