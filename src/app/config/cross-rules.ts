import { parseDuration } from "../../base/core/duration.ts";
import { type DocumentPath, isObject, valueAt } from "../../base/documents/yaml/document-path.ts";
import { projectNameProblem } from "../../exporter/policy/plane.ts";
import { type TenantForm, tenantIdProblem } from "../../exporter/policy/tenants/tenant-id.ts";

/** A conflict between keys that are each valid on their own. */
export interface RuleFault {
  readonly severity: "error" | "warning";
  readonly path: DocumentPath;
  readonly message: string;
}

/** Above the time that VictoriaMetrics takes until queries find a new series. */
const shortestSafeDelayMs = 15_000;

type Root = Readonly<Record<string, unknown>>;

/**
 * Rules across keys. They check the file's raw values, so that these faults are reported together with the
 * schema's; values of a wrong type are left to the schema.
 */
export function crossRules(root: Root): RuleFault[] {
  return [
    ...metricsRules(root),
    ...tenancyRules(root),
    ...controlPlaneRules(root),
    ...providerRules(root),
    ...deliveryRules(root),
    ...roadmapRules(root),
    ...gatewayRules(root),
    ...tlsPairs(root),
    ...listenRules(root),
    ...doubtful(root),
  ];
}

function metricsRules(root: Root): RuleFault[] {
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
  return faults;
}

