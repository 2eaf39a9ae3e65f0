import { readFile, rename, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { rootCertificates } from "node:tls";
import type { Clock } from "../../base/core/clock.ts";
import { TelemetrydError } from "../../base/core/errors.ts";
import type { Service } from "../../base/core/service.ts";
import { makeOwnFolder, socketFolder } from "../../base/core/socket-folder.ts";
import { NameResolver } from "../../base/http/names/name-resolver.ts";
import type { Logger } from "../../base/log/log.ts";
import { formatListenAddress, type ListenAddress } from "../../base/net/listen-address.ts";
import type { RedisConnections } from "../../base/redis/redis.ts";
import { BackendResolver } from "../../platform/gateway/backend-addresses.ts";
import { createGateway, type Gateway, gatewayFiles } from "../../platform/gateway/gateway.ts";
import { createHaproxy } from "../../platform/gateway/haproxy/haproxy-process.ts";
import { createProgramStore } from "../../platform/routing/redis-program-store.ts";
import type { RouteProgram } from "../../platform/routing/route-program.ts";
import type { Config, GatewayConfig } from "../config/schema.ts";

/** A gateway, wired by hand, with what it holds open. */
export interface OpenedGateway {
  readonly gateway: Gateway;
  close(): void;
}

export interface GatewayParts {
  readonly redis: RedisConnections;
  /** Certificate and key for the hostnames (PEM), renewed when they have to be. */
  readonly certificate: () => Promise<{ readonly certificate: string; readonly key: string }>;
  readonly onChange: (programs: readonly RouteProgram[]) => Promise<void>;
  readonly onLogLine: (line: string) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The gateway of a configuration.
 *
 * @throws FILE_UNREADABLE for `gateway.caFile` and `gateway.tls`, STATE_UNUSABLE
 */
export async function openGateway(
  config: Config,
  wanted: GatewayConfig,
  parts: GatewayParts,
): Promise<OpenedGateway> {
  const { state, egress, delivery } = config;
  const { clock, log } = parts;
  const directory = resolve(state.directory, "gateway");
  const sockets = socketFolder(state.directory, "gateway");
  const files = gatewayFiles(directory, sockets);
  for (const folder of [directory, sockets]) await makeOwnFolder(folder);
  await writeFile(files.authorities, await authorities(wanted.caFile), { mode: 0o600 });

  let written = "";
  const refreshTls = async (): Promise<boolean> => {
    const { certificate, key } = await parts.certificate();
    const pem = `${certificate.trim()}\n${key.trim()}\n`;
    if (pem === written) return false;
    await writeFile(`${files.certificate}.new`, pem, { mode: 0o600 });
    await rename(`${files.certificate}.new`, files.certificate);
    written = pem;
    return true;
  };
  await refreshTls();

  const connection = parts.redis.open("background", "gateway");
  const names = new NameResolver({ clock, servers: egress.nameServers });
  const settings = {
    ...wanted,
    listen: formatListenAddress(wanted.listen),
    tlsListen: formatListenAddress(wanted.tlsListen),
  };
  const gateway = createGateway({
    ...{ settings, domain: wanted.domain, files, clock, log, refreshTls, onChange: parts.onChange },
    store: createProgramStore(connection),
    haproxy: createHaproxy({
      binary: process.env["HAPROXY_BIN"] || "haproxy",
      ...{ files, clock, log, onLogLine: parts.onLogLine },
    }),
    resolver: new BackendResolver({
      egress,
      lookup: (name, tenant) => names.lookup(name, tenant),
      own: ownAddresses(config),
    }),
    tenantLabel: config.metrics?.tenantLabel || undefined,
    runner: `${hostname()}:${settings.listen}`,
    shutdownTimeoutMs: Math.max(1_000, delivery.shutdownTimeoutMs - 2_000),
  });
  const service: Service = {
    ...gateway.service,
    async run(signal) {
      // The private Redis starts beside it.
      while (connection.status !== "ready" && !signal.aborted) {
        await clock.sleep(20, signal).catch(() => undefined);
      }
      await gateway.service.run(signal);
    },
  };
  return {
    gateway: { ...gateway, service },
    close: () => {
      names.close();
      connection.disconnect();
    },
  };
}

/** Where this daemon listens. */
function ownAddresses({ ops, api, platform, gateway }: Config): ListenAddress[] {
  const addresses = [ops?.listen, api?.listen, platform?.listen, gateway?.listen, gateway?.tlsListen];
  return addresses.filter((each) => each !== undefined);
}

/** Bundles of the authorities that a system trusts, by where distributions keep them. */
const systemBundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** The system's authorities (Node.js' own, if it has none), and the operator's. */
async function authorities(caFile: string | undefined): Promise<string> {
  let system: string | undefined;
  for (const bundle of systemBundles) system ??= await readFile(bundle, "utf8").catch(() => undefined);
  const trusted = system ?? rootCertificates.join("\n");
  if (caFile === undefined || caFile === "") return `${trusted}\n`;
  try {
    return `${trusted}\n${await readFile(caFile, "utf8")}\n`;
  } catch (cause) {
    throw new TelemetrydError("FILE_UNREADABLE", `gateway.caFile: ${caFile} cannot be read`, { cause });
  }
}
