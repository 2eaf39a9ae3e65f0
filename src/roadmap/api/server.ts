import type { Registry } from "prom-client";
import type { Clock } from "../../base/core/clock.ts";
import type { Service } from "../../base/core/service.ts";
import { untilAborted } from "../../base/core/signals.ts";
import type { Logger } from "../../base/log/log.ts";
import { type ListenAddress, listenerOf, listenOn } from "../../base/net/listen-address.ts";
import type { RoadmapReader } from "../cache/roadmap.ts";
import { defaultPace, type PagePace } from "../page/page.ts";
import { createApp } from "./app.ts";
import { createHttpServer } from "./http-server.ts";
import { createApiMetrics } from "./metrics.ts";
import { createRateCounter, type RateLimit } from "./rate-counter.ts";
import { createWebhook, type WebhookSettings } from "./webhook.ts";

export interface WebsiteApiOptions {
  /** The value of `api.listen`. */
  readonly listen: ListenAddress;
  readonly rateLimit: RateLimit;
  readonly trustProxy: boolean;
  readonly roadmap: RoadmapReader;
  /** Absent: no webhooks are received. */
  readonly webhook?: WebhookSettings | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  /** Polling interval of the page; for tests. */
  readonly pace?: PagePace;
}

export interface WebsiteApi {
  readonly service: Service;
  readonly registry: Registry;
  /** The server's URL once it listens. */
  url(): string | undefined;
}

/** Ample for polling clients, and small enough for the memory of a small machine. */
const connections = 4_000;
const connectionsPerAddress = 400;
/** Time limit for responses in progress when the daemon stops. */
const closeLimitMs = 2_000;
/** How long the first requests wait for Redis; without the wait they would get a 500 during start-up. */
const firstWordLimitMs = 3_000;

/** A daemon's website API: the routes, the rate limit, and the socket. */
export function createWebsiteApi(options: WebsiteApiOptions): WebsiteApi {
  const { clock, log, roadmap } = options;
  const rate = createRateCounter(options.rateLimit, () => clock.nowMs());
  const metrics = createApiMetrics();
  const webhook = options.webhook && createWebhook({ ...options, ...options.webhook, metrics });
  let url: string | undefined;

  const service: Service = {
    name: "api",
    snapshot: () => ({ url: url ?? null }),
    async run(signal) {
      const { trustProxy, pace = defaultPace } = options;
      await webhook?.prepare(signal);
      const server = createHttpServer({
        app: createApp({ roadmap, rate, trustProxy, pace, webhook, log }),
        // Behind a proxy, all clients share its address.
        bounds: { connections, connectionsPerAddress: trustProxy ? connections : connectionsPerAddress },
        metrics,
        log,
      });
      try {
        const untilMs = clock.monotonicMs() + firstWordLimitMs;
        while (roadmap.status() === undefined && clock.monotonicMs() < untilMs && !signal.aborted) {
          await clock.sleep(20, signal).catch(() => undefined);
        }
        if (signal.aborted) return;
        url = await listenOn(listenerOf(server), options.listen, "api.listen");
        log.info({ url, page: `${url}/roadmap` }, "the website API is served");
        await untilAborted(signal);
      } finally {
        const force = setTimeout(() => server.closeAllConnections(), closeLimitMs);
        await new Promise((resolve) => server.close(resolve));
        clearTimeout(force);
        url = undefined;
      }
    },
  };

  return { registry: metrics.registry, url: () => url, service };
}
