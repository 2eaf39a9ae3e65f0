import type { Registry } from "prom-client";
import type { Clock } from "../../base/core/clock.ts";
import type { Logger } from "../../base/core/log.ts";
import { runServices, type Service } from "../../base/core/service.ts";
import { type ListenAddress, listenOn } from "../../base/net/listen-address.ts";
import type { RedisConnections } from "../../base/redis/redis.ts";
import type { RoadmapReader } from "../cache/roadmap.ts";
import { defaultPace, type PagePace } from "../page/page.ts";
import { buildApiApp } from "./app.ts";
import { createApiMetrics } from "./metrics.ts";
import type { RateLimit } from "./rate-counter.ts";
import { createSharedRateLimit } from "./rate-sharing.ts";

export interface WebsiteApiOptions {
  /** The value of `api.listen`. */
  readonly listen: ListenAddress;
  readonly rateLimit: RateLimit;
  readonly trustProxy: boolean;
  readonly roadmap: RoadmapReader;
  readonly redis: RedisConnections;
  readonly clock: Clock;
  readonly log: Logger;
  /** How often the page asks; for tests. */
  readonly pace?: PagePace;
}

export interface WebsiteApi {
  readonly service: Service;
  readonly registry: Registry;
  /** Where it can be reached, once it listens. */
  url(): string | undefined;
}

/** How long a response that is under way may take once the daemon stops. */
const closeLimitMs = 2_000;
/** The first requests wait no longer than this for the first word of Redis; else they would be told 500 at a start. */
const firstWordLimitMs = 3_000;

/** The website API of a daemon: the routes, the rate limit that replicas share, and the socket. */
export function createWebsiteApi(options: WebsiteApiOptions): WebsiteApi {
  const { clock, log, roadmap } = options;
  const rate = createSharedRateLimit({ ...options });
  const metrics = createApiMetrics();
  let url: string | undefined;

  const http: Service = {
    name: "website API",
    async run(signal) {
      const app = buildApiApp({
        roadmap,
        rate: rate.counter,
        trustProxy: options.trustProxy,
        pace: options.pace ?? defaultPace,
        metrics,
        log,
      });
      try {
        const untilMs = clock.monotonicMs() + firstWordLimitMs;
        while (roadmap.status() === undefined && clock.monotonicMs() < untilMs && !signal.aborted) {
          await clock.sleep(20, signal).catch(() => undefined);
        }
        if (signal.aborted) return;
        url = await listenOn(app, options.listen, "api.listen");
        log.info({ url, page: `${url}/roadmap` }, "the website API is served");
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
      } finally {
        const force = setTimeout(() => app.server.closeAllConnections(), closeLimitMs);
        await app.close();
        clearTimeout(force);
        url = undefined;
      }
    },
  };

  return {
    registry: metrics.registry,
    url: () => url,
    service: {
      name: "api",
      run: (signal) => runServices([rate.service, http], signal),
      snapshot: () => ({ url: url ?? null, rateLimit: rate.service.snapshot?.() }),
    },
  };
}
