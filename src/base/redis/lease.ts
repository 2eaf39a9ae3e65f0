import type { Clock } from "../core/clock.ts";
import { pause } from "../core/signals.ts";
import type { RedisConnection } from "./connection.ts";
import { type LeaseScripts, plainLease } from "./lease-scripts.ts";
import { runScript } from "./run-script.ts";

/** Renewals in the lifetime of a lease: some may fail without its loss. */
const renewalsPerTtl = 5;
/** A holder that cannot renew stops at this part of the lifetime, while the lease is still valid. */
const giveUpAtPart = 0.7;

/** The lease has ended, and another owner may have taken it: the former holder may no longer write. */
export class FencedError extends Error {
  override readonly name = "FencedError";
}

/** The exclusive right to some work, among all replicas that share a Redis. */
export interface Lease {
  /** New each time the lease is taken: a number, a hyphen, the owner. Every write compares it. */
  readonly fence: string;
  /**
   * Aborts with a FencedError when the lease could not be renewed, while it is still valid: no other owner
   * can hold it before.
   */
  readonly signal: AbortSignal;
  /**
   * Whether the lease is certainly still valid, by the monotonic clock; false aborts the signal. A process
   * that was stopped may handle a reply before the timers that end its lease: ask right before each step that
   * cannot be fenced.
   */
  isHeld(): boolean;
  /**
   * Runs a script that checks `holdsLease()` before it writes; see lease-scripts.ts. `keys` follow the
   * lease's own, and `args` the owner, ttl and fence.
   *
   * @throws whatever Redis rejects with
   */
  run(script: string, keys: readonly string[], args: readonly LeaseArgument[]): Promise<unknown>;
  /**
   * Ends the renewal and releases the lease. Without Redis, the lease expires.
   *
   * @param args arguments of the user's own release script
   * @returns whether Redis was updated
   */
  release(...args: readonly LeaseArgument[]): Promise<boolean>;
}

export type LeaseArgument = string | number | Buffer;

export type LeaseOutcome =
  /** `reply`: the values that the user's own script returned after the fence. */
  | { readonly kind: "taken"; readonly lease: Lease; readonly reply: readonly unknown[] }
  /** Held by another owner, for at most this long if it does not renew. */
  | { readonly kind: "held"; readonly restMs: number }
  /** The user's own script asks to wait this long. */
  | { readonly kind: "refused"; readonly restMs: number };

interface LeaseOptions {
  readonly redis: RedisConnection;
  readonly clock: Clock;
  /** `fence`: a hash, whose other fields the user may use. Both keys must be in one cluster slot. */
  readonly keys: { readonly lease: string; readonly fence: string };
  /** Unique. The owner of a lease may take it again; its earlier lease is then fenced. */
  readonly owner: string;
  /** Lifetime of the lease without renewal, in Redis' time. */
  readonly ttlMs: number;
  readonly scripts?: LeaseScripts;
  /** Arguments of the user's own take script. */
  readonly args?: readonly LeaseArgument[];
}

/**
 * Takes the lease if it is free, and renews it until it is released or lost.
 *
 * @throws whatever Redis rejects with
 */
export async function takeLease(options: LeaseOptions): Promise<LeaseOutcome> {
  const { redis, clock, owner, ttlMs, scripts = plainLease, args = [] } = options;
  const leaseKeys = [options.keys.lease, options.keys.fence];
  const askedMs = clock.monotonicMs();
  const taken = await runScript(redis, scripts.take, leaseKeys, [owner, ttlMs, "", ...args]);
  const [kind, first, ...reply] = taken as ["taken" | "held" | "refused", string | number, ...unknown[]];
  if (kind !== "taken") return { kind, restMs: Number(first) };
  const fence = String(first);
  const run: Lease["run"] = (script, keys, args) =>
    runScript(redis, script, [...leaseKeys, ...keys], [owner, ttlMs, fence, ...args]);
  const over = new AbortController();
  const renew = async (): Promise<boolean> => (await run(scripts.renew, [], [])) === 1;
  const held = keepRenewed({ renew, clock, ttlMs, heldSinceMs: askedMs }, over.signal);
  const lease: Lease = {
    fence,
    ...held,
    run,
    async release(...args) {
      over.abort();
      return (await run(scripts.release, [], args).catch(() => undefined)) === 1;
    },
  };
  return { kind: "taken", lease, reply };
}

interface RenewalOptions {
  /** @returns false when another owner has taken the lease @throws while Redis is unavailable */
  renew(): Promise<boolean>;
  readonly clock: Clock;
  readonly ttlMs: number;
  /** Monotonic time at which Redis was asked for the lease: its lifetime cannot have begun before. */
  readonly heldSinceMs: number;
}

/** Renews a lease until `over`. The returned signal aborts when the lease must be considered lost. */
function keepRenewed(options: RenewalOptions, over: AbortSignal): Pick<Lease, "signal" | "isHeld"> {
  const { renew, clock, ttlMs } = options;
  const renewEveryMs = ttlMs / renewalsPerTtl;
  const lost = new AbortController();
  let untilMs = options.heldSinceMs + ttlMs * giveUpAtPart;
  const lose = (reason: string): void => {
    if (!over.aborted) lost.abort(new FencedError(reason));
  };
  const isHeld = (): boolean => {
    if (clock.monotonicMs() >= untilMs) lose(notRenewed);
    return !lost.signal.aborted;
  };
  const keep = async (): Promise<string> => {
    for (;;) {
      const leftMs = untilMs - clock.monotonicMs();
      if (leftMs <= 0) return notRenewed;
      await clock.sleep(Math.min(renewEveryMs, leftMs), over);
      const askedMs = clock.monotonicMs();
      const response = new AbortController();
      const isRenewed = await Promise.race([
        renew().catch(() => undefined),
        // A hanging connection must not prevent the end in time.
        pause(clock, Math.min(renewEveryMs, untilMs - askedMs), [over, response.signal]),
      ]);
      response.abort();
      if (isRenewed === true) untilMs = askedMs + ttlMs * giveUpAtPart;
      if (isRenewed === false) return "another replica has taken the lease";
    }
  };
  // Rejects with the reason of `over`, the normal end.
  keep().then(lose, () => undefined);
  return { signal: lost.signal, isHeld };
}

const notRenewed = "the lease could not be renewed: Redis does not respond";
