import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { Agent } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parse } from "yaml";
import { isListening } from "../../scripts/servers/free-port.ts";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { createRedis } from "../../src/base/redis/redis.ts";
import { createAdministration } from "../../src/kube-server/administration.ts";
import { ready } from "../../src/kube-server/redis-start.ts";
import { assemble } from "../../src/platform/platform.ts";
import { endDaemon, spawnDaemon } from "../../test/support/daemon/spawned-daemon.ts";
import {
  groupDomain,
  httpsRequest,
  organizationBase,
  projectBase,
} from "../../test/support/plane/platform.ts";
import { openWatch } from "../../test/support/plane/watch-client.ts";
import { freePort, startRedis } from "../../test/support/servers.ts";
import { until } from "../../test/support/until.ts";

// biome-ignore lint/suspicious/noExplicitAny: responses are looked into, field by field
type Body = any;

/** The platform and the emulated provider in one daemon, as users run them. */
export interface BenchPlatform extends AsyncDisposable {
  readonly pid: number;
  /** Creates a project with a Location and a Network; resolves when workloads can be created. */
  project(name: string): Promise<BenchProject>;
}

export interface BenchProject {
  /** Creates a Workload of so many instances in one city. */
  deploy(name: string, replicas: number): Promise<void>;
  follow(): FollowedWorkloads;
  instances(): Promise<number>;
}

export interface FollowedWorkloads {
  /** When each was first seen Available, of `performance.now()`. */
  readonly availableMs: ReadonlyMap<string, number>;
  stop(): void;
}

export interface BenchPlatformOptions {
  /** How long an instance is provisioned, and then staged. */
  readonly stepMs: number;
  /** The provider runs in a daemon of its own. */
  readonly isApart: boolean;
}

export async function startBenchPlatform({ stepMs, isApart }: BenchPlatformOptions): Promise<BenchPlatform> {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-bench-"));
  const redis = await startRedis();
  const port = await freePort();
  const stateDirectory = join(folder, "state");
  const tokens = await createUsers(redis.url, stateDirectory);
  const accessTokenFile = join(folder, "token");
  await writeFile(accessTokenFile, tokens.provider, { mode: 0o600 });
  const url = `https://127.0.0.1:${port}`;
  const quota = { objects: 100_000, size: "1GiB" };
  const controlPlane = { apiUrl: url, groupDomain, organization: "acme", accessTokenFile };
  const provider = { kind: "emulated", cloudProjectId: "local", emulated: { step: `${stepMs}ms` } };
  const daemon = await spawnDaemon({
    directory: folder,
    config: {
      platform: { listen: `127.0.0.1:${port}`, groupDomain, quotas: { organization: quota, project: quota } },
      ...(isApart ? {} : { controlPlane, provider }),
      redis: { url: redis.url },
      state: { directory: stateDirectory },
    },
  });
  await until("the platform listens", () => isListening(port));
  const directory = join(folder, "provider");
  const apart = isApart
    ? await spawnDaemon({
        directory,
        config: {
          controlPlane: { ...controlPlane, caFile: join(stateDirectory, "platform", "ca.crt") },
          provider,
          state: { directory: join(directory, "state") },
        },
      })
    : undefined;
  const exchanged = await httpsRequest(`${url}/platform-os/oauth/token/exchange`, { bearer: tokens.user });
  const bearer: string = exchanged.json.access_token;
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });

  const call = async (path: string, body?: Body): Promise<{ readonly code: number; readonly json: Body }> =>
    await httpsRequest(`${url}${path}`, { method: body === undefined ? "GET" : "POST", bearer, body, agent });
  const create = async (path: string, body: Body): Promise<void> => {
    for (;;) {
      const { code, json } = await call(path, body);
      if (code === 201) return;
      // A fast machine gets to the limit of requests.
      if (code !== 429) throw new Error(`${path}: ${code} ${json?.message}`);
      await sleep(1_000, new AbortController().signal);
    }
  };
  const projects = `${organizationBase("acme")}/apis/resourcemanager.${groupDomain}/v1alpha/projects`;

  return {
    pid: daemon.child.pid,
    async project(name) {
      const base = projectBase(name);
      const at = (group: string, resource: string) =>
        `${base}/apis/${group}.${groupDomain}/v1alpha/namespaces/default/${resource}`;
      await create(projects, { metadata: { name } });
      await until("the control plane answers", async () => {
        return (await call(`${base}/api/v1/namespaces/default`)).code === 200;
      });
      await create(at("networking", "locations"), await example("location"));
      await create(at("networking", "networks"), await example("network"));
      return {
        async deploy(workload, replicas) {
          await create(at("compute", "workloads"), await workloadOf(workload, replicas));
        },
        follow() {
          const availableMs = new Map<string, number>();
          const path = `${at("compute", "workloads")}?watch=true`;
          const watch = openWatch(`${url}${path}`, bearer, ({ object }) => {
            const found = object.status?.conditions?.find((each: Body) => each.type === "Available");
            const workload = object.metadata?.name;
            if (found?.status === "True" && !availableMs.has(workload))
              availableMs.set(workload, performance.now());
          });
          return { availableMs, stop: () => watch.stop() };
        },
        async instances() {
          const { json } = await call(`${at("compute", "instances")}?limit=1`);
          return json.items.length + (json.metadata.remainingItemCount ?? 0);
        },
      };
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      if (apart !== undefined) await endDaemon(apart);
      await endDaemon(daemon);
      await redis.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Creates the organization `acme` with an admin and a provider. @returns their Personal Access Tokens */
async function createUsers(redisUrl: string, stateDirectory: string) {
  const [clock, log] = [systemClock, silentLogger];
  const room = createRedis({ urls: [redisUrl], stateDirectory, clock, log });
  const redis = room.open("command", "bench");
  await ready(redis, clock, new AbortController().signal);
  const parts = assemble({ groupDomain, clock, log }, redis, redis);
  const administration = createAdministration(parts);
  await administration.createOrganization("acme");
  const newUser = async (user: string, role: "admin" | "provider"): Promise<string> => {
    await parts.directory.addMember("acme", user, role);
    return (await administration.createToken({ user })) ?? "";
  };
  const tokens = {
    user: await newUser("alice@example.com", "admin"),
    provider: await newUser("provider@example.com", "provider"),
  };
  redis.disconnect();
  return tokens;
}

async function example(name: string): Promise<Body> {
  return parse(await readFile(`config/compute/${name}.yaml`, "utf8"));
}

/** The example, without its ConfigMap. */
async function workloadOf(name: string, replicas: number): Promise<Body> {
  const manifest = await example("workload");
  manifest.metadata.name = name;
  delete manifest.spec.template.spec.volumes;
  delete manifest.spec.template.spec.runtime.sandbox.containers[0].volumeAttachments;
  manifest.spec.placements[0].scaleSettings.minReplicas = replicas;
  return manifest;
}
