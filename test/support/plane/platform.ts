import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type Agent, request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningDaemon } from "../../../scripts/daemon/daemon.ts";
import { isListening } from "../../../scripts/servers/free-port.ts";
import { systemClock } from "../../../src/base/core/clock.ts";
import { runStages } from "../../../src/base/core/service.ts";
import { type Logger, silentLogger } from "../../../src/base/log/log.ts";
import { createRedis } from "../../../src/base/redis/redis.ts";
import type { UsedToken, WantedToken } from "../../../src/kube-server/access/directory.ts";
import { createAdministration } from "../../../src/kube-server/administration.ts";
import { planeBase } from "../../../src/kube-server/api/plane.ts";
import type { Role } from "../../../src/kube-server/api/roles.ts";
import { ready } from "../../../src/kube-server/redis-start.ts";
import {
  assemble,
  createPlatform,
  type Platform,
  type PlatformOptions,
} from "../../../src/platform/platform.ts";
import { endDaemon, spawnDaemon } from "../daemon/spawned-daemon.ts";
import { freePort, type RunningServer, startRedis } from "../servers.ts";
import { until } from "../until.ts";

export const groupDomain = "platformapis";

/** A running platform with two users in the organization `acme`: an admin and a provider. */
export interface TestPlatform {
  readonly url: string;
  readonly redis: RunningServer;
  /** Personal Access Token of `alice@example.com`. */
  readonly token: string;
  /** Personal Access Token of `provider@example.com`, whose role is `provider`. */
  readonly providerToken: string;
  readonly stateDirectory: string;
  /** Stops the server and starts another on the same port, with the same Redis. */
  restart(): Promise<void>;
  /** Creates a project of `acme`; resolves when its control plane responds. */
  createProject(name: string, annotations?: Readonly<Record<string, string>>): Promise<void>;
  /** Operators' actions: more organizations, members, tokens. */
  organization(name: string): Promise<void>;
  member(organization: string, user: string, role?: Role, project?: string): Promise<void>;
  removeMember(organization: string, user: string): Promise<void>;
  newToken(user: string, more?: Partial<WantedToken>): Promise<{ text: string; id: string }>;
  tokens(): Promise<UsedToken[]>;
  revoke(id: string): Promise<void>;
  /** @throws unless the token is exchanged */
  exchange(token: string): Promise<string>;
  fetch(path: string, options?: FetchOptions): Promise<TestResponse>;
  /** See `Platform.wakeGateways`; only of a platform in this process. */
  wakeGateways: Platform["wakeGateways"];
  /** The metrics of a platform in this process, as text. */
  metrics(): Promise<string>;
  /** The same as {@link fetch}, with the raw body. */
  fetchBytes(path: string, options?: FetchOptions): Promise<TestResponse & { readonly bytes: Buffer }>;
  stop(): Promise<void>;
}

export interface FetchOptions {
  readonly method?: string;
  readonly bearer?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly agent?: Agent;
}

export interface TestResponse {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: responses are looked into, field by field
  readonly json: any;
}

/** `https` rather than fetch: each request uses a new connection, and the certificate is the test's own. */
export function httpsRequest(
  url: string,
  options: FetchOptions = {},
): Promise<TestResponse & { readonly bytes: Buffer }> {
  const { method = "GET", bearer, headers = {}, body } = options;
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      url,
      {
        method,
        agent: options.agent ?? false,
        rejectUnauthorized: false,
        headers: {
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
          // Node sends no Content-Length with a DELETE, so the body would be taken for the next request.
          ...(text === undefined
            ? {}
            : { "content-type": "application/json", "content-length": String(Buffer.byteLength(text)) }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const bytes = Buffer.concat(chunks);
          const body = bytes.toString();
          let json: unknown;
          try {
            json = JSON.parse(body);
          } catch {
            json = undefined;
          }
          resolve({ code: response.statusCode ?? 0, headers: response.headers, text: body, json, bytes });
        });
      },
    );
    // Whether the server may have closed a kept connection in the moment it was used again.
    outgoing.on("error", (error) => reject(Object.assign(error, { reusedSocket: outgoing.reusedSocket })));
    outgoing.end(text);
  });
}

/** Stops the server. */
interface Stop {
  (): Promise<void>;
  /** The server, if it runs in this process. */
  readonly platform?: Platform;
}

/** Runs the server; resolves when it listens. */
type Host = (options: PlatformOptions, redisUrl: string, providerToken: string) => Promise<Stop>;

const inThisProcess: Host = async (options) => {
  const stop = new AbortController();
  const platform = createPlatform(options);
  const running = runStages([[platform.service]], stop.signal);
  let failure: unknown;
  running.catch((error: unknown) => {
    failure = error;
  });
  await until("the platform listens", () => {
    if (failure !== undefined) throw failure;
    return platform.address() !== undefined;
  });
  const end = async () => {
    stop.abort();
    await running;
  };
  return Object.assign(end, { platform });
};

interface DaemonOptions {
  /** Further sections of its configuration. */
  readonly sections?: Readonly<Record<string, unknown>>;
  /** It is a provider, too, with these keys of `provider.engine`. */
  readonly engine?: Readonly<Record<string, unknown>>;
  readonly onStart?: (daemon: RunningDaemon) => void;
}

