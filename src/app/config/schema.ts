import { z } from "zod";
import { parseUrl } from "../../base/core/url.ts";
import {
  addressRanges,
  byteSize,
  choice,
  duration,
  flag,
  httpUrl,
  integer,
  list,
  listen,
  nameServers,
  nat64Prefixes,
  optionalChoice,
  optionalFile,
  optionalText,
  redisUrls,
  requiredInteger,
  requiredPath,
  requiredText,
  textMap,
} from "./fields.ts";
import type { WithUnits } from "./units.ts";
import {
  headerProblem,
  hostNameProblem,
  labelNameProblem,
  nameProblem,
  remoteWriteHeaderProblem,
  urlPrefixProblem,
  urlProblem,
} from "./values.ts";

/**
 * Every key of the configuration, described once: the source of the JSON Schema, docs/configuration.md, the
 * environment variables' names and the type {@link Config}. Rules across keys are in cross-rules.ts.
 */

const tls = (about: string) =>
  z
    .strictObject({
      caFile: optionalFile("CA certificates (PEM) that are trusted besides the system's"),
      certFile: optionalFile("Client certificate (PEM)"),
      keyFile: optionalFile("Key (PEM) of the client certificate"),
      serverName: optionalText(
        "Name that the server's certificate must bear, where it is not the URL's host",
      ),
      insecureSkipVerify: flag("Accept any certificate; for experiments only"),
    })
    .meta({ description: about });

const policies = z
  .strictObject({
    directory: requiredPath(
      "Directory of *.yaml and *.json files with ExportPolicy and Secret documents; watched",
      "directory",
    ),
  })
  .meta({ description: "Policies from a directory" });

const controlPlane = z
  .strictObject({
    apiUrl: optionalText("The platform's API address", (text) => urlProblem(text, ["http:", "https:"])),
    groupDomain: requiredText("The API group is telemetry.<groupDomain>", nameProblem).prefault(
      "platformapis",
    ),
    organization: optionalText("Every project of this organization", nameProblem),
    projects: list("These projects, instead of an organization", requiredText("A project", nameProblem), []),
    accessTokenFile: optionalFile("The Personal Access Token, exchanged for a bearer token"),
    caFile: optionalFile("CA certificates (PEM) for the API, besides the system's"),
    kubeconfig: optionalFile(
      "Instead of apiUrl and token: a kubeconfig of any Kubernetes API server that holds the CRD",
    ),
  })
  .meta({ description: "Policies from a control plane" });

const metrics = z
  .strictObject({
    url: httpUrl(
      "The metrics store (VictoriaMetrics or Prometheus); a path prefix such as /select/0/prometheus is kept",
    ),
    flavor: choice(
      "What the store is; auto finds out, again after a reconnect",
      ["auto", "victoriametrics", "prometheus"],
      "auto",
    ),
    interval: duration("How often a sink looks for new samples", "15s", { min: "100ms", max: "1h" }),
    delay: duration("How far windows of raw samples stay behind now", "30s", { min: "0s", max: "1h" }),
    expressionDelay: duration("The same for expressions", "60s", { min: "0s", max: "1h" }),
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
      'Label that holds the project\'s name, forced on every query of a project; "" forces none. Must be given where controlPlane is',
      labelNameProblem,
    ),
  })
  .meta({ description: "The metrics store that samples are read from" });

const endpoint = z
  .strictObject({
    urlPrefix: requiredText(
      "Endpoints below this, by whole path segments; the longest prefix wins",
      urlPrefixProblem,
    ),
    tenants: flag(
      "Headers, token, TLS and proxy are used for policies of control planes too, not for the directory's only",
    ),
    headers: textMap("Further request headers", remoteWriteHeaderProblem),
    bearerTokenFile: optionalFile("Bearer token, where the policy has no basic authentication"),
    tls: tls("TLS to the receiver").prefault({}),
    proxyUrl: optionalText("HTTP proxy; needs egress.trustProxy", proxyProblem),
    externalLabels: textMap("Labels that are added to every series that lacks them", labelNameProblem),
    dropLabels: list(
      "Labels that are taken off every series",
      requiredText("A label name", labelNameProblem),
      [],
    ),
    maxSamplesPerSecond: integer("Samples per second, at most; 0 is no limit", 0, 0, 1_000_000_000),
    protocol: optionalChoice("Remote-write protocol for these endpoints", ["1.0", "2.0", "auto"]),
  })
  .meta({ description: "The operator's settings for some endpoints" });

