import type { Server } from "node:https";
import type { AddressInfo } from "node:net";
import { hostname } from "node:os";
import type { Registry } from "prom-client";
import type { Clock } from "../base/core/clock.ts";
import { describeError } from "../base/core/errors.ts";
import { FairSemaphore } from "../base/core/fair-semaphore.ts";
import { logErrors, runLoop } from "../base/core/loop.ts";
import { Releasers, runStages, type Service } from "../base/core/service.ts";
import { untilAborted } from "../base/core/signals.ts";
import type { Logger } from "../base/log/log.ts";
import { type ListenAddress, listenOn } from "../base/net/listen-address.ts";
import { tlsServerOptions } from "../base/net/renewed-context.ts";
import type { RedisConnection } from "../base/redis/connection.ts";
import type { RedisConnections } from "../base/redis/redis.ts";
import { createBearerTokens } from "./access/bearer-tokens.ts";
import { createAccessDirectory } from "./access/directory.ts";
import type { KindDefinition } from "./api/kind.ts";
import { clearUnfinishedRestore } from "./backup/restore-lease.ts";
import type { Controller } from "./controllers/controller.ts";
import { createGarbageCollector } from "./controllers/garbage-collector.ts";
import { runControllers } from "./controllers/runner.ts";
import { workOf } from "./controllers/work-items.ts";
import { createApiApp } from "./http/app.ts";
import type { AuditSink } from "./http/audit.ts";
import { createDrain } from "./http/drain.ts";
import { defaultLimits, type ServerLimits } from "./http/limits.ts";
import { createLogRelay } from "./logs/log-relay.ts";
import { createServerMetrics, measure, type ServerMetrics } from "./metrics.ts";
import { ready, withRedis } from "./redis-start.ts";
import { createResources, type Resources } from "./resources/resources.ts";
import { createNumberClaims, type NumberClaims } from "./store/number-claims.ts";
import { createObjectStore, type ObjectStore } from "./store/object-store.ts";
import type { Quotas } from "./store/usage.ts";
import type { LogLimits } from "./store/write-scripts.ts";
import { type CertificateOptions, loadCertificate } from "./tls/server-certificate.ts";
import { createChangeFeed } from "./watch/feed.ts";
import { defaultUnsentLimits, UnsentEvents, type UnsentLimits } from "./watch/unsent-events.ts";
import { createWatchReads } from "./watch/watch-reads.ts";

/** What a server consists of, without its listener. */
export interface ServerAssemblyOptions {
  /** Name of the API in its OpenAPI documents, and in generated certificates. */
  readonly title: string;
  /** Build metadata of the version that clients are shown: `v1.32.0+<buildMetadata>`. */
  readonly buildMetadata: string;
  /** Domain of the paths of planes: `/apis/resourcemanager.<groupDomain>/...`. */
  readonly groupDomain: string;
  /** Kinds to serve. Namespaced ones need `namespaceKind` among them. */
  readonly kinds: readonly KindDefinition[];
  /** The controllers of these kinds, made of what the server has. */
  controllers(parts: ControllerParts): readonly Controller[];
  /** Issuer of the bearer tokens: another installation's are rejected. */
  readonly issuer: string;
  /** Names of what the kinds count, besides the objects and their bytes; see `KindDefinition.counts`. */
  readonly countedResources?: readonly string[];
  /** Absent: nothing is limited. */
  readonly quotas?: Quotas;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: () => number;
  readonly limits?: Partial<ServerLimits>;
  /** Limits of each plane's change log. */
  readonly changeLog?: Partial<LogLimits>;
  /** Limits of events not yet received by the readers of watches. */
  readonly unsent?: Partial<UnsentLimits>;
  readonly bookmarkMs?: number;
  readonly watchCheckMs?: number;
  /** Absent: nobody reads them. */
  readonly metrics?: ServerMetrics;
}

export interface KubeServerOptions extends ServerAssemblyOptions {
  readonly listen: ListenAddress;
  /** Section of the configuration with {@link listen} and `tls`, which errors name. */
  readonly section: string;
  /** Folder of the generated certificate and its authority. */
  readonly stateDirectory: string;
  /** PEM files of the operator's own certificate and key; both or neither. */
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly redis: RedisConnections;
  readonly audit?: AuditSink | undefined;
  /** Maximum disconnection after which a watch can resume. */
  readonly changeLogMs?: number;
  /** Called when Redis responds, before the server listens; again if Redis is lost meanwhile. */
  prepare?(parts: ServerParts): Promise<void>;
  /** Further services, which run while the server does. */
  services?(parts: ServerParts): readonly Service[];
}

