import type { RedisConnections } from "../../base/redis/redis.ts";
import type { RoadmapOptions } from "../../roadmap/cache/roadmap.ts";
import type { Config } from "../config/schema.ts";
import type { Part, PartContext } from "./parts.ts";

type RoadmapConfig = NonNullable<Config["roadmap"]>;

/** The roadmap's backlog cache, and the website API that serves its status. */
export async function openRoadmap(
  { config, clock, log }: PartContext,
  redis: RedisConnections | undefined,
): Promise<Part | undefined> {
  if (config.roadmap === undefined || redis === undefined) return undefined;
  const { statuses, refreshIntervalMs } = config.roadmap;
  const { createRoadmap } = await import("../../roadmap/cache/roadmap.ts");
  const roadmap = createRoadmap({
    source: boardSource(config.roadmap),
    statuses,
    refreshIntervalMs,
    stateDirectory: config.state.directory,
    redis,
    clock,
    log,
  });
  const stage = "sources and servers";
  if (config.api === undefined) return { stage, services: [roadmap.service], registries: [roadmap.registry] };
  const { createWebsiteApi } = await import("../../roadmap/api/server.ts");
  const { reader, announce } = roadmap;
  const source = webhookSource(config.roadmap);
  const webhook = source && { ...source, announce };
  const api = createWebsiteApi({ ...config.api, roadmap: reader, webhook, clock, log });
  const notReady = () => (api.url() === undefined ? "api.listen is not open yet" : undefined);
  const registries = [roadmap.registry, api.registry];
  return { stage, services: [roadmap.service, api.service], registries, notReady };
}

/** The source of the backlog. The configuration's cross rules ensure that there is exactly one. */
function boardSource({ board, file }: RoadmapConfig): RoadmapOptions["source"] {
  if (board === undefined) return { kind: "file", file: file ?? "" };
  const { organization, number, apiUrl, tokenFile = "", app } = board;
  const credentials =
    app === undefined ? ({ kind: "token", tokenFile } as const) : ({ kind: "app", ...app } as const);
  return { kind: "github", organization, number, apiUrl, credentials };
}

/** The webhooks of the board, if they are configured. */
function webhookSource({ board }: RoadmapConfig) {
  if (board?.webhook === undefined) return undefined;
  const { organization, number, webhook } = board;
  return { secretFile: webhook.secretFile, board: { organization, number } };
}