const delivery = z
  .strictObject({
    maxWindow: duration(
      "Longest span of samples that is read at once (by telemetryd export: up to 12 times as long)",
      "5m",
      { min: "1s", max: "24h" },
    ),
    maxBackfill: duration("Older samples are skipped, counted in seconds and reported", "24h", {
      min: "1s",
      max: "8760h",
    }),
    startFrom: duration(
      "Where a sink begins that was never seen before: now, or a duration back, at most maxBackfill",
      "now",
      { min: "0s", max: "8760h" },
      { now: 0 },
    ),
    lateness: duration(
      "Each window is read once more after this long, for samples that came late; 0s never",
      "0s",
      {
        min: "0s",
        max: "24h",
      },
    ),
    onExhausted: choice(
      "When retry.maxAttempts are used up: replay later, or drop the batch",
      ["replay", "drop"],
      "replay",
    ),
    concurrency: integer("Requests that a sink has open at the same time (lanes)", 4, 1, 64),
    maxConnections: integer(
      "Connections to receivers at the same time, of all tenants together; one alone gets half of them",
      2_000,
      16,
      100_000,
    ),
    protocol: choice(
      "Remote-write protocol; auto is 1.0 first, and 2.0 after a 415",
      ["1.0", "2.0", "auto"],
      "1.0",
    ),
    memoryLimit: byteSize("What all sinks hold together in memory", "256MiB", {
      min: "16MiB",
      max: "1024GiB",
    }),
    shutdownTimeout: duration("The daemon ends within this after SIGTERM", "25s", {
      min: "100ms",
      max: "1h",
    }),
    rejected: z
      .strictObject({
        maxSize: byteSize("Size of the rejected store; the oldest goes first", "64MiB", {
          min: "0B",
          max: "1024GiB",
        }),
        maxAge: duration("Age in the rejected store, at most", "168h", { min: "0s", max: "8760h" }),
      })
      .meta({ description: "What receivers refuse for good, kept under state.directory" })
      .prefault({}),
    endpoints: z
      .array(endpoint)
      .max(1_000)
      .meta({ description: endpoint.description ?? "" })
      .prefault([]),
  })
  .meta({ description: "How samples are delivered" });

const egress = z
  .strictObject({
    deny: addressRanges("Addresses that no policy may send to", ["169.254.0.0/16", "fe80::/10"]),
    allow: addressRanges("Addresses that policies of a control plane may send to, private ones included", []),
    trustProxy: flag("Allow proxyUrl, although the receiver's address cannot be checked then"),
    nameServers: nameServers(
      "Name servers for endpoints, address or address:port; empty: those of /etc/resolv.conf",
    ),
    nat64Prefixes: nat64Prefixes(
      "NAT64 prefixes of this network besides 64:ff9b::/96: the IPv4 address inside is checked",
    ),
  })
  .meta({ description: "Where telemetryd may connect to" });

const state = z
  .strictObject({
    directory: requiredPath(
      "Checkpoints, journals, rejected samples; one daemon per directory",
      "new directory",
    ).prefault("./data"),
  })
  .meta({ description: "What must survive a restart" });

const redis = z
  .strictObject({
    url: redisUrls(
      "redis:// or rediss:// address; a list of them: nodes of a cluster; or sentinels and the name of their primary: redis+sentinel://host:26379,host2:26379/mymaster/0 (or rediss+sentinel)",
    ),
  })
  .meta({
    description: "Redis; absent, a private redis-server runs under state.directory where one is needed",
  });

const exportSection = z
  .strictObject({
    schedule: choice("local, or a queue whose cycles all replicas share", ["local", "queue"], "local"),
  })
  .meta({ description: "Who runs the export cycles" });

const roadmap = z
  .strictObject({
    board: z
      .strictObject({
        organization: requiredText("Organization that owns the board"),
        number: requiredInteger("Number of the board", 1, 2 ** 31),
        apiUrl: httpUrl("API of the code-hosting service").prefault("https://api.github.com"),
        tokenFile: optionalFile("Access token"),
        app: z
          .strictObject({
            id: requiredInteger("The app's id", 1, Number.MAX_SAFE_INTEGER),
            installationId: requiredInteger("The id of its installation", 1, Number.MAX_SAFE_INTEGER),
            privateKeyFile: requiredPath("The app's private key (PEM)", "file"),
          })
          .meta({ description: "Authentication as an app, instead of a token" })
          .optional(),
      })
      .meta({ description: "Project board on the code-hosting service" })
      .optional(),
    file: optionalFile("A JSON file instead of the board; watched"),
    statuses: list("Statuses that are shown, in this order", requiredText("A status"), [
      "In progress",
      "Planned",
      "Backlog",
    ]),
    refreshInterval: duration("How often the backlog is fetched", "30m", { min: "1s", max: "24h" }),
  })
  .meta({ description: "The roadmap's cache" });

const api = z
  .strictObject({
    listen: listen("Address of the website API", "127.0.0.1:8080"),
    rateLimit: z
      .strictObject({
        limit: integer("Requests of one client in a window", 60, 1, 1_000_000_000),
        window: duration("Length of the window, whole seconds", "60s", { min: "1s", max: "24h" }),
      })
      .meta({ description: "Rate limit per client address" })
      .prefault({}),
    trustProxy: flag("Take the client's address from X-Forwarded-For"),
  })
  .meta({ description: "The website API" });

