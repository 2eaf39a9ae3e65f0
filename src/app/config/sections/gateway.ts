import { z } from "zod";
import { addressRanges, flag, integer, listen, optionalFile, requiredText } from "./fields.ts";
import { error, given, type Root, type RuleFault } from "./rules.ts";
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
  if (!given(root, ["gateway"]) || given(root, ["platform"])) return [];
  return [error(["gateway"], "needs the section platform: the control planes whose HTTPProxies it serves")];
}
