import { z } from "zod";
import { delivery } from "./sections/delivery.ts";
import { egress } from "./sections/egress.ts";
import { gateway } from "./sections/gateway.ts";
import { metrics } from "./sections/metrics.ts";
import { platform } from "./sections/platform.ts";
import { controlPlane, policies } from "./sections/policies.ts";
import { exportSection, log, ops, redis, state } from "./sections/process.ts";
import { provider } from "./sections/provider.ts";
import { api, roadmap } from "./sections/roadmap.ts";
import type { WithUnits } from "./units.ts";

/**
 * Every key of the configuration, described once (the sections in sections/): the source of the JSON Schema,
 * docs/configuration.md, the environment variables' names and the type {@link Config}. Rules across keys
 * stand beside their section, or in cross-rules.ts. It is the schema of the file's content after environment
 * and flags have been applied.
 */
export const configSchema = z
  .strictObject({
    policies: policies.optional(),
    controlPlane: controlPlane.optional(),
    metrics: metrics.optional(),
    delivery: delivery.prefault({}),
    egress: egress.prefault({}),
    state: state.prefault({}),
    redis: redis.optional(),
    export: exportSection.prefault({}),
    roadmap: roadmap.optional(),
    api: api.optional(),
    ops: ops.optional(),
    platform: platform.optional(),
    gateway: gateway.optional(),
    provider: provider.optional(),
    log: log.prefault({}),
  })
  .meta({
    title: "telemetryd",
    description: "Configuration of telemetryd. Only the sections that are present run.",
  });

/**
 * The configuration as the program uses it: units in the names (`metrics.intervalMs`,
 * `delivery.memoryLimitBytes`, `delivery.rejected.maxBytes`), absolute paths, "" omitted, defaults filled in.
 * Sections without defaults are absent unless they were written.
 */
export type Config = WithUnits<z.output<typeof configSchema>>;

export type MetricsConfig = NonNullable<Config["metrics"]>;
export type DeliveryConfig = Config["delivery"];
export type GatewayConfig = NonNullable<Config["gateway"]>;
