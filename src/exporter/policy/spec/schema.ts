import { z } from "zod";
import { characterCount } from "../../../base/core/character-count.ts";
import { parseDuration } from "../../../base/core/duration.ts";
import { parseUrl } from "../../../base/core/url.ts";
import type { JsonSchema } from "../../../base/documents/json-schema.ts";
import { type CauseReason, reportIssue, show } from "../../../base/documents/schema-issue.ts";

/**
 * The wire form of ExportPolicy's spec (platform API, "ExportPolicy (telemetry export)") with the defaults
 * and bounds of its fields. The keywords in `meta` express the same for Kubernetes API servers; the CRD and
 * the platform use them verbatim. Rules between fields are in check-policy.ts.
 *
 * MetricsQL has no keyword: a query that cannot be parsed is reported in the policy's status.
 */

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
} as const;

/** Text of at least one character. Kubernetes counts code points, zod's `max` counts UTF-16 code units. */
function text(maxLength: number) {
  return z
    .string()
    .min(1)
    .meta({ maxLength })
    .superRefine((value, context) => checkLength(value, maxLength, context));
}

function checkLength(value: string, maxLength: number, context: z.RefinementCtx): void {
  if (value.length <= maxLength || characterCount(value) <= maxLength) return;
  context.addIssue({ code: "too_big", origin: "string", maximum: maxLength, inclusive: true, input: value });
}

/** A rule in the Common Expression Language, for API servers that hold the CRD; this code checks the same. */
function rules(...pairs: readonly (readonly [rule: string, message: string])[]) {
  return { "x-kubernetes-validations": pairs.map(([rule, message]) => ({ rule, message })) };
}

/** A list keyed by name, so that two appliers can each own sinks of one policy. */
const listByName = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] } as const;

/**
 * Exactly one of several kinds. API servers prune unknown fields, and with them a second choice, before
 * validation; here they are preserved, to be counted.
 */
const oneKind = { "x-kubernetes-preserve-unknown-fields": true, maxProperties: 1 } as const;

const namePattern = "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$";

/** Names of sources and sinks: RFC 1123 labels. */
const itemName = text(policyLimits.nameLength)
  .meta({ pattern: namePattern })
  .superRefine((name, context) => {
    if (name === "" || name.length > policyLimits.nameLength || new RegExp(namePattern).test(name)) return;
    reportIssue(
      context,
      `must be lower-case letters, digits and "-", beginning and ending with a letter or digit, not ${show(name)}`,
    );
  });

export const sourceSchema = z.object({
  name: itemName.meta({ description: "Name of the source; sinks refer to it" }),
  metrics: z
    .object({
      metricsql: text(policyLimits.metricsqlLength).meta({
        description: "MetricsQL query that selects the metrics",
      }),
    })
    .meta({ description: "Selection of the source's metrics; exactly one kind", ...oneKind }),
});

/** Go's time.ParseDuration, without a minus sign. */
const durationPattern = "^\\+?(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+$";

/** A positive duration, as Kubernetes writes it. Output in ms. */
function duration(about: string, fallback: string, max: string) {
  const wanted = "must be a duration such as 500ms, 5s or 1m30s";
  const bounds = `must be more than 0 and at most ${max}`;
  return z
    .string({
      error: (issue) => (issue.input === undefined ? undefined : `${wanted}, not ${show(issue.input)}`),
    })
    .meta({
      description: `${about}; more than 0, at most ${max}`,
      pattern: durationPattern,
      // Bounds the cost that an API server estimates for the rule.
      maxLength: policyLimits.durationLength,
      ...rules([`duration(self) > duration('0s') && duration(self) <= duration('${max}')`, bounds]),
    })
    .superRefine((value, context) => checkLength(value, policyLimits.durationLength, context))
    .transform((value, context) => {
      const durationMs = parseDuration(value);
      if (durationMs === undefined) {
        reportIssue(context, `${wanted}, not ${show(value)}`);
        return z.NEVER;
      }
      if (durationMs <= 0 || durationMs > (parseDuration(max) ?? 0)) {
        reportIssue(context, `${bounds}, not ${value}`);
      }
      return durationMs;
    })
    .prefault(fallback);
}

