import { z } from "zod";
import type { JsonSchema } from "../../../base/documents/json-schema.ts";
import { type CauseReason, reportIssue, show } from "../../../base/documents/schema-issue.ts";
import { authentication } from "./authentication.ts";
import { headers } from "./headers.ts";
import { relabelCel, relabelRules } from "./relabel-schema.ts";
import {
  duration,
  durationBetween,
  listByName,
  oneKind,
  policyLimits,
  rules,
  text,
  urlField,
} from "./schema-fields.ts";
import { compressions } from "./types.ts";

/**
 * The wire form of ExportPolicy's spec (platform API, "ExportPolicy (telemetry export)") with the defaults
 * and bounds of its fields. The keywords in `meta` express the same for Kubernetes API servers; the CRD and
 * the platform use them verbatim. Rules between fields are in check-policy.ts.
 *
 * MetricsQL has no keyword: a query that cannot be parsed is reported in the policy's status.
 */

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
  // Below a second, every sample costs less than thinning; above an hour, the step before a window, which is
  // read again with each, holds too many.
  interval: durationBetween(
    "Sends one sample of each series an interval, its last one; an expression is evaluated once an interval. Default: every sample; expressions as often as metrics.interval",
    "1s",
    "1h",
  ).optional(),
});

/** A receiver that is known to refuse the past once it has the present. */
const notOutOfOrder =
  "newestFirst requires a receiver that takes samples out of order, and Google Cloud does not; remove 'order'";
const orderCel =
  "!has(self.retry) || !has(self.retry.order) || self.retry.order != 'newestFirst' || !has(self.authentication) || !has(self.authentication.google)";

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
          endpoint: urlField("Remote-write endpoint: an absolute http or https URL"),
          authentication: authentication.optional(),
          headers: headers.optional(),
          batch: z
            .object({
              timeout: duration("Longest wait before a batch is sent", "5s", "1h"),
              maxSize: z
                .int()
                .min(1)
                .max(policyLimits.batchMaxSize)
                .meta({ description: "Largest number of samples in a request" })
                .prefault(500),
              maxBytes: z
                .int()
                .min(1_024)
                .max(policyLimits.batchMaxBytes)
                .meta({ description: "Largest number of bytes in a request, before compression" })
                .prefault(3 * 2 ** 20),
            })
            .meta({ description: "Batching of samples into requests" })
            .prefault({}),
          compression: z
            .enum(compressions)
            .meta({
              maxLength: 6,
              description:
                "Compression of requests: zstd is VictoriaMetrics' form of remote write, auto uses it where the receiver takes it. Default: as configured, or snappy",
            })
            .optional(),
          retry: z
            .object({
              maxAttempts: z
                .int()
                .min(1)
                .max(policyLimits.retryMaxAttempts)
                .meta({ description: "Largest number of requests for one batch, the first included" })
                .prefault(3),
              backoffDuration: duration("Pause between attempts", "5s", "10m"),
              maxBackfill: durationBetween(
                "After an outage, older samples are skipped; default: delivery.maxBackfill, which is the limit, too",
                "5m",
                "8760h",
              ).optional(),
              onExhausted: z
                .enum(["replay", "drop"])
                .meta({
                  maxLength: 6,
                  description:
                    "What is done with samples that keep failing while others are accepted: replay tries for two minutes, drop only maxAttempts times. Default: as configured",
                })
                .optional(),
              order: z
                .enum(["oldestFirst", "newestFirst"])
                .meta({
                  maxLength: 11,
                  description:
                    "Order of delivery after an outage: newestFirst sends new samples before older ones, to a receiver that takes samples out of order. Default: oldestFirst",
                })
                .optional(),
              retryOn429: z
                .boolean()
                .meta({
                  description:
                    "Whether a request with the response 429, a rate limit, is sent again; otherwise its samples are dropped, and kept as rejected. Default: true",
                })
                .optional(),
            })
            .meta({ description: "Retries of failed requests" })
            .prefault({}),
          relabel: relabelRules(
            "Relabelling of the series that are sent: Prometheus' write_relabel_configs",
            rules(...relabelCel),
          ),
        })
        .superRefine(({ retry, authentication }, context) => {
          if (retry.order !== "newestFirst" || authentication?.google === undefined) return;
          context.addIssue({ code: "custom", path: ["retry", "order"], message: notOutOfOrder });
        })
        .meta({ description: "A Prometheus remote-write receiver", ...rules([orderCel, notOutOfOrder]) }),
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
  const { $schema: _, ...schema } = z.toJSONSchema(specSchema, {
    io: "input",
    // No keyword of a structural schema; names are text in any case.
    override: ({ jsonSchema }) => delete jsonSchema.propertyNames,
  }) as JsonSchema;
  return schema;
}

export type { CauseReason };
