import { z } from "zod";
import { keyPrefix } from "../../base/redis/connection.ts";

export const eventsChannel = `${keyPrefix}:roadmap:events`;

/** Events published to all replicas. */
const eventSchema = z.discriminatedUnion("event", [
  z.object({ event: z.literal("refreshing"), by: z.string(), ttlMs: z.number().positive() }),
  z.object({ event: z.literal("idle"), by: z.string() }),
  z.object({ event: z.literal("stored"), by: z.string() }),
]);

export type SharedEvent = z.infer<typeof eventSchema>;

export function parseEvent(message: string): SharedEvent | undefined {
  try {
    return eventSchema.safeParse(JSON.parse(message)).data;
  } catch {
    return undefined;
  }
}
