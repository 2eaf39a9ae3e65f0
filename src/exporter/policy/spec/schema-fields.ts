import { z } from "zod";
import { characterCount } from "../../../base/core/character-count.ts";
import { parseDuration } from "../../../base/core/duration.ts";
import { parseUrl } from "../../../base/core/url.ts";
import { reportIssue, show } from "../../../base/documents/schema-issue.ts";

/** Parts of the schema of ExportPolicy's spec, with their keywords for Kubernetes API servers. */

export const policyLimits = {
  sources: 20,
  sinks: 20,
  batchMaxSize: 5_000,
  retryMaxAttempts: 10,
  metricsqlLength: 16 * 1024,
  endpointLength: 2_048,
  nameLength: 63,
  secretNameLength: 253,
  durationLength: 64,
  batchMaxBytes: 16 * 2 ** 20,
  headers: 20,
  headerNameLength: 128,
  headerValueLength: 4 * 1024,
  /** Of client IDs, regions and the like. */
  idLength: 256,
  scopes: 20,
  endpointParams: 20,
  /** The longest key of a Secret that Kubernetes takes. */
  secretKeyLength: 253,
} as const;

/** Text, by default not empty. Kubernetes counts code points, zod's `max` counts UTF-16 code units. */
export function text(maxLength: number, minLength = 1) {
  return z
    .string()
    .min(minLength)
    .meta({ maxLength })
    .superRefine((value, context) => checkLength(value, maxLength, context));
}

function checkLength(value: string, maxLength: number, context: z.RefinementCtx): void {
  if (value.length <= maxLength || characterCount(value) <= maxLength) return;
  context.addIssue({ code: "too_big", origin: "string", maximum: maxLength, inclusive: true, input: value });
}

/** A rule in the Common Expression Language, for API servers that hold the CRD; this code checks the same. */
export function rules(...pairs: readonly (readonly [rule: string, message: string])[]) {
  return { "x-kubernetes-validations": pairs.map(([rule, message]) => ({ rule, message })) };
}

/** A list keyed by name, so that two appliers can each own sinks of one policy. */
export const listByName = {
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["name"],
} as const;

/**
 * Exactly one of several kinds. API servers prune unknown fields, and with them a second choice, before
 * validation; here they are preserved, to be counted.
 */
export const oneKind = { "x-kubernetes-preserve-unknown-fields": true, maxProperties: 1 } as const;

/** Go's time.ParseDuration, without a minus sign. */
const durationPattern = "^\\+?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$";

/** A positive duration with a default. Output in ms. */
export function duration(about: string, fallback: string, max: string) {
  return durationBetween(about, undefined, max).prefault(fallback);
}

/** A positive duration, as Kubernetes writes it. Output in ms. */
export function durationBetween(about: string, min: string | undefined, max: string) {
  const wanted = "must be a duration such as 500ms, 5s or 1m30s";
  const least = min === undefined ? "more than 0" : `at least ${min}`;
  const floor = min === undefined ? "> duration('0s')" : `>= duration('${min}')`;
  const bounds = `must be ${least} and at most ${max}`;
  return z
    .string({
      error: (issue) => (issue.input === undefined ? undefined : `${wanted}, not ${show(issue.input)}`),
    })
    .meta({
      description: `${about}; ${least}, at most ${max}`,
      pattern: durationPattern,
      // Bounds the cost that an API server estimates for the rule.
      maxLength: policyLimits.durationLength,
      ...rules([`duration(self) ${floor} && duration(self) <= duration('${max}')`, bounds]),
    })
    .superRefine((value, context) => checkLength(value, policyLimits.durationLength, context))
    .transform((value, context) => {
      const durationMs = parseDuration(value);
      if (durationMs === undefined) {
        reportIssue(context, `${wanted}, not ${show(value)}`);
        return z.NEVER;
      }
      if (
        durationMs <= 0 ||
        durationMs < (parseDuration(min ?? "") ?? 0) ||
        durationMs > (parseDuration(max) ?? 0)
      ) {
        reportIssue(context, `${bounds}, not ${value}`);
      }
      return durationMs;
    });
}

/** No user name or password, no fragment, nothing that a URL parser would correct. */
const endpointPattern =
  "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@:\\\\\\s\\p{Z}\\p{Cc}][^/?#@\\\\\\s\\p{Z}\\p{Cc}]*([/?][^#\\\\\\s\\p{Z}\\p{Cc}]*)?$";

/** An absolute http or https URL. */
export function urlField(description: string) {
  return text(policyLimits.endpointLength)
    .meta({
      description,
      pattern: endpointPattern,
      ...rules(
        ["isURL(self)", "must be an absolute http or https URL"],
        [
          "!isURL(self) || url(self).getPort() == '' || int(url(self).getPort()) <= 65535",
          "must have a port of at most 65535",
        ],
      ),
    })
    .superRefine((value, context) => {
      const problem = endpointProblem(value);
      if (problem !== undefined) reportIssue(context, problem);
    });
}

function endpointProblem(text: string): string | undefined {
  if (text === "") return undefined;
  // The URL parser corrects "http:/host" and strips spaces: requests must go to the address exactly as
  // written.
  const isClean = /^https?:\/\/[^/\s?#]/i.test(text) && !/[\s\p{Cc}\\]/u.test(text);
  const url = isClean ? parseUrl(text) : undefined;
  if (url === undefined) return `must be an absolute http or https URL, not ${show(text)}`;
  // Go's parser rejects these, and with it any Kubernetes API server that holds the CRD.
  if (/^[^?]*%(?![0-9a-f]{2})/i.test(text))
    return "must have two hexadecimal digits after each % of its path";
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text)) {
    return "must not hold a user name or password; use authentication.basicAuth with a Secret";
  }
  if (text.includes("#")) return "must not have a fragment (#)";
  return undefined;
}

export const secretName = text(policyLimits.secretNameLength).meta({ description: "Name of the Secret" });

/** Where a Secret's value is: `{ name, key }`. */
export function secretKeyRef(about: string, defaultKey: string) {
  return z
    .object({
      name: secretName,
      key: secretKey
        .meta({ description: `Key in the Secret's data (default: ${defaultKey})` })
        .prefault(defaultKey),
    })
    .meta({ description: `${about}: a Secret in the policy's namespace` });
}

export const secretKey = text(policyLimits.secretKeyLength)
  .meta({ pattern: "^[-._a-zA-Z0-9]+$" })
  .superRefine((key, context) => {
    if (key === "" || /^[-._a-zA-Z0-9]+$/.test(key)) return;
    reportIssue(context, `must be letters, digits, "-", "_" and ".", not ${show(key)}`);
  });
