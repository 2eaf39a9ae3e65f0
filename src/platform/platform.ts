import type { Registry } from "prom-client";
import type { Clock } from "../base/core/clock.ts";
import { describeError } from "../base/core/errors.ts";
import { logErrors, runLoop } from "../base/core/loop.ts";
import type { Service } from "../base/core/service.ts";
import { version } from "../base/core/version.ts";
import type { Logger } from "../base/log/log.ts";
import type { ListenAddress } from "../base/net/listen-address.ts";
import type { RedisConnection } from "../base/redis/connection.ts";
import type { RedisConnections } from "../base/redis/redis.ts";
import type { KindDefinition } from "../kube-server/api/kind.ts";
import type { AuditSink } from "../kube-server/http/audit.ts";
import type { ServerLimits } from "../kube-server/http/limits.ts";
import {
  assembleServer,
  type CertificateSettings,
  type ControllerParts,
  certificateOptions,
  createKubeServer,
  type ServerParts,
} from "../kube-server/server.ts";
import type { Quotas } from "../kube-server/store/usage.ts";
import type { LogLimits } from "../kube-server/store/write-scripts.ts";
import { loadCertificate } from "../kube-server/tls/server-certificate.ts";
import type { UnsentLimits } from "../kube-server/watch/unsent-events.ts";
import { createGatewayWatch } from "./controllers/gateway/gateway-watch.ts";
import { wakeGateways } from "./controllers/gateway/gateway-work.ts";
import { createNameSweep } from "./controllers/name-sweep.ts";
import { createProjectNames } from "./controllers/project-names.ts";
import { countedResources, defaultQuotas } from "./default-quotas.ts";
import { createHostnameClaims, type HostnameZone } from "./routing/hostname-claims.ts";
import { createProgramStore } from "./routing/redis-program-store.ts";
import type { RouteProgram } from "./routing/route-program.ts";
import { servedKinds } from "./served-kinds.ts";
import { type ServerControllerOptions, serverControllers } from "./server-controllers.ts";

export interface PlatformOptions {
  /** `platform.listen`. */
  readonly listen: ListenAddress;
  readonly groupDomain: string;
  /** `platform.cityCodes`. */
  readonly cityCodes?: readonly string[];
  /** Whether `egress.allow` has an address; backends of proxies may then have it. */
  readonly isAllowed?: (address: string) => boolean;
  /** The `gateway` section; without it, no gateway runs. */
  readonly gateway?: GatewayOptions | undefined;
  /** Kinds to serve; by default all of {@link servedKinds}. */
  readonly kinds?: readonly KindDefinition[];
  /** `state.directory`, for the certificate. */
  readonly stateDirectory: string;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly redis: RedisConnections;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  readonly audit?: AuditSink | undefined;
  readonly limits?: Partial<ServerLimits>;
  /** `platform.quotas`. */
  readonly quotas?: Quotas;
  /** `platform.projectNameRetention`. */
  readonly projectNameRetentionMs?: number;
  /** Maximum disconnection after which a watch can resume. */
  readonly changeLogMs?: number;
  /** Limits of each plane's change log. */
  readonly changeLog?: Partial<LogLimits>;
  /** Limits of events not yet received by the readers of watches. */
  readonly unsent?: Partial<UnsentLimits>;
  readonly bookmarkMs?: number;
  readonly watchCheckMs?: number;
}

export interface GatewayOptions {
  /** `gateway.domain`: hostnames are `<uid of the Gateway>.<domain>`. */
  readonly domain: string;
  /** Domains whose hostnames are a project's without a proof. */
  readonly zones?: readonly HostnameZone[];
  /** Name servers that have the proofs of hostnames; the system's when there are none. */
  readonly nameServers?: readonly string[];
}

export interface Platform {
  readonly service: Service;
  readonly registry: Registry;
  /** `https://host:port` once listening; used by tests and the demo. */
  address(): string | undefined;
  /**
   * Has the controllers look at gateways again, after a running gateway has loaded their programs or has
   * something else to report. They ask by themselves too, so this never fails; it does nothing unless the
   * platform runs.
   */
  wakeGateways(programs: readonly Pick<RouteProgram, "plane" | "namespace" | "name">[]): Promise<void>;
}

