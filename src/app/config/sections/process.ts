import { z } from "zod";
import { logLevels } from "../../../base/log/log.ts";
import { choice, list, listen, redisUrls, requiredPath, requiredText } from "./fields.ts";
import { hostNameProblem } from "./values.ts";

export const state = z
  .strictObject({
    directory: requiredPath(
      "Checkpoints, journals, the record of what was sent, rejected samples; one daemon per directory",
      "new directory",
    ).prefault("./data"),
  })
  .meta({ description: "What must survive a restart" });

export const redis = z
  .strictObject({
    url: redisUrls(
      "redis:// or rediss:// address; a list of them: nodes of a cluster; or sentinels and the name of their primary: redis+sentinel://host:26379,host2:26379/mymaster/0 (or rediss+sentinel)",
    ),
  })
  .meta({
    description: "Redis; absent, a private redis-server runs under state.directory where one is needed",
  });

export const exportSection = z
  .strictObject({
    schedule: choice("local, or a queue whose cycles all replicas share", ["local", "queue"], "local"),
  })
  .meta({ description: "Who runs the export cycles" });

export const ops = z
  .strictObject({
    listen: listen("Address of metrics, health and the status page", "127.0.0.1:9464"),
    hosts: list(
      "Host names that it responds to, besides localhost, addresses and that of listen",
      requiredText("A host name", hostNameProblem),
      [],
    ),
    dashboard: choice("What the queue dashboard may do", ["read", "write"], "read"),
  })
  .meta({ description: "Metrics, health, status page" });

export const log = z
  .strictObject({
    level: choice("Least severity that is logged", logLevels, "info"),
    format: choice(
      "auto is text on a terminal, and one JSON object per line anywhere else",
      ["auto", "text", "json"],
      "auto",
    ),
  })
  .meta({ description: "Logging" });
