import { z } from "zod";
import { RuntimeError } from "../runtime/runtime.ts";

/** What is in use of the engine's responses. An absent list or map may be null. */
const labels = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

export const listedContainers = z.array(
  z.object({ Id: z.string(), Names: z.array(z.string()).nullish(), Labels: labels, State: z.string() }),
);
export type ListedContainer = z.infer<typeof listedContainers>[number];

export const inspectedContainer = z.object({
  Id: z.string(),
  State: z.object({
    Status: z.string(),
    ExitCode: z.number().default(0),
    OOMKilled: z.boolean().default(false),
    StartedAt: z.string().default(""),
  }),
  RestartCount: z.number().default(0),
  Config: z.object({ Labels: labels }),
  NetworkSettings: z.object({ Networks: z.record(z.string(), z.unknown()).nullish() }),
});
export type InspectedContainer = z.infer<typeof inspectedContainer>;

export const inspectedImage = z.object({
  Id: z.string(),
  Config: z.object({ Labels: labels }).nullish(),
});

export const createdObject = z.object({ Id: z.string() });

export const inspectedExec = z.object({
  Running: z.boolean(),
  ExitCode: z.number().nullish(),
  Pid: z.number().nullish(),
});

export const listedNetworks = z.array(
  z.object({
    Id: z.string(),
    Name: z.string(),
    Labels: labels,
    IPAM: z.object({ Config: z.array(z.object({ Subnet: z.string() })).nullish() }),
  }),
);

export const listedVolumes = z.object({
  Volumes: z.array(z.object({ Name: z.string(), Labels: labels })).nullish(),
});

/** Sizes are -1 or absent where the engine does not know them. */
export const diskUsage = z.object({
  Containers: z.array(z.object({ Id: z.string(), SizeRw: z.number().nullish() })).nullish(),
  Volumes: z
    .array(z.object({ Name: z.string(), UsageData: z.object({ Size: z.number() }).nullish() }))
    .nullish(),
});

export const engineVersion = z.object({
  ApiVersion: z.string(),
  Version: z.string(),
  Os: z.string(),
  Components: z.array(z.object({ Name: z.string() })).nullish(),
});

export const engineInfo = z.object({
  /** Of storage. */
  Driver: z.string().default(""),
  DriverStatus: z.array(z.array(z.string())).nullish(),
});
export type EngineInfo = z.infer<typeof engineInfo>;

export const pullProgress = z.object({ error: z.string().optional() });

export const engineEvent = z.object({
  Action: z.string(),
  Actor: z.object({ Attributes: labels }),
});

export const containerStats = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }) }),
  memory_stats: z.object({
    usage: z.number().default(0),
    stats: z.object({ inactive_file: z.number().default(0) }).nullish(),
  }),
  networks: z
    .record(z.string(), z.object({ rx_bytes: z.number().default(0), tx_bytes: z.number().default(0) }))
    .nullish(),
});

/** @throws RuntimeError if the engine's response has another shape */
export function readResponse<T>(schema: z.ZodType<T>, response: unknown): T {
  const result = schema.safeParse(response);
  if (result.success) return result.data;
  const place = result.error.issues[0]?.path.join(".") ?? "";
  throw new RuntimeError(
    "unavailable",
    "EngineUnavailable",
    `the engine's response is unusable at "${place}"`,
  );
}
