import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Clock } from "../base/core/clock.ts";
import { describeError } from "../base/core/errors.ts";
import { FairSemaphore } from "../base/core/fair-semaphore.ts";
import { logErrors, runLoop } from "../base/core/loop.ts";
import { Releasers, runServices, type Service } from "../base/core/service.ts";
import type { Logger } from "../base/log/log.ts";
import { type ListenAddress, listenOn } from "../base/net/listen-address.ts";
import { tlsServerOptions } from "../base/net/renewed-context.ts";
import type { RedisConnection } from "../base/redis/connection.ts";
import type { RedisConnections } from "../base/redis/redis.ts";
import { type BearerTokens, createBearerTokens } from "../kube-server/access/bearer-tokens.ts";
import { type AccessDirectory, createAccessDirectory } from "../kube-server/access/directory.ts";
import type { KindDefinition } from "../kube-server/api/kind.ts";
import { createGarbageCollector } from "../kube-server/controllers/garbage-collector.ts";
import { runControllers } from "../kube-server/controllers/runner.ts";
import { workOf } from "../kube-server/controllers/work-items.ts";
import { createPlatformApp } from "../kube-server/http/app.ts";
import { defaultLimits, type PlatformLimits } from "../kube-server/http/limits.ts";
import { createResources } from "../kube-server/resources/resources.ts";
import { createNumberClaims } from "../kube-server/store/number-claims.ts";
import { createObjectStore, type ObjectStore } from "../kube-server/store/object-store.ts";
import { createProjectNames } from "../kube-server/store/project-names.ts";
import { defaultQuotas, type Quotas } from "../kube-server/store/usage.ts";
import type { LogLimits } from "../kube-server/store/write-scripts.ts";
import { type CertificateOptions, loadServerCertificate } from "../kube-server/tls/server-certificate.ts";
import { type ChangeFeed, createChangeFeed } from "../kube-server/watch/feed.ts";
import { defaultUnsentLimits, UnsentEvents, type UnsentLimits } from "../kube-server/watch/unsent-events.ts";
import { createWatchReads } from "../kube-server/watch/watch-reads.ts";
import { createGatewayWatch } from "./controllers/gateway/gateway-watch.ts";
import { wakeGateways } from "./controllers/gateway/gateway-work.ts";
import { createNameSweep } from "./controllers/name-sweep.ts";
import { createProgramStore } from "./routing/redis-program-store.ts";
import type { RouteProgram } from "./routing/route-program.ts";
import { servedKinds } from "./served-kinds.ts";
import { serverControllers } from "./server-controllers.ts";

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
  readonly limits?: Partial<PlatformLimits>;
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
}

export interface Platform {
  readonly service: Service;
  /** `https://host:port` once listening; used by tests and the demo. */
  address(): string | undefined;
  /**
   * Has the controllers look at gateways again, after a running gateway has loaded their programs or has
   * something else to report. They ask by themselves too, so this never fails; it does nothing unless the
   * platform runs.
   */
  wakeGateways(programs: readonly Pick<RouteProgram, "plane" | "namespace" | "name">[]): Promise<void>;
}

const defaults = {
  projectNameRetentionMs: 31 * 24 * 3_600_000,
  changeLogMs: 10 * 60_000,
  bookmarkMs: 60_000,
  watchCheckMs: 30_000,
};
/** Maximum number of watches that read the store concurrently. */
const openWatchReads = 8;
const defaultChangeLog: LogLimits = {
  maxEntries: 20_000,
  maxBytes: 16 * 2 ** 20,
  organizationBytes: 128 * 2 ** 20,
  // Enough for the last change of the largest object, so that up-to-date watches see it.
  crowdedBytes: 3 * 2 ** 20,
};
const compactEveryMs = 30_000;
const lookEveryMs = 2_000;
const certificateCheckMs = 12 * 3_600_000;

type CertificateSettings = Pick<PlatformOptions, "listen" | "stateDirectory" | "certFile" | "keyFile">;

/** The generated certificate contains the listen address, unless it is a wildcard address. */
function certificateOptions(options: CertificateSettings): CertificateOptions {
  const { stateDirectory, certFile, keyFile } = options;
  const { host } = options.listen;
  return {
    stateDirectory,
    certFile,
    keyFile,
    extraNames: ["", "0.0.0.0", "::"].includes(host) ? [] : [host],
  };
}

/**
 * PEM of the authority that clients must trust; created if the platform has never run. Undefined if the
 * operator provides a certificate: its authority is theirs to distribute.
 *
 * @throws FILE_UNREADABLE, STATE_UNUSABLE as {@link loadServerCertificate}
 */
export async function platformAuthority(
  options: CertificateSettings,
  nowMs: number,
): Promise<string | undefined> {
  return (await loadServerCertificate(certificateOptions(options), nowMs)).authority;
}

/**
 * The platform server: token exchange and control planes over TLS, with all state in Redis. Its parts are the
 * change feed, the controllers, change log compaction, certificate renewal, and the HTTP server.
 */
