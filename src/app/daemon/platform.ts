import type { RedisConnections } from "../../base/redis/redis.ts";
import type { AuditSink } from "../../kube-server/http/audit.ts";
import type { Platform } from "../../platform/platform.ts";
import type { Config } from "../config/schema.ts";
import type { Part, PartContext } from "./parts.ts";

/** The control planes, served by this daemon. */
export async function openPlatform(
  { config, clock, log }: PartContext,
  redis: RedisConnections | undefined,
  audit: AuditSink | undefined,
): Promise<(Platform & Part) | undefined> {
  if (config.platform === undefined || redis === undefined) return undefined;
  const { listen, groupDomain, cityCodes, tls, limits, quotas, projectNameRetentionMs } = config.platform;
  const { createPlatform } = await import("../../platform/platform.ts");
  const { addressesIn } = await import("../../base/net/address-range.ts");
  const platform = createPlatform({
    listen,
    groupDomain,
    cityCodes,
    audit,
    limits,
    quotas,
    projectNameRetentionMs,
    isAllowed: addressesIn(config.egress.allow),
    gateway: config.gateway && { ...config.gateway, nameServers: config.egress.nameServers ?? [] },
    ...tls,
    stateDirectory: config.state.directory,
    redis,
    clock,
    log,
  });
  const notReady = () => (platform.address() === undefined ? "platform.listen is not open yet" : undefined);
  return {
    ...platform,
    stage: "sources and servers",
    services: [platform.service],
    registries: [platform.registry],
    notReady,
  };
}

/** PEM of the authority of this configuration's platform, if it has one of its own. */
export async function authorityOfPlatform(
  { platform, state }: Config,
  nowMs: number,
): Promise<string | undefined> {
  if (platform === undefined) return undefined;
  const { listen, tls } = platform;
  const { platformAuthority } = await import("../../platform/platform.ts");
  return await platformAuthority({ listen, ...tls, stateDirectory: state.directory }, nowMs);
}

/** PEM of the authority that a daemon trusts without configuration, since it follows its own platform. */
export async function ownAuthority({ config, clock }: PartContext): Promise<string | undefined> {
  const { controlPlane } = config;
  if (controlPlane?.apiUrl === undefined || controlPlane.caFile !== undefined) return undefined;
  return await authorityOfPlatform(config, clock.nowMs());
}
