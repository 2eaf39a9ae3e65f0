import { z } from "zod";
import { type DeliveryState, delivering } from "../dispatch/delivery-state.ts";

/** A sink's delivery state as replicas share it: the pause is in ms from now instead of a clock's time. */
export interface SharedDeliveryState {
  readonly kind: Exclude<DeliveryState["kind"], "delivering">;
  readonly times: number;
  readonly message: string;
  readonly pauseMs: number;
}

const schema = z.object({
  kind: z.enum(["retrying", "suspended", "forbidden"]),
  times: z.number().int().positive(),
  message: z.string(),
});

/** @returns undefined while the sink delivers, and for a text in another format */
export function shareDeliveryState(
  deliveryState: DeliveryState,
  monotonicMs: number,
): SharedDeliveryState | undefined {
  if (deliveryState.kind === "delivering") return undefined;
  const { kind, times, message, untilMs } = deliveryState;
  return { kind, times, message, pauseMs: Math.max(0, untilMs - monotonicMs) };
}

/** The inverse of {@link shareDeliveryState}, in this process' monotonic time. */
export function ownDeliveryState(
  shared: SharedDeliveryState | undefined,
  monotonicMs: number,
): DeliveryState {
  if (shared === undefined) return delivering;
  const { kind, times, message, pauseMs } = shared;
  return { kind, times, message, untilMs: monotonicMs + pauseMs };
}

/**
 * Parses the delivery state stored beside the pause. @returns undefined if it is absent or in another format
 */
export function parseDeliveryState(
  text: string | undefined,
  pauseMs: number,
): SharedDeliveryState | undefined {
  if (text === undefined) return undefined;
  try {
    const { data } = schema.safeParse(JSON.parse(text));
    return data === undefined ? undefined : { ...data, pauseMs };
  } catch {
    return undefined;
  }
}