export function createPlatform(options: PlatformOptions): Platform {
  const { clock, log } = options;
  let address: string | undefined;
  let running: Pick<ReturnType<typeof assemble>, "store"> | undefined;

  async function run(signal: AbortSignal): Promise<void> {
    const releasers = new Releasers();
    try {
      const redis = options.redis.open("background", "platform");
      releasers.push(() => redis.disconnect());
      const subscriber = options.redis.open("subscriber", "platform-changes");
      releasers.push(() => subscriber.disconnect());
      await ready(redis, clock, signal);
      const parts = assemble(options, redis, subscriber);
      running = parts;
      const certificates = certificateOptions(options);
      const { certificate, key } = await loadServerCertificate(certificates, clock.nowMs());
      const app = createPlatformApp({ ...parts, tls: { cert: certificate, key } }, signal);
      releasers.push(() => app.close());
      address = addressOf(await listenOn(app, options.listen, "platform.listen"), app.server as Server);
      log.info({ address }, "the platform listens");
      await runServices(
        [
          { name: "changes", run: (stop) => parts.feed.run(stop) },
          { name: "controllers", run: (stop) => runControllers({ ...parts, redis }, stop) },
          { name: "gateways", run: (stop) => runGatewayWatch(parts, stop) },
          { name: "names", run: (stop) => runNameSweep(parts, stop) },
          { name: "compaction", run: (stop) => runCompaction(options, parts, stop) },
          {
            name: "certificate",
            run: (stop) =>
              runCertificateWatch(certificates, app.server as Server, certificate, options, stop),
          },
        ],
        signal,
      );
    } finally {
      address = undefined;
      running = undefined;
      await releasers.releaseAll();
    }
  }

  return {
    service: { name: "platform", run, snapshot: () => ({ address: address ?? null }) },
    address: () => address,
    async wakeGateways(programs) {
      try {
        if (running !== undefined) await wakeGateways(running.store, programs, clock.nowMs());
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
  const { groupDomain, clock, log, random = Math.random } = options;
  const kinds = options.kinds ?? servedKinds(groupDomain, options);
  const quotas = options.quotas ?? defaultQuotas;
  const changeLog = { ...defaultChangeLog, ...options.changeLog };
  const store: ObjectStore = createObjectStore(redis, { kinds, quotas, log: changeLog });
  const claims = createNumberClaims(redis);
  const directory: AccessDirectory = createAccessDirectory(redis);
  const bearerTokens: BearerTokens = createBearerTokens(redis, `telemetryd.${groupDomain}`);
  const feed: ChangeFeed = createChangeFeed({ store, subscriber, clock, log, pollMs: lookEveryMs });
  const nameRetentionMs = options.projectNameRetentionMs ?? defaults.projectNameRetentionMs;
  const names = createProjectNames(redis, nameRetentionMs);
  const resources = createResources({
    store,
    clock,
    random,
    workOf: (target, object, old) => workOf(controllers, target, object, old),
  });
  const programs = createProgramStore(redis);
  const gatewayDomain = options.gateway?.domain;
  const controllers = serverControllers({
    ...{ groupDomain, names, claims, kinds, store, resources, clock },
    ...{ programs, gatewayDomain },
  });
  const garbageCollector = createGarbageCollector({ kinds, store, resources, clock });
  const limits: PlatformLimits = { ...defaultLimits, ...options.limits };
  const semaphore = new FairSemaphore(openWatchReads, "all-but-one");
  const reads = createWatchReads({ store, semaphore });
  const unsent = new UnsentEvents(clock, { ...defaultUnsentLimits, ...options.unsent });
  const { bookmarkMs = defaults.bookmarkMs, watchCheckMs = defaults.watchCheckMs } = options;
  return {
    ...{
      groupDomain,
      kinds,
      quotas,
      store,
      resources,
      feed,
      directory,
      names,
      bearerTokens,
      claims,
      programs,
      gatewayDomain,
      controllers,
      garbageCollector,
    },
    ...{ clock, log, random, limits, semaphore, reads, unsent, bookmarkMs, watchCheckMs },
  };
}

/** Waits for the first response from Redis. */
export async function ready(redis: RedisConnection, clock: Clock, signal: AbortSignal): Promise<void> {
  while (redis.status !== "ready") await clock.sleep(20, signal);
}

/** Fastify reports only one of the addresses, and port 0 is resolved only now. */
function addressOf(url: string, server: Server): string {
  const { port } = server.address() as AddressInfo;
  return `https://${new URL(url).hostname}:${port}`;
}

/** Has the Gateways say so when none is running any more. */
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

/** Drops expired changes from every plane. */
async function runCompaction(
  options: PlatformOptions,
  { store, directory, semaphore }: Pick<ReturnType<typeof assemble>, "store" | "directory" | "semaphore">,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log } = options;
  const keepMs = options.changeLogMs ?? defaults.changeLogMs;
  const tick = async (): Promise<number> => {
    // Resource versions are microseconds.
    const boundary = String(Math.max(0, clock.nowMs() - keepMs) * 1000);
    for (const plane of [...(await directory.listOrganizations()), ...(await directory.listProjects())]) {
      if (signal.aborted) break;
      await store.compact(plane, boundary);
    }
    semaphore.forgetIdle();
    return Math.min(compactEveryMs, keepMs);
  };
  const onError = logErrors("compaction", log);
  await runLoop(tick, { clock, pauseAfterErrorMs: compactEveryMs, onError }, signal);
}

/** Switches to a new certificate after a renewal, or after the operator replaced the files. */
async function runCertificateWatch(
  certificates: CertificateOptions,
  server: Server,
  first: string,
  { clock, log }: PlatformOptions,
  signal: AbortSignal,
): Promise<void> {
  const isOperators = (certificates.certFile ?? "") !== "";
  let current = first;
  const tick = async (): Promise<number> => {
    try {
      const { certificate, key } = await loadServerCertificate(certificates, clock.nowMs());
      if (certificate !== current) server.setSecureContext({ ...tlsServerOptions, cert: certificate, key });
      current = certificate;
    } catch (error) {
      log.error({ error: describeError(error) }, "the certificate cannot be renewed; the old one is served");
    }
    return isOperators ? 60_000 : certificateCheckMs;
  };
  const onError = logErrors("certificate", log);
  await runLoop(tick, { clock, pauseAfterErrorMs: 60_000, onError }, signal);
}
