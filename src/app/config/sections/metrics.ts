import { z } from "zod";
import {
  choice,
  duration,
  flag,
  httpUrl,
  integer,
  optionalFile,
  optionalText,
  requiredPath,
  requiredText,
  textMap,
  wordOrFile,
} from "./fields.ts";
import { tls } from "./tls.ts";
import { headerProblem, labelNameProblem, tenantHeaderProblem } from "./values.ts";

/** The values of `tenants` that are no file. */
const tenantOrigins = ["name", "annotation"] as const;

/** Whether `metrics.tenants` is a file. */
export function isTenantsFile(tenants: string): boolean {
  return !tenantOrigins.some((origin) => origin === tenants);
}

export const metrics = z
  .strictObject({
    url: httpUrl(
      "The metrics store (VictoriaMetrics or Prometheus); a path prefix such as /select/0/prometheus is kept, and {tenant} in it replaced with tenancy: path",
    ),
    flavor: choice(
      "What the store is; auto finds out, again after a reconnect",
      ["auto", "victoriametrics", "prometheus"],
      "auto",
    ),
    interval: duration("How often a sink looks for new samples", "15s", { min: "100ms", max: "1h" }),
    delay: duration("How far windows of raw samples stay behind now", "30s", { min: "0s", max: "1h" }),
    expressionDelay: duration("The same for expressions", "60s", { min: "0s", max: "1h" }),
    dedupInterval: duration(
      "In which the store keeps only one sample of a series; 0s: -dedup.minScrapeInterval of a VictoriaMetrics, from its /flags",
      "0s",
      { min: "0s", max: "24h" },
    ),
    exemplars: flag(
      "Export the exemplars of a Prometheus (--enable-feature=exemplar-storage) with the samples of their series",
    ),
    concurrency: integer("Open reads of the store, at most", 2, 1, 64),
    basicAuth: z
      .strictObject({
        username: requiredText("User name for the store"),
        passwordFile: requiredPath("Password for the store", "file"),
      })
      .meta({ description: "Basic authentication at the store" })
      .optional(),
    bearerTokenFile: optionalFile("Bearer token for the store"),
    headers: textMap("Further request headers for the store", headerProblem),
    tls: tls("TLS to the store").prefault({}),
    tenantLabel: optionalText(
      'Label that holds the project\'s name, forced on every query of a project; "" forces none. Must be given where controlPlane is, with tenancy: label',
      labelNameProblem,
    ),
    tenancy: choice(
      "How tenants are distinguished: by tenantLabel; or, where the store has tenants of its own, by tenantHeader, or by {tenant} in url",
      ["label", "header", "path"],
      "label",
    ),
    tenantHeader: requiredText(
      "Header of every request that names the tenant, with tenancy: header",
      tenantHeaderProblem,
    ).prefault("X-Scope-OrgID"),
    tenants: wordOrFile(
      "The tenant of a project, with tenancy: header or path: the project's name; the annotation telemetry.<groupDomain>/tenant of its Project; or its entry in a YAML file of project: tenant",
      tenantOrigins,
      "name",
    ),
    operatorTenant: optionalText(
      "The tenant of the directory's policies, with tenancy: header or path; without it they read nothing",
    ),
  })
  .meta({ description: "The metrics store that samples are read from" });