/** The platform in a daemon, as users run it. */
export const inDaemonWith =
  ({ sections, engine, onStart }: DaemonOptions): Host =>
  async ({ listen, stateDirectory }, redisUrl, providerToken) => {
    const directory = join(stateDirectory, "daemon");
    await mkdir(directory, { recursive: true });
    const accessTokenFile = join(directory, "token");
    await writeFile(accessTokenFile, providerToken);
    const apiUrl = `https://127.0.0.1:${listen.port}`;
    const daemon = await spawnDaemon({
      directory,
      config: {
        platform: { listen: `${listen.host}:${listen.port}`, groupDomain },
        redis: { url: redisUrl },
        state: { directory: stateDirectory },
        ...(engine && {
          controlPlane: { apiUrl, organization: "acme", accessTokenFile },
          provider: { kind: "engine", cloudProjectId: "local", engine },
        }),
        ...sections,
      },
    });
    onStart?.(daemon);
    await until("the platform listens", () => isListening(listen.port));
    return async () => {
      // A test may have killed it.
      if (daemon.child.exit()?.signal !== "SIGKILL") await endDaemon(daemon);
    };
  };

export const inDaemon = inDaemonWith({});

export async function startTestPlatform(
  overrides: Partial<PlatformOptions> = {},
  log: Logger = silentLogger,
  host: Host = inThisProcess,
  redisFlags: readonly string[] = [],
): Promise<TestPlatform> {
  const stateDirectory = await mkdtemp(join(tmpdir(), "telemetryd-platform-"));
  const redis = await startRedis({ persistent: true, flags: redisFlags });
  const port = await freePort();
  const room = createRedis({ urls: [redis.url], stateDirectory, clock: systemClock, log });
  const options: PlatformOptions = {
    listen: { host: "127.0.0.1", port },
    groupDomain,
    stateDirectory,
    redis: room,
    clock: systemClock,
    log,
    ...overrides,
  };
  const url = `https://127.0.0.1:${port}`;
  const adminRedis = room.open("command", "test");
  const signal = new AbortController().signal;
  await ready(adminRedis, systemClock, signal);
  const parts = assemble(options, adminRedis, adminRedis);
  const administration = createAdministration(parts);

  await administration.createOrganization("acme");
  await parts.directory.addMember("acme", "alice@example.com", "admin");
  const newToken = async (user: string, more: Partial<WantedToken> = {}) => {
    const created = await parts.directory.createToken({ user, nowMs: Date.now(), ...more });
    if (created === "name-taken") throw new Error("the name of the token is taken");
    return { text: created.text, id: created.record.id };
  };
  const { text: token } = await newToken("alice@example.com");
  await parts.directory.addMember("acme", "provider@example.com", "provider");
  const { text: providerToken } = await newToken("provider@example.com");

  let stopRunning: Stop = () => Promise.resolve();
  const start = async (): Promise<void> => {
    stopRunning = await host(options, redis.url, providerToken);
  };

  await start();

  const fetch: TestPlatform["fetch"] = (path, fetchOptions) => httpsRequest(`${url}${path}`, fetchOptions);
  const exchange = async (pat: string): Promise<string> => {
    const { code, text, json } = await fetch("/platform-os/oauth/token/exchange", { bearer: pat });
    if (code !== 200) throw new Error(`the token was not exchanged: ${code} ${text}`);
    return json.access_token;
  };

  return {
    url,
    redis,
    token,
    providerToken,
    stateDirectory,
    async restart() {
      await stopRunning();
      await start();
    },
    async createProject(name, annotations = {}) {
      const bearer = await exchange(token);
      const body = { metadata: { name, annotations } };
      const { code, text } = await fetch(projectsPath, { method: "POST", bearer, body });
      if (code !== 201) throw new Error(`the project ${name}: ${code} ${text}`);
      const namespace = `${projectBase(name)}/api/v1/namespaces/default`;
      await until(`${name} is there`, async () => (await fetch(namespace, { bearer })).code === 200);
    },
    async organization(name) {
      await administration.createOrganization(name);
    },
    async member(organization, user, role = "admin", project) {
      await parts.directory.addMember(organization, user, role, project);
    },
    async removeMember(organization, user) {
      await parts.directory.removeMember(organization, user);
    },
    newToken,
    tokens: () => parts.directory.listTokens(),
    async revoke(id) {
      await parts.directory.revokeToken(id, Date.now());
    },
    exchange,
    async wakeGateways(programs) {
      await stopRunning.platform?.wakeGateways(programs);
    },
    metrics: async () => (await stopRunning.platform?.registry.metrics()) ?? "",
    fetch,
    fetchBytes: (path, fetchOptions) => httpsRequest(`${url}${path}`, fetchOptions),
    async stop() {
      await stopRunning();
      adminRedis.disconnect();
      await redis.stop();
      await rm(stateDirectory, { recursive: true, force: true });
    },
  };
}

export const organizationBase = (name: string): string => planeBase("organization", name, groupDomain);
export const projectBase = (name: string): string => planeBase("project", name, groupDomain);
/** The projects of the organization `acme`. */
export const projectsPath = `${organizationBase("acme")}/apis/resourcemanager.platformapis/v1alpha/projects`;
/** The policies of a project, in its namespace `default`. */
export const policiesPath = (project: string): string =>
  `${projectBase(project)}/apis/telemetry.platformapis/v1alpha1/namespaces/default/exportpolicies`;

/** A kubeconfig with a bearer token; the exec plug-in has its own test. */
export async function writeKubeconfig(
  platform: Pick<TestPlatform, "url" | "stateDirectory">,
  file: string,
  base: string,
  bearer: string,
): Promise<void> {
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "test",
    clusters: [
      {
        name: "test",
        cluster: {
          server: `${platform.url}${base}`,
          "certificate-authority": join(platform.stateDirectory, "platform", "ca.crt"),
        },
      },
    ],
    contexts: [{ name: "test", context: { cluster: "test", user: "test", namespace: "default" } }],
    users: [{ name: "test", user: { token: bearer } }],
  };
  await writeFile(file, JSON.stringify(config));
}