/** The form of the tenants' IDs where the store has tenants of its own. */
function ownTenants(root: Root): TenantForm | undefined {
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
  const { tenantHeader = "X-Scope-OrgID", tenants = "name", operatorTenant } = metrics;
  if (form !== "header" && tenantHeader !== "X-Scope-OrgID") {
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

function controlPlaneRules(root: Root): RuleFault[] {
  const plane = root["controlPlane"];
  if (!isObject(plane)) return [];
  const faults: RuleFault[] = [];
  const has = (key: string) => given(root, ["controlPlane", key]);
  const named: readonly unknown[] = Array.isArray(plane["projects"]) ? plane["projects"] : [];
  const projects = named.length;
  const at = (key: string): DocumentPath => ["controlPlane", key];
  for (const [index, project] of named.entries()) {
    const problem = projectNameProblem(String(project));
    if (problem !== undefined) faults.push(error([...at("projects"), index], problem));
  }
  if (has("kubeconfig")) {
    for (const key of ["apiUrl", "organization", "accessTokenFile", "caFile"]) {
      if (has(key))
        faults.push(error(at(key), "cannot be given together with controlPlane.kubeconfig; keep one"));
    }
    if (projects > 1) {
      faults.push(
        error(at("projects"), "must name one project with controlPlane.kubeconfig: the one that it reaches"),
      );
    }
    if ((given(root, ["metrics", "tenantLabel"]) || ownTenants(root) !== undefined) && projects === 0) {
      const reason = ownTenants(root) === undefined ? "metrics.tenantLabel is forced" : "it has a tenant";
      faults.push(
        error(at("projects"), `must name the project that the kubeconfig reaches, since ${reason}`),
      );
    }
  } else {
    if (!has("apiUrl")) faults.push(error(["controlPlane"], "needs apiUrl or kubeconfig"));
    if (has("apiUrl") && !has("accessTokenFile")) {
      faults.push(error(["controlPlane"], "needs accessTokenFile: the file of the Personal Access Token"));
    }
    if (has("organization") && projects > 0) {
      faults.push(error(at("projects"), "cannot be given together with controlPlane.organization; keep one"));
    }
    if (has("apiUrl") && !has("organization") && projects === 0) {
      faults.push(error(["controlPlane"], "needs organization (all of its projects) or projects"));
    }
  }
  if (ownTenants(root) !== undefined) {
    if (valueAt(root, ["metrics", "tenants"]) === "annotation" && !has("organization")) {
      const message =
        "needs controlPlane.organization: the annotation is read from the organization's Projects; give name, or a file of project: tenant";
      faults.push(error(["metrics", "tenants"], message));
    }
  } else if (isObject(root["metrics"]) && root["metrics"]["tenantLabel"] === undefined) {
    const message =
      'needs tenantLabel, since controlPlane is present: the label that holds the project\'s name, or "" where the store holds the samples of one tenant only';
    faults.push(error(["metrics"], message));
  }
  return faults;
}

function providerRules(root: Root): RuleFault[] {
  if (!given(root, ["provider"]) || given(root, ["controlPlane"])) return [];
  const message =
    "needs the section controlPlane: the control planes whose instances it runs (apiUrl, organization, accessTokenFile)";
  return [error(["provider"], message)];
}

function deliveryRules(root: Root): RuleFault[] {
  const faults: RuleFault[] = [];
  const startFromMs = durationAt(root, ["delivery", "startFrom"]);
  const maxBackfill = valueAt(root, ["delivery", "maxBackfill"]) ?? "24h";
  const maxBackfillMs = typeof maxBackfill === "string" ? parseDuration(maxBackfill) : undefined;
  if (startFromMs !== undefined && maxBackfillMs !== undefined && startFromMs > maxBackfillMs) {
    faults.push(
      error(["delivery", "startFrom"], `must be at most delivery.maxBackfill, which is ${maxBackfill}`),
    );
  }
  const endpoints = valueAt(root, ["delivery", "endpoints"]);
  const prefixes = new Map<unknown, number>();
  for (const [index, endpoint] of (Array.isArray(endpoints) ? endpoints : []).entries()) {
    if (!isObject(endpoint)) continue;
    const first = prefixes.get(endpoint["urlPrefix"]);
    const at: DocumentPath = ["delivery", "endpoints", index];
    if (first !== undefined) {
      faults.push(
        error([...at, "urlPrefix"], `is the same as delivery.endpoints[${first}].urlPrefix; keep one`),
      );
    } else if (endpoint["urlPrefix"] !== undefined) prefixes.set(endpoint["urlPrefix"], index);
    if (given(endpoint, ["proxyUrl"]) && valueAt(root, ["egress", "trustProxy"]) !== true) {
      const message =
        "needs egress.trustProxy: true, since the receiver's address cannot be checked behind a proxy";
      faults.push(error([...at, "proxyUrl"], message));
    }
    const dropped = Array.isArray(endpoint["dropLabels"]) ? endpoint["dropLabels"] : [];
    for (const name of Object.keys(isObject(endpoint["externalLabels"]) ? endpoint["externalLabels"] : {})) {
      if (dropped.includes(name))
        faults.push(error([...at, "externalLabels", name], "is in dropLabels too; keep one"));
    }
  }
  return faults;
}

function roadmapRules(root: Root): RuleFault[] {
  if (!given(root, ["roadmap"])) {
    if (!given(root, ["api"])) return [];
    return [error(["api"], "needs the section roadmap: it has nothing else to serve")];
  }
  const faults: RuleFault[] = [];
  const [board, file] = [given(root, ["roadmap", "board"]), given(root, ["roadmap", "file"])];
  if (board && file)
    faults.push(error(["roadmap", "file"], "cannot be given together with roadmap.board; keep one"));
  if (!board && !file) faults.push(error(["roadmap"], "needs board or file: where the backlog comes from"));
  if (board) {
    const token = given(root, ["roadmap", "board", "tokenFile"]);
    const app = given(root, ["roadmap", "board", "app"]);
    if (token && app) {
      faults.push(
        error(["roadmap", "board", "tokenFile"], "cannot be given together with roadmap.board.app; keep one"),
      );
    }
    if (!token && !app)
      faults.push(error(["roadmap", "board"], "needs tokenFile or app: boards are read with credentials"));
    if (given(root, ["roadmap", "board", "webhook"]) && !given(root, ["api"])) {
      faults.push(
        error(["roadmap", "board", "webhook"], "needs the section api: webhooks arrive at its address"),
      );
    }
  }
  return faults;
}

function gatewayRules(root: Root): RuleFault[] {
  if (!given(root, ["gateway"]) || given(root, ["platform"])) return [];
  return [error(["gateway"], "needs the section platform: the control planes whose HTTPProxies it serves")];
}

function tlsPairs(root: Root): RuleFault[] {
  const endpoints = valueAt(root, ["delivery", "endpoints"]);
  const places: DocumentPath[] = [
    ["metrics", "tls"],
    ["platform", "tls"],
    ["gateway", "tls"],
    ...(Array.isArray(endpoints) ? endpoints : []).map((_, index) => ["delivery", "endpoints", index, "tls"]),
  ];
  return places.flatMap((place) => {
    const [certificate, key] = [given(root, [...place, "certFile"]), given(root, [...place, "keyFile"])];
    if (certificate === key) return [];
    return [
      error(
        place,
        `needs ${certificate ? "keyFile" : "certFile"} too: a certificate and its key go together`,
      ),
    ];
  });
}

const listenDefaults: readonly (readonly [section: string, key: string, address: string])[] = [
  ["api", "listen", "127.0.0.1:8080"],
  ["ops", "listen", "127.0.0.1:9464"],
  ["platform", "listen", "127.0.0.1:8081"],
  ["gateway", "listen", "127.0.0.1:8082"],
  ["gateway", "tlsListen", "127.0.0.1:8443"],
];

function listenRules(root: Root): RuleFault[] {
  const taken = new Map<string, string>();
  const faults: RuleFault[] = [];
  for (const [section, key, fallback] of listenDefaults) {
    if (!given(root, [section])) continue;
    const address = valueAt(root, [section, key]) ?? fallback;
    if (typeof address !== "string" || address.endsWith(":0")) continue;
    const other = taken.get(address);
    if (other === undefined) taken.set(address, `${section}.${key}`);
    else faults.push(error([section, key], `is the address of ${other} too; each needs its own`));
  }
  return faults;
}

function doubtful(root: Root): RuleFault[] {
  const faults: RuleFault[] = [];
  const running = ["policies", "controlPlane", "roadmap", "api", "ops", "platform"];
  if (!running.some((section) => given(root, [section]))) {
    faults.push(warning([], `has none of the sections ${running.join(", ")}: nothing would run`));
  }
  if (valueAt(root, ["export", "schedule"]) === "queue" && !given(root, ["redis"])) {
    faults.push(
      warning(
        ["export", "schedule"],
        "shares cycles with nobody without the section redis: each replica has its own",
      ),
    );
  }
  const delayMs = durationAt(root, ["metrics", "delay"]);
  if (
    delayMs !== undefined &&
    delayMs < shortestSafeDelayMs &&
    valueAt(root, ["metrics", "flavor"]) !== "prometheus"
  ) {
    const message =
      "is short: VictoriaMetrics shows a new series some 10 s late, and its samples from before are not exported; give 15s or more";
    faults.push(warning(["metrics", "delay"], message));
  }
  const endpoints = valueAt(root, ["delivery", "endpoints"]);
  faults.push(...unsharedTrust(root));
  const tlsPlaces: DocumentPath[] = [
    ["metrics", "tls"],
    ...(Array.isArray(endpoints) ? endpoints : []).map((_, index) => ["delivery", "endpoints", index, "tls"]),
  ];
  for (const place of tlsPlaces) {
    const path = [...place, "insecureSkipVerify"];
    if (valueAt(root, path) === true)
      faults.push(warning(path, "accepts any certificate: whoever is between can read and change all"));
  }
  return faults;
}

/** With tenants, an entry must name the owner of its credentials: they could be mistaken for shared ones. */
function unsharedTrust(root: Root): RuleFault[] {
  const endpoints = valueAt(root, ["delivery", "endpoints"]);
  if (!given(root, ["controlPlane"]) || !Array.isArray(endpoints)) return [];
  return endpoints.flatMap((entry: unknown, index) => {
    if (!isObject(entry) || entry["tenants"] !== undefined) return [];
    const trust = ["headers", "bearerTokenFile", "tls", "proxyUrl"].filter((key) => given(entry, [key]));
    if (trust.length === 0) return [];
    const message = `has ${trust.join(", ")}, for policies of the directory only; say tenants: true to use them for policies of control planes too, or tenants: false`;
    return [warning(["delivery", "endpoints", index], message)];
  });
}

/** Present, and not one of the values that mean "none". */
function given(root: unknown, path: DocumentPath): boolean {
  const value = valueAt(root, path);
  return value !== undefined && value !== null && value !== "";
}

function durationAt(root: Root, path: DocumentPath): number | undefined {
  const value = valueAt(root, path);
  return typeof value === "string" ? parseDuration(value) : undefined;
}

function error(path: DocumentPath, message: string): RuleFault {
  return { severity: "error", path, message };
}

function warning(path: DocumentPath, message: string): RuleFault {
  return { severity: "warning", path, message };
}
