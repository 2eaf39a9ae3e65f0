import { z } from "zod";
import { parseDuration } from "../../../base/core/duration.ts";
import { parseUrl } from "../../../base/core/url.ts";
import { type DocumentPath, isObject, valueAt } from "../../../base/documents/yaml/document-path.ts";
import { remoteWriteHeaderProblem } from "../../../base/http/header-problem.ts";
import { relabelRules } from "../../../exporter/policy/spec/relabel-schema.ts";
import { compressions } from "../../../exporter/policy/spec/types.ts";
import {
  byteSize,
  choice,
  duration,
  flag,
  integer,
  list,
  optionalChoice,
  optionalFile,
  optionalText,
  requiredText,
  textMap,
} from "./fields.ts";
import { durationAt, entriesAt, error, given, type Root, type RuleFault, warning } from "./rules.ts";
import { tls } from "./tls.ts";
import { labelNameProblem, urlPrefixProblem } from "./values.ts";

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
    bearerTokenFile: optionalFile("Bearer token, where the policy has no authentication"),
    environmentCredentials: flag(
      "Policies without a Secret for sigv4, azureAd or google use the credentials of the daemon's environment",
    ),
    tls: tls("TLS to the receiver").prefault({}),
    proxyUrl: optionalText("HTTP proxy; needs egress.trustProxy", proxyProblem),
    externalLabels: textMap("Labels that are added to every series that lacks them", labelNameProblem),
    dropLabels: list(
      "Labels that are taken off every series",
      requiredText("A label name", labelNameProblem),
      [],
    ),
    relabel: relabelRules(
      "Relabelling of every policy's series for these endpoints, after a sink's own and the two above",
    ),
    maxSamplesPerSecond: integer("Samples per second, at most; 0 is no limit", 0, 0, 1_000_000_000),
    protocol: optionalChoice("Remote-write protocol for these endpoints", ["1.0", "2.0", "auto"]),
    compression: optionalChoice(
      "Compression where the policy says nothing: zstd is VictoriaMetrics' form of remote write; snappy if absent",
      compressions,
    ),
    names: choice(
      "Names as they are, or each character outside [a-zA-Z0-9_] as _ for receivers that know no others",
      ["utf8", "legacy"],
      "utf8",
    ),
  })
  .meta({ description: "The operator's settings for some endpoints" });

const defaultMaxBackfill = "24h";

export const delivery = z
  .strictObject({
    maxWindow: duration(
      "Longest span of samples that is read at once (by telemetryd export: up to 12 times as long)",
      "5m",
      { min: "1s", max: "24h" },
    ),
    maxBackfill: duration("Older samples are skipped, counted in seconds and reported", defaultMaxBackfill, {
      min: "1s",
      max: "8760h",
    }),
    startFrom: duration(
      "Where a sink begins that was never seen before: at this minute, or a duration back, at most maxBackfill",
      "now",
      { min: "0s", max: "8760h" },
      { now: 0 },
    ),
    lateness: duration(
      "Samples that reach the store up to this late are delivered, too; 0s: not looked for",
      "1h",
      { min: "0s", max: "24h" },
    ),
    sentLog: z
      .strictObject({
        maxSize: byteSize(
          "Size of the record of what was sent; the oldest goes first, and is not checked for late samples",
          "1GiB",
          { min: "1MiB", max: "1024GiB" },
        ),
      })
      .meta({
        description:
          "What was sent within delivery.lateness, kept under state.directory; in a fleet, in Redis",
      })
      .prefault({}),
    onExhausted: choice(
      "Samples that keep failing while others are accepted: tried for two minutes, or only retry.maxAttempts times",
      ["replay", "drop"],
      "replay",
    ),
    concurrency: integer("Requests that a sink has open at the same time (partitions)", 4, 1, 64),
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
      .meta({ description: "What receivers reject, kept under state.directory" })
      .prefault({}),
    endpoints: z
      .array(endpoint)
      .max(1_000)
      .meta({ description: endpoint.description ?? "" })
      .prefault([]),
  })
  .meta({ description: "How samples are delivered" });

function proxyProblem(text: string): string | undefined {
  return /^https?:$/.test(parseUrl(text)?.protocol ?? "") ? undefined : "must be an http or https URL";
}

export function deliveryRules(root: Root): RuleFault[] {
  const faults: RuleFault[] = [];
  const startFromMs = durationAt(root, ["delivery", "startFrom"]);
  const maxBackfill = valueAt(root, ["delivery", "maxBackfill"]) ?? defaultMaxBackfill;
  const maxBackfillMs = typeof maxBackfill === "string" ? parseDuration(maxBackfill) : undefined;
  if (startFromMs !== undefined && maxBackfillMs !== undefined && startFromMs > maxBackfillMs) {
    faults.push(
      error(["delivery", "startFrom"], `must be at most delivery.maxBackfill, which is ${maxBackfill}`),
    );
  }
  const prefixes = new Map<unknown, number>();
  for (const [index, endpoint] of entriesAt(root, ["delivery", "endpoints"]).entries()) {
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
  return [...faults, ...unsharedTrust(root)];
}

/** With tenants, an entry must name the owner of its credentials: they could be mistaken for shared ones. */
function unsharedTrust(root: Root): RuleFault[] {
  if (!given(root, ["controlPlane"])) return [];
  return entriesAt(root, ["delivery", "endpoints"]).flatMap((entry, index) => {
    if (!isObject(entry) || entry["tenants"] !== undefined) return [];
    const trust = ["headers", "bearerTokenFile", "environmentCredentials", "tls", "proxyUrl"].filter((key) =>
      given(entry, [key]),
    );
    if (trust.length === 0) return [];
    const message = `has ${trust.join(", ")}, for policies of the directory only; say tenants: true to use them for policies of control planes too, or tenants: false`;
    return [warning(["delivery", "endpoints", index], message)];
  });
}
