import { randomUUID } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import type { RedisConnection } from "../../../base/redis/connection.ts";
import { type Lease, takeLease } from "../../../base/redis/lease.ts";
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

/** The right to run a sink's cycle and to write its state. */
export interface SinkLease extends Pick<Lease, "fence" | "signal" | "isHeld" | "run"> {
  readonly sink: string;
  /** The fields of the sink's state when the lease was taken. */
  readonly fields: ReadonlyMap<string, string>;
  /** The sink's delivery state when the lease was taken. */
  readonly deliveryState: SharedDeliveryState | undefined;
  /**
   * Releases the lease and stores the delivery state (undefined: the sink delivers). Without Redis, the lease
   * expires.
   *
   * @param cycle the report of the cycle run under the lease; its counters are added to those already stored
   * @returns whether Redis was updated
   */
  release(deliveryState: SharedDeliveryState | undefined, cycle?: CycleReport): Promise<boolean>;
}

export interface CycleReport {
  readonly report: SinkReport;
  readonly counts: SinkCounts;
}

export type SinkLeaseOutcome =
  | { readonly kind: "taken"; readonly lease: SinkLease }
  /** Held by another replica, for at most this long if it does not renew. */
  | { readonly kind: "held"; readonly restMs: number }
  /** The sink's receiver is failing, and no replica retries for this long. */
  | { readonly kind: "paused"; readonly restMs: number };

interface SinkLeaseOptions {
  readonly redis: RedisConnection;
  readonly clock: Clock;
  /** Published to the other replicas. */
  readonly replica: string;
  /** Whether the lease is refused until the sink's backoff has ended. */
  readonly respectBackoff: boolean;
}

/** @throws whatever Redis rejects with */
export async function takeSinkLease(sink: string, options: SinkLeaseOptions): Promise<SinkLeaseOutcome> {
  const { redis, clock, replica, respectBackoff } = options;
  const outcome = await takeLease({
    redis,
    clock,
    keys: { lease: fleetKeys.lease(sink), fence: fleetKeys.state(sink) },
    owner: randomUUID(),
    ttlMs: leaseMs,
    scripts: scripts.sinkLeaseScripts,
    args: [fleetKeys.taken, takenMessage({ replica, sink }), respectBackoff ? "1" : "0"],
  });
  if (outcome.kind === "held") return outcome;
  if (outcome.kind === "refused") return { kind: "paused", restMs: outcome.restMs };
  const { fence, signal, isHeld, run, release } = outcome.lease;
  const [nowMs, ...pairs] = outcome.reply.map(String);
  const fields = new Map<string, string>();
  for (let index = 0; index + 1 < pairs.length; index += 2)
    fields.set(pairs[index] ?? "", pairs[index + 1] ?? "");
  const pausedUntilMs = Number(fields.get(stateFields.pausedUntil) ?? 0);
  return {
    kind: "taken",
    lease: {
      sink,
      fence,
      signal,
      isHeld,
      run,
      fields,
      deliveryState: parseDeliveryState(
        fields.get(stateFields.deliveryState),
        Math.max(0, pausedUntilMs - Number(nowMs)),
      ),
      release(deliveryState, cycle) {
        const { pauseMs, ...rest } = deliveryState ?? { pauseMs: 0 };
        const text = deliveryState === undefined ? "" : JSON.stringify(rest);
        return release(text, Math.round(pauseMs), ...(cycle ? reportArgs(sink, cycle) : []));
      },
    },
  };
}

function reportArgs(sink: string, { report, counts }: CycleReport): (string | number)[] {
  const sums = countNames.flatMap((name) => [countField(name), Math.round(counts[name])]);
  return [fleetKeys.reported, sink, JSON.stringify(report), ...sums];
}

/** Ends a sink's pause, so that the next cycle probes its receiver. */
export async function endPause(sink: string, redis: RedisConnection): Promise<void> {
  await runScript(redis, scripts.endPause, [fleetKeys.state(sink)], []);
}

/** Published to all replicas when one takes a lease. */
interface TakenMessage {
  readonly replica: string;
  readonly sink: string;
}

function takenMessage({ replica, sink }: TakenMessage): string {
  return `${replica} ${sink}`;
}

/** The inverse of {@link takenMessage}; undefined for any other text. */
export function parseTaken(message: string): TakenMessage | undefined {
  const space = message.indexOf(" ");
  if (space <= 0) return undefined;
  return { replica: message.slice(0, space), sink: message.slice(space + 1) };
}