/** No user name or password, no fragment, nothing that a URL parser would correct. */
const endpointPattern =
  "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@:\\\\\\s\\p{Z}\\p{Cc}][^/?#@\\\\\\s\\p{Z}\\p{Cc}]*([/?][^#\\\\\\s\\p{Z}\\p{Cc}]*)?$";

const endpoint = text(policyLimits.endpointLength)
  .meta({
    description: "Remote-write endpoint: an absolute http or https URL",
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

export const sinkSchema = z.object({
  name: itemName.meta({ description: "Name of the sink" }),
  sources: z
    .array(z.string().meta({ maxLength: policyLimits.nameLength }))
    .min(1)
    .max(policyLimits.sources)
    .meta({ description: "Names of the sources to export, each once", "x-kubernetes-list-type": "set" }),
  target: z
    .object({
      prometheusRemoteWrite: z
        .object({
          endpoint,
          authentication: z
            .object({
              basicAuth: z
                .object({
                  secretRef: z
                    .object({
                      name: text(policyLimits.secretNameLength).meta({ description: "Name of the Secret" }),
                    })
                    .meta({
                      description: "A Secret of type kubernetes.io/basic-auth in the policy's namespace",
                    }),
                })
                .meta({ description: "HTTP basic authentication" }),
            })
            .meta({ description: "Authentication at the receiver; exactly one kind", ...oneKind })
            .optional(),
          batch: z
            .object({
              timeout: duration("Longest wait before a batch is sent", "5s", "1h"),
              maxSize: z
                .int()
                .min(1)
                .max(policyLimits.batchMaxSize)
                .meta({ description: "Largest number of samples in a request" })
                .prefault(500),
            })
            .meta({ description: "Batching of samples into requests" })
            .prefault({}),
          retry: z
            .object({
              maxAttempts: z
                .int()
                .min(1)
                .max(policyLimits.retryMaxAttempts)
                .meta({ description: "Largest number of requests for one batch, the first included" })
                .prefault(3),
              backoffDuration: duration("Pause between attempts", "5s", "10m"),
              onExhausted: z
                .enum(["replay", "drop"])
                .meta({
                  maxLength: 6,
                  description:
                    "What is done with samples that keep failing while others are accepted: replay tries for two minutes, drop only maxAttempts times. Default: as configured",
                })
                .optional(),
            })
            .meta({ description: "Retries of failed requests" })
            .prefault({}),
        })
        .meta({ description: "A Prometheus remote-write receiver" }),
    })
    .meta({ description: "Receiver of the samples; exactly one kind", ...oneKind }),
});

const specSchema = z
  .object({
    sources: z
      .array(sourceSchema)
      .min(1)
      .max(policyLimits.sources)
      .meta({ description: "Metrics to export", ...listByName }),
    sinks: z
      .array(sinkSchema)
      .min(1)
      .max(policyLimits.sinks)
      .meta({ description: "Receivers to export to", ...listByName }),
  })
  .meta({
    description: "Metrics to export, and the receivers to export them to",
    ...rules([
      "self.sinks.all(sink, sink.sources.all(name, self.sources.exists(source, source.name == name)))",
      "every name in a sink's sources must be that of one of spec.sources",
    ]),
  });

/** The names that identify a policy; Kubernetes checks the rest of metadata. */
export const metadataSchema = z.object({
  name: z.string().min(1).max(253).superRefine(subdomain),
  namespace: z.string().min(1).max(63).superRefine(subdomain).prefault("default"),
  uid: z.string().optional(),
  generation: z.int().optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

function subdomain(name: string, context: z.RefinementCtx): void {
  if (name === "" || /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) return;
  reportIssue(
    context,
    `must be lower-case letters, digits, "-" and ".", beginning and ending with a letter or digit, not ${show(name)}`,
  );
}

/** The spec as a structural schema: the source of known fields, of the CRD and of the platform's kind. */
export const specJsonSchema = structuralSchema();

function structuralSchema(): JsonSchema {
  // An API server rejects `$schema` in a CRD.
  const { $schema: _, ...schema } = z.toJSONSchema(specSchema, { io: "input" }) as JsonSchema;
  return schema;
}

export type { CauseReason };
