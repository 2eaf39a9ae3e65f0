import type { RoadmapOptions } from "../../roadmap/cache/roadmap.ts";
import type { Config } from "../config/schema.ts";

/** The source of the backlog. The configuration's cross rules ensure that there is exactly one. */
export function boardSource({ board, file }: NonNullable<Config["roadmap"]>): RoadmapOptions["source"] {
  if (board === undefined) return { kind: "file", file: file ?? "" };
  const { organization, number, apiUrl, tokenFile = "", app } = board;
  const credentials =
    app === undefined ? ({ kind: "token", tokenFile } as const) : ({ kind: "app", ...app } as const);
  return { kind: "github", organization, number, apiUrl, credentials };
}

/** The webhooks of the board, if they are configured. */
export function webhookSource({ board }: NonNullable<Config["roadmap"]>) {
  if (board?.webhook === undefined) return undefined;
  const { organization, number, webhook } = board;
  return { secretFile: webhook.secretFile, board: { organization, number } };
}
