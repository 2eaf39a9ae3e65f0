/**
 * The checkpoints of a sink: by source, the time (Unix ms) up to which everything is decided. One moves when
 * a window is closed (see `WindowJournal`), a source is new, what is older than `delivery.maxBackfill` is
 * skipped, or it meets the span ahead of it (`retry.order: newestFirst`). In a fleet, Redis moves its own
 * copy (fleet/scripts.ts).
 */
export type Checkpoints = Map<string, number>;

/** Moves the checkpoints of sources that are complete up to `toMs`. */
export function moveCheckpoints(checkpoints: Checkpoints, sources: Iterable<string>, toMs: number): void {
  for (const source of sources) checkpoints.set(source, toMs);
}

/**
 * Whether a stored name is a note's, and not a source's: no source's name contains a space. Notes are stored
 * as records and fields of checkpoints, which replicas of earlier versions read and write, too.
 */
export function isNote(name: string): boolean {
  return name.includes(" ");
}
