import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { expect } from "vitest";
import type { Releasers } from "../../../src/base/core/service.ts";
import { type RunningServer, startRedis } from "../servers.ts";
import { until } from "../until.ts";
import { type FakeGithub, startFakeGithub } from "./github-server.ts";
import type { ReplicaOptions } from "./replica.ts";
import { type RunningWebsite, startWebsite, type WebsiteOptions } from "./website.ts";

/** A board on GitHub, a Redis, and websites on top of them, for tests of faults between them. */
export interface RoadmapFixture {
  readonly github: FakeGithub;
  readonly redis: RunningServer;
  readonly replicaOptions: ReplicaOptions;
  website(options?: Partial<WebsiteOptions>): Promise<RunningWebsite>;
  /** Restarts Redis, and waits until all earlier clients have reconnected. */
  restartRedis(clientsBefore: number): Promise<void>;
  /** Number of connections to Redis. */
  redisClients(): Promise<number>;
  /** Blocks the board's responses until the returned function is called. */
  closeGate(): () => void;
}

export async function createRoadmapFixture(
  releasers: Releasers,
  redisOptions: { readonly persistent?: boolean } = {},
): Promise<RoadmapFixture> {
  const directory = await mkdtemp(join(tmpdir(), "roadmap-faults-"));
  releasers.push(() => rm(directory, { recursive: true, force: true }));
  const github = await startFakeGithub();
  releasers.push(() => github[Symbol.asyncDispose]());
  github.items = [{ number: 1 }, { number: 2 }];
  const redis = await startRedis(redisOptions);
  releasers.push(() => redis[Symbol.asyncDispose]());
  const tokenFile = join(directory, "token");
  await writeFile(tokenFile, "t");
  const replicaOptions: ReplicaOptions = {
    directory,
    redisUrl: redis.url,
    source: {
      kind: "github",
      organization: "acme",
      number: 22,
      apiUrl: github.url,
      credentials: { kind: "token", tokenFile },
    },
    refreshIntervalMs: 1_000,
  };
  async function redisClients(): Promise<number> {
    const direct = new Redis(redis.url, { lazyConnect: true, retryStrategy: () => null });
    direct.on("error", () => undefined);
    try {
      await direct.connect();
      return (
        String(await direct.client("LIST"))
          .trim()
          .split("\n").length - 1
      );
    } finally {
      direct.disconnect();
    }
  }
  return {
    github,
    redis,
    replicaOptions,
    website: (options) =>
      startWebsite(
        { ...replicaOptions, rateLimit: { limit: 1_000_000, windowMs: 60_000 }, ...options },
        releasers,
      ),
    redisClients,
    async restartRedis(clientsBefore) {
      await redis.restart();
      await until("all are connected again", async () => (await redisClients()) >= clientsBefore);
    },
    closeGate() {
      let open: () => void = () => undefined;
      const opened = new Promise<void>((resolve) => {
        open = resolve;
      });
      github.gate = () => opened;
      return () => {
        github.gate = () => Promise.resolve();
        open();
      };
    },
  };
}

export interface Status {
  readonly updatedAt: number | null;
  readonly isRefreshing: boolean;
}

/** Reads the status; every request must get 200. */
export async function statusOf({ url }: RunningWebsite): Promise<Status> {
  const response = await fetch(`${url}/api/v1/roadmap/backlog-meta`);
  expect(response.status).toBe(200);
  return (await response.json()) as Status;
}

/** Waits until the last success is later than `ms` (Unix epoch), and returns its time. */
export async function updatedAfter(site: RunningWebsite, ms: number): Promise<number> {
  let updatedAt = 0;
  await until("the roadmap is refreshed", async () => {
    updatedAt = (await statusOf(site)).updatedAt ?? 0;
    return updatedAt > ms;
  });
  return updatedAt;
}

export async function idle(site: RunningWebsite): Promise<void> {
  await until("no refresh runs", async () => !(await statusOf(site)).isRefreshing);
}
