import { z } from "zod";
import { type DocumentPath, isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { headerProblem, tenantHeaderProblem } from "../../../base/http/header-problem.ts";
import { type TenantForm, tenantIdProblem } from "../../../exporter/policy/tenants/tenant-id.ts";
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
import { durationAt, error, given, type Root, type RuleFault, warning } from "./rules.ts";
import { tls } from "./tls.ts";
import { labelNameProblem } from "./values.ts";

const defaultTenantHeader = "X-Scope-OrgID";

/** Above the time that VictoriaMetrics takes until queries find a new series. */
const shortestSafeDelayMs = 15_000;

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
    concurrency: integer(
      "Open reads of the store, at most; up to 8 more whose relabelling rules take long",
      2,
      1,
      64,
    ),
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
    ).prefault(defaultTenantHeader),
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

export function metricsRules(root: Root): RuleFault[] {
  const faults: RuleFault[] = [];
  for (const section of ["policies", "controlPlane"]) {
    const isForProvider = section === "controlPlane" && given(root, ["provider"]);
    if (given(root, [section]) && !given(root, ["metrics"]) && !isForProvider) {
      faults.push(
        error([section], "needs the section metrics: the store that samples are read from (metrics.url)"),
      );
    }
  }
  if (given(root, ["metrics", "basicAuth"]) && given(root, ["metrics", "bearerTokenFile"])) {
    faults.push(
      error(["metrics", "bearerTokenFile"], "cannot be given together with metrics.basicAuth; keep one"),
    );
  }
  return [...faults, ...tenancyRules(root), ...delayRules(root)];
}

/** The form of the tenants' IDs where the store has tenants of its own. */
export function ownTenants(root: Root): TenantForm | undefined {
  const tenancy = valueAt(root, ["metrics", "tenancy"]);
  return tenancy === "header" || tenancy === "path" ? tenancy : undefined;
}

function tenancyRules(root: Root): RuleFault[] {
  const metrics = root["metrics"];
  if (!isObject(metrics)) return [];
  const faults: RuleFault[] = [];
  const form = ownTenants(root);
  const at = (key: string): DocumentPath => ["metrics", key];
  const hasPlace = typeof metrics["url"] === "string" && metrics["url"].includes("{tenant}");
  if (hasPlace && form !== "path") {
    faults.push(error(at("url"), "holds {tenant}, which needs metrics.tenancy: path"));
  }
  const isInHost = /^[a-z]+:\/\/[^/\\?#]*\{tenant\}/i.test(String(metrics["url"]));
  if ((!hasPlace || isInHost) && form === "path" && given(metrics, ["url"])) {
    const message =
      "must hold {tenant} in its path with metrics.tenancy: path, as in /select/{tenant}/prometheus";
    faults.push(error(at("url"), message));
  }
  const { tenantHeader = defaultTenantHeader, tenants = "name", operatorTenant } = metrics;
  if (form !== "header" && tenantHeader !== defaultTenantHeader) {
    faults.push(error(at("tenantHeader"), "needs metrics.tenancy: header"));
  }
  if (form === undefined) {
    const message = "needs metrics.tenancy: header or path";
    if (tenants !== "name") faults.push(error(at("tenants"), message));
    if (given(metrics, ["operatorTenant"])) faults.push(error(at("operatorTenant"), message));
    return faults;
  }
  if (given(metrics, ["tenantLabel"])) {
    const message = `cannot be given together with metrics.tenancy: ${form}, which distinguishes tenants; remove one`;
    faults.push(error(at("tenantLabel"), message));
  }
  const headers = form === "header" && isObject(metrics["headers"]) ? Object.keys(metrics["headers"]) : [];
  for (const name of headers) {
    if (name.toLowerCase() !== String(tenantHeader).toLowerCase()) continue;
    const message = "is metrics.tenantHeader, which names the tenant of each request; remove it";
    faults.push(error([...at("headers"), name], message));
  }
  const problem = given(metrics, ["operatorTenant"]) && tenantIdProblem(String(operatorTenant), form);
  if (problem) faults.push(error(at("operatorTenant"), problem));
  if (given(root, ["policies"]) && !given(metrics, ["operatorTenant"])) {
    const message = "read nothing without metrics.operatorTenant, the tenant that they are read as";
    faults.push(warning(["policies"], message));
  }
  return faults;
}

function delayRules(root: Root): RuleFault[] {
  const delayMs = durationAt(root, ["metrics", "delay"]);
  const isPrometheus = valueAt(root, ["metrics", "flavor"]) === "prometheus";
  if (delayMs === undefined || delayMs >= shortestSafeDelayMs || isPrometheus) return [];
  const message =
    "is short: VictoriaMetrics shows a new series some 10 s late, and its samples from before are not exported; give 15s or more";
  return [warning(["metrics", "delay"], message)];
}
