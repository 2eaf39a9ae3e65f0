import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { findServers } from "../../../scripts/servers/find.ts";
import { freePort, isListening } from "../../../scripts/servers/free-port.ts";
import { sleep, systemClock } from "../../../src/base/core/clock.ts";
import { NameResolver } from "../../../src/base/http/names/name-resolver.ts";
import { createLogger, type Logger } from "../../../src/base/log/log.ts";
import type { Lookup } from "../../../src/base/net/guarded-lookup.ts";
import { BackendResolver } from "../../../src/platform/gateway/backend-addresses.ts";
import { createGateway } from "../../../src/platform/gateway/gateway.ts";
import type { GatewayLimits } from "../../../src/platform/gateway/haproxy/configuration.ts";
import { gatewayFiles } from "../../../src/platform/gateway/haproxy/gateway-files.ts";
import { createHaproxy } from "../../../src/platform/gateway/haproxy/haproxy-process.ts";
import { createProgramStore } from "../../../src/platform/routing/redis-program-store.ts";
import type { RouteProgram } from "../../../src/platform/routing/route-program.ts";
import { type Authority, createAuthority } from "../net/certificates.ts";
import type { TestPlatform } from "../plane/platform.ts";
import { MemoryPrograms } from "./memory-programs.ts";

export interface RunningGatewayOptions {
  readonly limits?: Partial<GatewayLimits>;
  readonly trustedProxies?: readonly string[];
  /** `egress.allow`; by default 127.0.0.1, where the tests' backends are. */
  readonly allow?: readonly string[];
  readonly lookup?: Lookup;
  /** HAProxy's path; by default the one that all tests have. */
  readonly binary?: string;
  readonly shutdownTimeoutMs?: number;
  /** Those of a gateway that was stopped. */
  readonly programs?: MemoryPrograms;
  /** Takes the programs of its control planes, instead of those of the test. */
  readonly platform?: TestPlatform;
}

/** A gateway with a real HAProxy, on free ports of 127.0.0.1, that carries out what is put into `programs`. */
export interface RunningGateway extends AsyncDisposable {
  readonly port: number;
  readonly tlsPort: number;
  readonly programs: MemoryPrograms;
  /** Signs the certificates of backends that the gateway trusts, and its own. */
  readonly authority: Authority;
  readonly files: ReturnType<typeof gatewayFiles>;
  /** Programs whose state changed, as the controllers hear of them. */
  readonly woken: string[];
  problem(): string | undefined;
  /** How often a new configuration was given to HAProxy. */
  loads(): Promise<number>;
  /** The pid of HAProxy's master. */
  masterPid(): Promise<number>;
  /** Puts programs and waits until they are loaded. */
  load(...programs: RouteProgram[]): Promise<void>;
  unload(gateway: string): Promise<void>;
  /** Ends the service as a daemon's stop does. */
  stop(): Promise<void>;
}

export const domain = "proxy.localhost";

/** Hostname of a program. */
export function hostOf(gateway: string): string {
  return `${gateway}.${domain}`;
}

const quiet: Logger = createLogger("error", { write: () => true }, false);

export async function startGateway(options: RunningGatewayOptions = {}): Promise<RunningGateway> {
  const directory = await mkdtemp(join(tmpdir(), "telemetryd-gateway-"));
  const files = gatewayFiles(directory, directory);
  const authority = createAuthority();
  const { cert, key } = authority.issue([`*.${domain}`]);
  await writeFile(files.authorities, authority.cert);
  await writeFile(files.certificate, `${cert}${key}`);
  const { haproxy } = await findServers(["haproxy"]);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const programs = options.programs ?? new MemoryPrograms();
  const { platform } = options;
  const redis = platform && new Redis(platform.redis.url);
  const names = new NameResolver();
  const woken: string[] = [];
  const clock = systemClock;
  const child = createHaproxy({
    ...{ binary: options.binary ?? haproxy.path, files, clock, log: quiet },
    onLogLine: () => undefined,
  });
  const gateway = createGateway({
    settings: {
      listen: `127.0.0.1:${port}`,
      tlsListen: `127.0.0.1:${tlsPort}`,
      trustedProxies: options.trustedProxies ?? [],
      accessLog: false,
      limits: {
        connections: 5_000,
        connectionsPerAddress: 4_000,
        requestsPerProxy: 1_000,
        ...options.limits,
      },
    },
    ...{ domain, files, clock, log: quiet, haproxy: child, runner: "test" },
    store: redis === undefined ? programs : createProgramStore(redis),
    resolver: new BackendResolver({
      egress: { deny: [], allow: options.allow ?? ["127.0.0.1"] },
      lookup: options.lookup ?? ((name, tenant) => names.lookup(name, tenant)),
      own: [
        { host: "127.0.0.1", port },
        { host: "127.0.0.1", port: tlsPort },
      ],
    }),
    refreshTls: async () => false,
    onChange: async (changed) => {
      woken.push(...changed.map((program) => program.gateway));
      await platform?.wakeGateways(changed);
    },
    shutdownTimeoutMs: options.shutdownTimeoutMs ?? 2_000,
  });
  const stopping = new AbortController();
  const running = gateway.service.run(stopping.signal);

  const untilLoaded = async (version: number): Promise<void> => {
    for (const startedMs = performance.now(); ; await sleep(10, new AbortController().signal)) {
      const { isLoaded, reports } = await programs.state("", version);
      if (isLoaded && reports.every(({ pending }) => pending === undefined)) return;
      if (performance.now() - startedMs > 30_000) throw new Error(`not loaded: ${gateway.problem()}`);
    }
  };
  const untilUp = async (): Promise<void> => {
    for (const startedMs = performance.now(); !(await isListening(port)); ) {
      await sleep(10, new AbortController().signal);
      if (performance.now() - startedMs > 30_000) throw new Error(`it does not listen: ${gateway.problem()}`);
    }
  };
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
    names.close();
    redis?.disconnect();
  };
  await untilUp();
  return {
    ...{ port, tlsPort, programs, authority, files, woken, stop },
    problem: () => gateway.problem(),
    async loads() {
      const metric = await gateway.registry.getSingleMetric("telemetryd_gateway_loads_total")?.get();
      return metric?.values.find(({ labels }) => labels["outcome"] === "succeeded")?.value ?? 0;
    },
    async masterPid() {
      const text = await child.askMaster("show proc");
      return Number(/^(\d+)\s+master/m.exec(text)?.[1]);
    },
    async load(...loaded) {
      let version = 0;
      for (const program of loaded) version = await programs.put(program);
      await untilLoaded(version);
    },
    async unload(uid) {
      await untilLoaded(await programs.remove(uid));
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
