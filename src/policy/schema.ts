import { z } from "zod";
import { parseDuration } from "../core/duration.ts";
import type { JsonSchema } from "../core/json-schema.ts";
import { type CauseReason, reportIssue, show } from "../core/schema-issue.ts";

/**
 * The wire form of ExportPolicy's spec (platform API, "ExportPolicy (telemetry export)") with the defaults and bounds
 * of its fields. What holds between fields is in check-policy.ts.
 */

export const policyLimits = {
  sources: 20,
  sinks: 20,
  batchMaxSize: 5_000,
  retryMaxAttempts: 10,
  metricsqlLength: 16 * 1024,
  endpointLength: 2_048,
} as const;

/** Names of sources and sinks: RFC 1123 labels. */
const itemName = z
  .string()
  .min(1)
  .max(63)
  .superRefine((name, context) => {
    if (name === "" || name.length > 63 || /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(name)) return;
    reportIssue(
      context,
      `must be lower-case letters, digits and "-", beginning and ending with a letter or digit, not ${show(name)}`,
    );
  });

export const sourceSchema = z.object({
  name: itemName.meta({ description: "Name that sinks refer to" }),
  metrics: z
    .object({
      metricsql: z
        .string()
        .min(1)
        .max(policyLimits.metricsqlLength)
        .meta({ description: "MetricsQL that selects the metrics" }),
    })
    .meta({ description: "Metrics of the source" }),
});

/** A duration of more than nothing, as Kubernetes writes it. Comes out in ms. */
function duration(about: string, fallback: string, max: string) {
  const wanted = "must be a duration such as 500ms, 5s or 1m30s";
  return z
    .string({
      error: (issue) => (issue.input === undefined ? undefined : `${wanted}, not ${show(issue.input)}`),
    })
    .meta({ description: `${about}; more than 0, at most ${max}` })
    .transform((text, context) => {
      const durationMs = parseDuration(text);
      if (durationMs === undefined) {
        reportIssue(context, `${wanted}, not ${show(text)}`);
        return z.NEVER;
      }
      if (durationMs <= 0 || durationMs > (parseDuration(max) ?? 0)) {
        reportIssue(context, `must be more than 0 and at most ${max}, not ${text}`);
      }
      return durationMs;
    })
    .prefault(fallback);
}

const endpoint = z
  .string()
  .min(1)
  .max(policyLimits.endpointLength)
  .meta({ description: "Remote-write endpoint: an absolute http or https URL" })
  .superRefine((text, context) => {
    const problem = endpointProblem(text);
    if (problem !== undefined) reportIssue(context, problem);
  });

export function endpointProblem(text: string): string | undefined {
  if (text === "") return undefined;
  // The URL parser mends "http:/host" and strips spaces: what is sent to must be what is written.
  const absolute = /^https?:\/\/[^/\s?#]/i.test(text) && !/[\s\p{Cc}\\]/u.test(text) && URL.canParse(text);
  if (!absolute) return `must be an absolute http or https URL, not ${show(text)}`;
  // What Go's parser refuses, and with it any Kubernetes API server that holds the CRD.
  if (/^[^?]*%(?![0-9a-f]{2})/i.test(text))
    return "must have two hexadecimal digits after each % of its path";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "" || /^https?:\/\/[^/?#]*@/i.test(text)) {
    return "must not hold a user name or password; use authentication.basicAuth with a Secret";
  }
  if (text.includes("#")) return "must not have a fragment (#)";
  return undefined;
}

export const sinkSchema = z.object({
  name: itemName.meta({ description: "Name of the sink" }),
  sources: z
    .array(z.string())
    .min(1)
    .max(policyLimits.sources)
    .meta({ description: "Names of the sources that it gets, each once" }),
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
                      name: z.string().min(1).max(253).meta({ description: "Name of the Secret" }),
                    })
                    .meta({
                      description: "A Secret of type kubernetes.io/basic-auth in the policy's namespace",
                    }),
                })
                .meta({ description: "HTTP basic authentication" }),
            })
            .meta({ description: "How telemetryd proves itself to the receiver" })
            .optional(),
          batch: z
            .object({
              timeout: duration("Longest wait before a batch is sent", "5s", "1h"),
              maxSize: z
                .int()
                .min(1)
                .max(policyLimits.batchMaxSize)
                .meta({ description: "Samples in a request, at most" })
                .prefault(500),
            })
            .meta({ description: "Batching" })
            .prefault({}),
          retry: z
            .object({
              maxAttempts: z
                .int()
                .min(1)
                .max(policyLimits.retryMaxAttempts)
                .meta({ description: "Requests in all for one batch, the first included" })
                .prefault(3),
              backoffDuration: duration("Pause between attempts", "5s", "10m"),
            })
            .meta({ description: "Retries" })
            .prefault({}),
        })
        .meta({ description: "A Prometheus remote-write receiver" }),
    })
    .meta({ description: "Where the sink sends to; exactly one kind" }),
});

export const specSchema = z.object({
  sources: z.array(sourceSchema).min(1).max(policyLimits.sources).meta({ description: "What is exported" }),
  sinks: z.array(sinkSchema).min(1).max(policyLimits.sinks).meta({ description: "Where it is exported to" }),
});

/** Names of what a policy may be filed under; what else metadata holds is Kubernetes' business. */
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

/** The spec as JSON Schema: what is a known field, and what the CRD and the platform's OpenAPI are made from. */
export const specJsonSchema = z.toJSONSchema(specSchema, { io: "input" }) as JsonSchema;

/** Places where exactly one of several kinds must be chosen: an unknown one is a wrong choice, not a field too many. */
export const choices: Readonly<Record<string, readonly string[]>> = {
  target: ["prometheusRemoteWrite"],
  authentication: ["basicAuth"],
};

export type { CauseReason };