export interface KubeServer {
  readonly service: Service;
  readonly registry: Registry;
  /** `https://host:port` once listening. */
  address(): string | undefined;
  /** Undefined unless the server runs. */
  parts(): ServerParts | undefined;
}

/** What controllers are made of. */
export interface ControllerParts {
  readonly redis: RedisConnection;
  readonly groupDomain: string;
  readonly kinds: readonly KindDefinition[];
  readonly store: ObjectStore;
  readonly resources: Resources;
  readonly claims: NumberClaims;
  readonly clock: Clock;
}

export type ServerParts = ReturnType<typeof assembleServer>;

const defaults = { changeLogMs: 10 * 60_000, bookmarkMs: 60_000, watchCheckMs: 30_000 };
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
const measureEveryMs = 60_000;
/** Of one token that expires soon. */
const warnEveryMs = 24 * 3_600_000;
const lookEveryMs = 2_000;
const certificateCheckMs = 12 * 3_600_000;

export type CertificateSettings = Pick<
  KubeServerOptions,
  "title" | "section" | "listen" | "stateDirectory" | "certFile" | "keyFile"
>;

/** The generated certificate contains the listen address, unless it is a wildcard address. */
export function certificateOptions(options: CertificateSettings): CertificateOptions {
  const { title, section, stateDirectory, certFile, keyFile } = options;
  const { host } = options.listen;
  const local = ["localhost", "127.0.0.1", "::1", hostname()];
  const names = ["", "0.0.0.0", "::"].includes(host) ? local : [...local, host];
  return { title, section: `${section}.tls`, file: "server", stateDirectory, certFile, keyFile, names };
}

/**
 * An API server over TLS: token exchange and control planes, with all state in Redis. Its parts are the
 * change feed, the controllers, change log compaction, certificate renewal, and the HTTP server.
 */
export function createKubeServer(options: KubeServerOptions): KubeServer {
  const { clock, log } = options;
  let address: string | undefined;
  let running: ServerParts | undefined;
  const metrics = createServerMetrics();

  async function run(signal: AbortSignal): Promise<void> {
    const releasers = new Releasers();
    const drain = createDrain(signal);
    const watches = new AbortController();
    try {
      const redis = options.redis.open("request", "api-server");
      releasers.push(() => redis.disconnect());
      const subscriber = options.redis.open("subscriber", "api-server-changes");
      releasers.push(() => subscriber.disconnect());
      await ready(redis, clock, signal);
      const parts = assembleServer({ ...options, metrics }, redis, subscriber);
      const prepare = async (): Promise<number> => {
        await clearUnfinishedRestore(parts, clock);
        await options.prepare?.(parts);
        return await parts.directory.assignRoles();
      };
      const members = await withRedis(redis, prepare, options, signal);
      if (members > 0) log.info({ members }, "members without a role are admins of their organizations now");
      running = parts;
      const certificates = certificateOptions(options);
      const { certificate, key } = await loadCertificate(certificates, clock.nowMs());
      metrics.certificate(certificate);
      const app = createApiApp(
        {
          ...parts,
          metrics: metrics.api,
          audit: options.audit,
          outage: () => options.redis.outage(),
          tls: { cert: certificate, key },
        },
        drain,
        watches.signal,
      );
      releasers.push(() => app.close());
      const url = await listenOn(app, options.listen, `${options.section}.listen`);
      address = addressOf(url, app.server as Server);
      log.info({ address }, "the API server listens");
      const watchCertificate = (stop: AbortSignal) =>
        runCertificateWatch(certificates, app.server as Server, certificate, { ...options, metrics }, stop);
      const moveRequests = async (stop: AbortSignal): Promise<void> => {
        await untilAborted(stop);
        await drain.drained();
        watches.abort();
      };
      const responding: readonly Service[] = [
        { name: "changes", run: (stop) => parts.feed.run(stop) },
        { name: "logs", run: (stop) => parts.logs.run(stop) },
      ];
      await runStages(
        [
          responding,
          [
            { name: "requests", run: moveRequests },
            { name: "controllers", run: (stop) => runControllers(parts, stop) },
            { name: "measures", run: (stop) => runMeasures(parts, stop) },
            { name: "compaction", run: (stop) => runCompaction(options, parts, stop) },
            { name: "certificate", run: watchCertificate },
            ...(options.services?.(parts) ?? []),
          ],
        ],
        signal,
      );
    } finally {
      address = undefined;
      running = undefined;
      watches.abort();
      await releasers.releaseAll();
    }
  }

  return {
    service: { name: "api-server", run, snapshot: () => ({ address: address ?? null }) },
    registry: metrics.registry,
    address: () => address,
    parts: () => running,
  };
}

