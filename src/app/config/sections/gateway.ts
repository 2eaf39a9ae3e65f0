import { z } from "zod";
import { valueAt } from "../../../base/documents/yaml/document-path.ts";
import { addressRanges, flag, integer, listen, optionalFile, requiredText } from "./fields.ts";
import { entriesAt, error, given, type Root, type RuleFault } from "./rules.ts";
import { domainProblem } from "./values.ts";

const mostHeld = 1_000_000;

export const gateway = z
  .strictObject({
    listen: listen("Address for HTTP", "127.0.0.1:8082"),
    tlsListen: listen("Address for HTTPS (HTTP/1.1 and HTTP/2)", "127.0.0.1:8443"),
    domain: requiredText(
      "Host names are <gateway uid>.<domain>, in lower case, at most 200 characters",
      domainProblem,
    ).prefault("proxy.localhost"),
    tls: z
      .strictObject({
        certFile: optionalFile(
          "Wildcard certificate for *.<domain> (PEM); absent, the platform's own authority issues one",
        ),
        keyFile: optionalFile("Its key (PEM)"),
      })
      .meta({
        description:
          "Certificate; absent, the platform's own authority issues one, renewed without a restart",
      })
      .prefault({}),
    caFile: optionalFile("CA certificates (PEM) for backends, besides the system's"),
    trustedProxies: addressRanges(
      "Addresses of proxies in front, whose X-Forwarded-* headers are kept; those of others are replaced",
      [],
    ),
    zones: z
      .array(
        z.strictObject({
          domain: requiredText("Domain, in lower case; with all hostnames below it", domainProblem),
          project: requiredText("Name of the project that it is for"),
        }),
      )
      .max(1_000)
      .meta({
        description: "Domains whose hostnames a project may use without a DNS record that proves them",
      })
      .prefault([]),
    accessLog: flag("Write a line for each request to standard output"),
    limits: z
      .strictObject({
        connections: integer("Connections of clients, at most", 10_000, 10, mostHeld),
        connectionsPerAddress: integer(
          "Connections of one client address; raise it behind a proxy",
          200,
          1,
          mostHeld,
        ),
        requestsPerProxy: integer("Requests of one HTTPProxy at once", 1_000, 1, mostHeld),
      })
      .meta({ description: "What clients may hold at once, on one daemon" })
      .prefault({}),
  })
  .meta({ description: "Runs HAProxy for the platform's HTTPProxies, Gateways and HTTPRoutes" });

export function gatewayRules(root: Root): RuleFault[] {
  if (!given(root, ["gateway"])) return [];
  return [
    ...(given(root, ["platform"])
      ? []
      : [error(["gateway"], "needs the section platform: the control planes whose HTTPProxies it serves")]),
    ...zoneRules(root),
  ];
}

/** A hostname belongs to one project, or is the gateway's own. */
function zoneRules(root: Root): RuleFault[] {
  const domain = valueAt(root, ["gateway", "domain"]) ?? "proxy.localhost";
  const domains = entriesAt(root, ["gateway", "zones"]).map((zone) => valueAt(zone, ["domain"]));
  const overlaps = (a: unknown, b: unknown): boolean =>
    typeof a === "string" &&
    typeof b === "string" &&
    (`.${a}`.endsWith(`.${b}`) || `.${b}`.endsWith(`.${a}`));
  return domains.flatMap((each, index): RuleFault[] => {
    const path = ["gateway", "zones", index, "domain"];
    if (overlaps(each, domain)) return [error(path, `overlaps gateway.domain, ${String(domain)}`)];
    const earlier = domains.slice(0, index).findIndex((other) => overlaps(each, other));
    if (earlier === -1) return [];
    return [error(path, `overlaps gateway.zones[${earlier}]: a hostname belongs to one project`)];
  });
}
