import { randomUUID } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import type { RedisConnection } from "../../../base/redis/connection.ts";
import { runScript } from "../../../base/redis/run-script.ts";
import { countField, fleetKeys, stateFields } from "./keys.ts";
import * as scripts from "./scripts.ts";
import { parseDeliveryState, type SharedDeliveryState } from "./shared-delivery-state.ts";
import { countNames, type SinkCounts, type SinkReport } from "./sink-report.ts";

/**
 * Lifetime of a lease without renewal. It must end before BullMQ gives a dead replica's job to another one
 * (see cycle-queue.ts); otherwise that job would find it held.
 */
export const leaseMs = 10_000;
const renewEveryMs = leaseMs / 5;
/** A holder that cannot renew gives up this long after the last renewal, while the lease is still valid. */
const giveUpAfterMs = leaseMs * 0.7;

/** Another replica has taken the sink's lease: this replica was presumed dead, and may no longer write. */
export class FencedError extends Error {
  override readonly name = "FencedError";
}

/** The right to run a sink's cycle and to write its state. */
export interface SinkLease {
  readonly sink: string;
  /** Presented by every write. */
  readonly fence: string;
  /**
   * Aborts when the lease could not be renewed, while it is still valid: no other replica can hold it before.
   */
  readonly signal: AbortSignal;
  /** The fields of the sink's state when the lease was taken. */
  readonly fields: ReadonlyMap<string, string>;
  /** The sink's delivery state when the lease was taken. */
  readonly deliveryState: SharedDeliveryState | undefined;
  /**
   * Releases the lease and stores the delivery state (undefined: the sink delivers). Without Redis, the lease
   * expires.
   *
   * @param told the report of the cycle run under the lease; its counters are added to those already stored
   * @returns whether Redis was updated
   */
  release(deliveryState: SharedDeliveryState | undefined, told?: ToldCycle): Promise<boolean>;
}

export interface ToldCycle {
  readonly report: SinkReport;
  readonly counts: SinkCounts;
}

export type LeaseOutcome =
  | { readonly kind: "taken"; readonly lease: SinkLease }
  /** Held by another replica, for at most this long if it does not renew. */
  | { readonly kind: "held"; readonly restMs: number }
  /** The sink's receiver is failing, and no replica retries for this long. */
  | { readonly kind: "paused"; readonly restMs: number };

export interface LeaseOptions {
  readonly redis: RedisConnection;
  readonly clock: Clock;
  /** Published to the other replicas. */
  readonly replica: string;
  /** Whether a pause of the sink prevents taking the lease. */
  readonly heedPause: boolean;
}

/** @throws whatever Redis rejects with */
export async function takeSinkLease(sink: string, options: LeaseOptions): Promise<LeaseOutcome> {
  const { redis, clock, replica, heedPause } = options;
  const token = randomUUID();
  const askedMs = clock.monotonicMs();
  const keys = [fleetKeys.lease(sink), fleetKeys.state(sink)];
  const told = takenMessage({ replica, sink });
  const args = [token, leaseMs, fleetKeys.taken, told, heedPause ? "1" : "0"];
  const [kind, ...rest] = (await runScript(redis, scripts.takeLease, keys, args)) as [string, ...unknown[]];
  if (kind === "held" || kind === "paused") return { kind, restMs: Number(rest[0]) };
  const [fence, nowMs, ...pairs] = rest as [string, string, ...string[]];
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < pairs.length; index += 2)
    fields.set(pairs[index] ?? "", pairs[index + 1] ?? "");
  const over = new AbortController();
  const signal = keepLease({ redis, clock, keys, token, fence, askedMs }, over.signal);
  const pausedUntilMs = Number(fields.get(stateFields.pausedUntil) ?? 0);
  return {
    kind: "taken",
    lease: {
      sink,
      fence,
      signal,
      fields,
      deliveryState: parseDeliveryState(
        fields.get(stateFields.deliveryState),
        Math.max(0, pausedUntilMs - Number(nowMs)),
      ),
      async release(deliveryState, told) {
        over.abort();
        const { pauseMs, ...rest } = deliveryState ?? { pauseMs: 0 };
        const text = deliveryState === undefined ? "" : JSON.stringify(rest);
        const args = [token, fence, text, Math.round(pauseMs), ...(told ? reportArgs(sink, told) : [])];
        const reply = await runScript(redis, scripts.releaseLease, keys, args).catch(() => undefined);
        return reply === 1;
      },
    },
  };
}

function reportArgs(sink: string, { report, counts }: ToldCycle): (string | number)[] {
  const sums = countNames.flatMap((name) => [countField(name), Math.round(counts[name])]);
  return [fleetKeys.reported, sink, JSON.stringify(report), ...sums];
}

interface KeptLease {
  readonly redis: RedisConnection;
  readonly clock: Clock;
  readonly keys: readonly string[];
  readonly token: string;
  readonly fence: string;
  readonly askedMs: number;
}

/** Renews the lease until `over`. The returned signal aborts when the lease must be considered lost. */
function keepLease(kept: KeptLease, over: AbortSignal): AbortSignal {
  const { redis, clock, keys, token, fence } = kept;
  const lost = new AbortController();
  const lose = (reason: Error): void => {
    if (!over.aborted) lost.abort(reason);
  };
  const keep = async (): Promise<void> => {
    let heldSinceMs = kept.askedMs;
    for (;;) {
      const leftMs = heldSinceMs + giveUpAfterMs - clock.monotonicMs();
      if (leftMs <= 0) return lose(new FencedError("the lease could not be renewed: Redis does not respond"));
      await clock.sleep(Math.min(renewEveryMs, leftMs), over);
      const askedMs = clock.monotonicMs();
      // Bounded by the limit: a hanging connection must not prevent giving up in time.
      const reply = await Promise.race([
        runScript(redis, scripts.renewLease, keys, [token, leaseMs, fence]).catch(() => undefined),
        clock.sleep(Math.max(0, Math.min(renewEveryMs, leftMs)), over),
      ]);
      if (reply === 1) heldSinceMs = askedMs;
      if (reply === 0) return lose(new FencedError("another replica has taken the sink's lease"));
    }
  };
  // Rejects with the reason of `over`, the normal end.
  keep().catch(() => undefined);
  return lost.signal;
}

/** Ends a sink's pause, so that the next cycle probes its receiver. */
export async function endPause(sink: string, redis: RedisConnection): Promise<void> {
  await runScript(redis, scripts.endPause, [fleetKeys.state(sink)], []);
}

/** Published to all replicas when one takes a lease. */
export interface TakenMessage {
  readonly replica: string;
  readonly sink: string;
}

export function takenMessage({ replica, sink }: TakenMessage): string {
  return `${replica} ${sink}`;
}

/** The inverse of {@link takenMessage}; undefined for any other text. */
export function parseTaken(message: string): TakenMessage | undefined {
  const space = message.indexOf(" ");
  if (space <= 0) return undefined;
  return { replica: message.slice(0, space), sink: message.slice(space + 1) };
}