const ops = z
  .strictObject({
    listen: listen("Address of metrics, health and the status page", "127.0.0.1:9464"),
    hosts: list(
      "Host names that it responds to, besides localhost, addresses and that of listen",
      requiredText("A host name", hostNameProblem),
      [],
    ),
    dashboard: choice("What the queue dashboard may do", ["read", "write"], "read"),
  })
  .meta({ description: "Metrics, health, status page" });

const mostObjects = 10_000_000;
const quotaSize = (fallback: string) =>
  byteSize("Bytes of all objects", fallback, { min: "1MiB", max: "1024GiB" });

const quotas = z
  .strictObject({
    organization: z
      .strictObject({
        objects: integer("Objects of any kind", 50_000, 1, mostObjects),
        size: quotaSize("512MiB"),
        projects: integer("Projects", 1_000, 0, mostObjects),
        policies: integer("ExportPolicies", 10_000, 0, mostObjects),
        sinks: integer("Sinks of all ExportPolicies", 20_000, 0, mostObjects),
      })
      .meta({ description: "All control planes of one organization together" })
      .prefault({}),
    project: z
      .strictObject({
        objects: integer("Objects of any kind", 10_000, 1, mostObjects),
        size: quotaSize("128MiB"),
        policies: integer("ExportPolicies", 1_000, 0, mostObjects),
        sinks: integer("Sinks of all ExportPolicies", 2_000, 0, mostObjects),
      })
      .meta({ description: "One project's control plane" })
      .prefault({}),
  })
  .meta({ description: "What a tenant may keep; what is there already stays" });

const platform = z
  .strictObject({
    listen: listen("Address of the control planes (always TLS)", "127.0.0.1:8081"),
    groupDomain: requiredText("The API groups are <name>.<groupDomain>", nameProblem).prefault(
      "platformapis",
    ),
    durability: choice("How often Redis syncs to disk", ["everysec", "always"], "everysec"),
    tls: z
      .strictObject({
        certFile: optionalFile("Certificate (PEM)"),
        keyFile: optionalFile("Its key (PEM)"),
      })
      .meta({ description: "Certificate; absent, a CA and a certificate are made under state.directory" })
      .prefault({}),
    quotas: quotas.prefault({}),
    limits: z
      .strictObject({
        connections: integer("Connections, at most", 8_000, 10, 1_000_000),
        connectionsPerAddress: integer(
          "Connections of one IPv4 address or IPv6 /64; raise it behind a proxy",
          4_000,
          1,
          1_000_000,
        ),
        concurrentRequestsPerToken: integer("Requests of one token at once, besides watches", 100, 1, 10_000),
        watches: integer("Open watches, at most", 6_000, 1, 1_000_000),
        watchesPerToken: integer("Open watches of one token", 2_500, 1, 1_000_000),
      })
      .meta({ description: "What clients may hold at once, on one daemon" })
      .prefault({}),
  })
  .meta({ description: "The control planes themselves" });

const log = z
  .strictObject({
    level: choice(
      "Least severity that is logged",
      ["fatal", "error", "warn", "info", "debug", "trace"],
      "info",
    ),
  })
  .meta({ description: "Logging" });

/** The schema of the file's content after environment and flags have been applied. */
export const configSchema = z
  .strictObject({
    policies: policies.optional(),
    controlPlane: controlPlane.optional(),
    metrics: metrics.optional(),
    delivery: delivery.prefault({}),
    egress: egress.prefault({}),
    state: state.prefault({}),
    redis: redis.optional(),
    export: exportSection.prefault({}),
    roadmap: roadmap.optional(),
    api: api.optional(),
    ops: ops.optional(),
    platform: platform.optional(),
    log: log.prefault({}),
  })
  .meta({
    title: "telemetryd",
    description: "Configuration of telemetryd. Only the sections that are present run.",
  });

/**
 * The configuration as the program uses it: units in the names (`metrics.intervalMs`,
 * `delivery.memoryLimitBytes`, `delivery.rejected.maxBytes`), absolute paths, "" omitted, defaults filled in.
 * Sections without defaults are absent unless they were written.
 */
export type Config = WithUnits<z.output<typeof configSchema>>;

function proxyProblem(text: string): string | undefined {
  return /^https?:$/.test(parseUrl(text)?.protocol ?? "") ? undefined : "must be an http or https URL";
}

export type MetricsConfig = NonNullable<Config["metrics"]>;
export type DeliveryConfig = Config["delivery"];
export type EndpointConfig = DeliveryConfig["endpoints"][number];
export type TlsConfig = MetricsConfig["tls"];
