import { readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { resolve } from "node:path";
import { rootCertificates } from "node:tls";
import { TelemetrydError } from "../../base/core/errors.ts";
import { replaceFile } from "../../base/core/replace-file.ts";
import type { Service } from "../../base/core/service.ts";
import { makeOwnFolder, socketFolder } from "../../base/core/socket-folder.ts";
import { redact } from "../../base/log/redact.ts";
import { formatListenAddress, type ListenAddress } from "../../base/net/listen-address.ts";
import type { RedisConnections } from "../../base/redis/redis.ts";
import type { Gateway } from "../../platform/gateway/gateway.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Config, GatewayConfig } from "../config/schema.ts";
import type { Part, PartContext } from "./parts.ts";

/**
 * The gateway of the daemon's own platform, whose authority issues its certificate.
 *
 * @throws FILE_UNREADABLE for `gateway.caFile` and `gateway.tls`, STATE_UNUSABLE
 */
export async function openGateway(
  context: PartContext,
  redis: RedisConnections | undefined,
  platform: Pick<Platform, "wakeGateways"> | undefined,
): Promise<(Gateway & Part) | undefined> {
  const { config, clock, log, onClose } = context;
  const { gateway: wanted, state, egress, delivery } = config;
  if (wanted === undefined || redis === undefined || platform === undefined) return undefined;
  const [{ NameResolver }, { BackendResolver }, { createGateway }, { gatewayFiles }, ...others] =
    await Promise.all([
      import("../../base/http/names/name-resolver.ts"),
      import("../../platform/gateway/backend-addresses.ts"),
      import("../../platform/gateway/gateway.ts"),
      import("../../platform/gateway/haproxy/gateway-files.ts"),
      import("../../platform/gateway/haproxy/haproxy-process.ts"),
      import("../../platform/routing/redis-program-store.ts"),
    ]);
  const [{ createHaproxy }, { createProgramStore }] = others;
  const directory = resolve(state.directory, "gateway");
  const sockets = socketFolder(state.directory, "gateway");
  const files = gatewayFiles(directory, sockets);
  for (const folder of [directory, sockets]) await makeOwnFolder(folder);
  await writeFile(files.authorities, await authorities(wanted.caFile), { mode: 0o600 });
  const refreshTls = await keepCertificate(context, wanted, files.certificate);

  const connection = redis.open("background", "gateway");
  onClose(() => connection.disconnect());
  const names = new NameResolver({ clock, servers: egress.nameServers });
  onClose(() => names.close());
  const settings = {
    ...wanted,
    listen: formatListenAddress(wanted.listen),
    tlsListen: formatListenAddress(wanted.tlsListen),
  };
  const gateway = createGateway({
    settings,
    domain: wanted.domain,
    files,
    clock,
    log,
    refreshTls,
    onChange: (programs) => platform.wakeGateways(programs),
    store: createProgramStore(connection),
    haproxy: createHaproxy({
      binary: process.env["HAPROXY_BIN"] || "haproxy",
      files,
      clock,
      log,
      onLogLine: (line) => process.stdout.write(`${line}\n`),
    }),
    resolver: new BackendResolver({
      egress,
      lookup: (name, tenant) => names.lookup(name, tenant),
      own: listenAddresses(config).map(([, address]) => address),
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
    ...gateway,
    stage: "sources and servers",
    services: [service],
    registries: [gateway.registry],
    problems: {
      gateway() {
        const problem = gateway.problem();
        return problem && `the gateway does not serve the newest proxies: ${redact(problem)}`;
      },
    },
  };
}

/**
 * Writes the certificate for the hostnames and its key to a file, in PEM.
 *
 * @returns writes them again if they have been renewed; the result says whether they have
 */
async function keepCertificate(
  { config: { state }, clock }: PartContext,
  { domain, tls }: GatewayConfig,
  file: string,
): Promise<() => Promise<boolean>> {
  const { loadCertificate } = await import("../../kube-server/tls/server-certificate.ts");
  const names = [`*.${domain}`];
  const options = { title: "telemetryd platform", section: "gateway.tls", file: "gateway", names, ...tls };
  let written = "";
  const refresh = async (): Promise<boolean> => {
    const { certificate, key } = await loadCertificate(
      { ...options, stateDirectory: state.directory },
      clock.nowMs(),
    );
    const pem = `${certificate.trim()}\n${key.trim()}\n`;
    if (pem === written) return false;
    await replaceFile(file, pem);
    written = pem;
    return true;
  };
  await refresh();
  return refresh;
}

/** Where a daemon listens, by the key of its configuration. */
export function listenAddresses({ ops, api, platform, gateway }: Config): [key: string, ListenAddress][] {
  const addresses = [
    ["ops.listen", ops?.listen],
    ["api.listen", api?.listen],
    ["platform.listen", platform?.listen],
    ["gateway.listen", gateway?.listen],
    ["gateway.tlsListen", gateway?.tlsListen],
  ] as const;
  return addresses.flatMap(([key, address]) => (address === undefined ? [] : [[key, address]]));
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
