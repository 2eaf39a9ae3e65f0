import { type Releasers, runStages } from "../../../src/base/core/service.ts";
import type { ListenAddress } from "../../../src/base/net/listen-address.ts";
import { createWebsiteApi } from "../../../src/roadmap/api/server.ts";
import type { Roadmap } from "../../../src/roadmap/cache/roadmap.ts";
import { until } from "../until.ts";
import { type ReplicaOptions, wireReplica } from "./replica.ts";

export interface WebsiteOptions extends ReplicaOptions {
  readonly listen?: ListenAddress;
  readonly rateLimit?: { readonly limit: number; readonly windowMs: number };
  readonly trustProxy?: boolean;
  /** Receives webhooks of the board acme/22. */
  readonly webhookSecretFile?: string;
  readonly pace?: { readonly idleMs: number; readonly refreshingMs: number };
}

export interface RunningWebsite {
  readonly url: string;
  readonly roadmap: Roadmap;
  stop(): Promise<void>;
}

/** Redis, roadmap and website API wired as in `main.ts`; resolves when it listens. */
export async function startWebsite(options: WebsiteOptions, releasers: Releasers): Promise<RunningWebsite> {
  const { redis, roadmap, clock, log } = await wireReplica({ name: "website", ...options });
  const api = createWebsiteApi({
    listen: options.listen ?? { host: "127.0.0.1", port: 0 },
    rateLimit: options.rateLimit ?? { limit: 60, windowMs: 60_000 },
    trustProxy: options.trustProxy ?? false,
    roadmap: roadmap.reader,
    webhook:
      options.webhookSecretFile === undefined
        ? undefined
        : {
            secretFile: options.webhookSecretFile,
            board: { organization: "acme", number: 22 },
            announce: roadmap.announce,
          },
    clock,
    log,
    ...(options.pace === undefined ? {} : { pace: options.pace }),
  });
  const controller = new AbortController();
  const ended = runStages([[redis.service], [roadmap.service], [api.service]], controller.signal);
  let failure: unknown;
  ended.catch((error: unknown) => {
    failure = error;
  });
  const stop = async (): Promise<void> => {
    controller.abort();
    await ended;
  };
  releasers.push(stop);
  await until("the website API listens", () => {
    if (failure !== undefined) throw failure;
    return api.url() !== undefined;
  });
  return { url: api.url() ?? "", roadmap, stop };
}