/** Assembles all parts except the listener; for commands that use the store beside a running server, too. */
export function assembleServer(
  options: ServerAssemblyOptions,
  redis: RedisConnection,
  subscriber: RedisConnection,
) {
  const { title, buildMetadata, groupDomain, kinds, clock, log, random = Math.random } = options;
  const quotas = options.quotas ?? { organization: {}, project: {} };
  const store = createObjectStore(redis, {
    kinds,
    quotas,
    countedResources: options.countedResources ?? [],
    log: { ...defaultChangeLog, ...options.changeLog },
  });
  const resources: Resources = createResources({
    store,
    clock,
    random,
    workOf: (target, object, old) => workOf(controllers, target, object, old),
  });
  const claims = createNumberClaims(redis);
  const controllerParts: ControllerParts = { redis, groupDomain, kinds, store, resources, claims, clock };
  const controllers: readonly Controller[] = options.controllers(controllerParts);
  const semaphore = new FairSemaphore(openWatchReads, "all-but-one");
  return {
    ...controllerParts,
    title,
    buildMetadata,
    quotas,
    controllers,
    log,
    random,
    semaphore,
    directory: createAccessDirectory(redis),
    bearerTokens: createBearerTokens(redis, options.issuer),
    feed: createChangeFeed({ store, subscriber, clock, log, pollMs: lookEveryMs }),
    garbageCollector: createGarbageCollector({ kinds, store, resources, clock }),
    limits: { ...defaultLimits, ...options.limits },
    reads: createWatchReads({ store, semaphore }),
    logs: createLogRelay(redis, subscriber, clock),
    unsent: new UnsentEvents(clock, { ...defaultUnsentLimits, ...options.unsent }),
    bookmarkMs: options.bookmarkMs ?? defaults.bookmarkMs,
    watchCheckMs: options.watchCheckMs ?? defaults.watchCheckMs,
    metrics: options.metrics ?? createServerMetrics(),
  };
}

/** Fastify reports only one of the addresses, and port 0 is resolved only now. */
function addressOf(url: string, server: Server): string {
  const { port } = server.address() as AddressInfo;
  return `https://${new URL(url).hostname}:${port}`;
}

/** Drops expired changes from every plane. */
async function runCompaction(
  options: KubeServerOptions,
  { store, directory, semaphore }: Pick<ServerParts, "store" | "directory" | "semaphore">,
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

/** Counts what is in the store, and warns of tokens that expire. */
async function runMeasures(parts: ServerParts, signal: AbortSignal): Promise<void> {
  const { clock, log, metrics } = parts;
  const warned = new Map<string, number>();
  const tick = async (): Promise<number> => {
    const measures = await measure(parts, signal);
    metrics.measured(measures);
    for (const { id, user, name, expiresAt } of measures.expiring) {
      if (clock.nowMs() - (warned.get(id) ?? 0) < warnEveryMs) continue;
      warned.set(id, clock.nowMs());
      log.warn({ token: id, name, user, expiresAt }, "a Personal Access Token expires soon");
    }
    return measureEveryMs;
  };
  // A Redis that does not respond has a log line and a metric of its own.
  const onError = (error: unknown) => log.debug({ error: describeError(error) }, "nothing was counted");
  await runLoop(tick, { clock, pauseAfterErrorMs: measureEveryMs, onError }, signal);
}

/** Switches to a new certificate after a renewal, or after the operator replaced the files. */
async function runCertificateWatch(
  certificates: CertificateOptions,
  server: Server,
  first: string,
  { clock, log, metrics }: KubeServerOptions & { readonly metrics: ServerMetrics },
  signal: AbortSignal,
): Promise<void> {
  const isOperators = (certificates.certFile ?? "") !== "";
  let current = first;
  const tick = async (): Promise<number> => {
    try {
      const { certificate, key } = await loadCertificate(certificates, clock.nowMs());
      if (certificate !== current) server.setSecureContext({ ...tlsServerOptions, cert: certificate, key });
      metrics.certificate(certificate);
      current = certificate;
    } catch (error) {
      log.error({ error: describeError(error) }, "the certificate cannot be renewed; the old one is served");
    }
    return isOperators ? 60_000 : certificateCheckMs;
  };
  const onError = logErrors("certificate", log);
  await runLoop(tick, { clock, pauseAfterErrorMs: 60_000, onError }, signal);
}
