import { randomUUID } from "node:crypto";
import type { Clock } from "../../base/core/clock.ts";
import { TelemetrydError } from "../../base/core/errors.ts";
import { withEither } from "../../base/core/signals.ts";
import { keyPrefix, type RedisConnection } from "../../base/redis/connection.ts";
import { takeLease } from "../../base/redis/lease.ts";
import type { AccessDirectory } from "../access/directory.ts";
import { removeUnfinished, restoreJournalKey } from "./restore-journal.ts";

const keys = {
  lease: `${keyPrefix}:platform:restore`,
  fence: `${keyPrefix}:platform:restore:fence`,
};
const leaseMs = 10_000;

export interface RestorePlace {
  readonly redis: RedisConnection;
  readonly directory: AccessDirectory;
}

/** For the start of a platform: removes what a restore that was killed has left, unless another one runs. */
export async function clearUnfinishedRestore(
  { redis, directory }: RestorePlace,
  clock: Clock,
): Promise<void> {
  if ((await redis.exists(restoreJournalKey)) === 0) return;
  const taken = await takeLease({ redis, clock, keys, owner: randomUUID(), ttlMs: leaseMs });
  if (taken.kind !== "taken") return;
  try {
    await removeUnfinished(redis, directory);
  } finally {
    await taken.lease.release();
  }
}

/**
 * Calls `work` while no other restore runs: one that fails removes what it wrote, but not another's. What
 * one that was killed has left is removed first.
 *
 * @throws INVALID_ARGUMENT while another one runs
 */
export async function withRestoreLease<T>(
  { redis, directory }: RestorePlace,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const taken = await takeLease({ redis, clock, keys, owner: randomUUID(), ttlMs: leaseMs });
  if (taken.kind !== "taken") {
    throw new TelemetrydError(
      "INVALID_ARGUMENT",
      "another restore is running, or was killed less than 10 s ago: wait until it has ended",
    );
  }
  try {
    await removeUnfinished(redis, directory);
    return await withEither([signal, taken.lease.signal], work);
  } finally {
    await taken.lease.release();
  }
}