const defaultNameRetentionMs = 31 * 24 * 3_600_000;
const lookEveryMs = 2_000;
const identity = { title: "telemetryd platform", section: "platform" };

/**
 * PEM of the authority that clients must trust; created if the platform has never run. Undefined if the
 * operator provides a certificate: its authority is theirs to distribute.
 *
 * @throws FILE_UNREADABLE, STATE_UNUSABLE as {@link loadCertificate}
 */
export async function platformAuthority(
  options: Omit<CertificateSettings, keyof typeof identity>,
  nowMs: number,
): Promise<string | undefined> {
  return (await loadCertificate(certificateOptions({ ...identity, ...options }), nowMs)).authority;
}

/** The platform: the API server with its kinds and controllers; all state is in Redis. */
export function createPlatform(options: PlatformOptions): Platform {
  const { clock, log } = options;
  const server = createKubeServer({
    ...options,
    ...serverSettings(options),
    services: (server) => {
      const parts = { ...server, ...platformParts(options, server) };
      return [
        { name: "gateways", run: (stop) => runGatewayWatch(parts, stop) },
        { name: "names", run: (stop) => runNameSweep(parts, stop) },
      ];
    },
  });

  return {
    service: { ...server.service, name: "platform" },
    registry: server.registry,
    address: () => server.address(),
    async wakeGateways(programs) {
      try {
        const store = server.parts()?.store;
        if (store !== undefined) await wakeGateways(store, programs, clock.nowMs());
      } catch (error) {
        log.warn({ error: describeError(error) }, "the gateways' controllers cannot be woken");
      }
    },
  };
}

export type AssemblyOptions = Pick<
  PlatformOptions,
  | "groupDomain"
  | "cityCodes"
  | "isAllowed"
  | "gateway"
  | "kinds"
  | "clock"
  | "log"
  | "random"
  | "limits"
  | "quotas"
  | "projectNameRetentionMs"
  | "bookmarkMs"
  | "watchCheckMs"
  | "changeLog"
  | "unsent"
>;

/** Assembles all parts except the listener. */
export function assemble(options: AssemblyOptions, redis: RedisConnection, subscriber: RedisConnection) {
  const server = assembleServer({ ...options, ...serverSettings(options) }, redis, subscriber);
  return { ...server, ...platformParts(options, server) };
}

type PlatformParts = Pick<
  ServerControllerOptions,
  "names" | "programs" | "gatewayDomain" | "hostnameClaims" | "hostnameZones" | "nameServers"
>;

/** The platform's own parts, which have no state outside Redis. */
function platformParts(options: AssemblyOptions, { redis }: Pick<ServerParts, "redis">): PlatformParts {
  return {
    names: createProjectNames(redis, options.projectNameRetentionMs ?? defaultNameRetentionMs),
    programs: createProgramStore(redis),
    gatewayDomain: options.gateway?.domain,
    hostnameClaims: createHostnameClaims(redis),
    hostnameZones: options.gateway?.zones ?? [],
    nameServers: options.gateway?.nameServers ?? [],
  };
}

/** The server's options that the platform decides. */
function serverSettings(options: AssemblyOptions) {
  return {
    kinds: options.kinds ?? servedKinds(options.groupDomain, options),
    ...identity,
    buildMetadata: `telemetryd.${version}`,
    countedResources,
    quotas: options.quotas ?? defaultQuotas,
    issuer: `telemetryd.${options.groupDomain}`,
    controllers: (parts: ControllerParts) =>
      serverControllers({ ...parts, ...platformParts(options, parts) }),
  };
}

/** Has the Gateways say so when none is left running. */
async function runGatewayWatch(parts: ReturnType<typeof assemble>, signal: AbortSignal): Promise<void> {
  const { clock, log } = parts;
  const onError = logErrors("gateways", log);
  await runLoop(createGatewayWatch(parts), { clock, pauseAfterErrorMs: lookEveryMs, onError }, signal);
}

/** Keeps the names of projects and the Projects consistent. */
async function runNameSweep(parts: ReturnType<typeof assemble>, signal: AbortSignal): Promise<void> {
  const { clock, log } = parts;
  const onError = logErrors("names", log);
  await runLoop(createNameSweep(parts), { clock, pauseAfterErrorMs: lookEveryMs, onError }, signal);
}
