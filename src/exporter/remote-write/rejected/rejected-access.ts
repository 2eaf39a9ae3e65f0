import type { Outcome, Sender } from "../send/outcome.ts";
import type { RejectedBody, RejectedEntry } from "./rejected-file.ts";
import { deleteRejected, readRejected, readRejectedFile, scanRejected } from "./rejected-store.ts";

export interface Replay {
  readonly entry: RejectedEntry;
  /** `undeclared`: no policy declares the sink now. */
  readonly outcome: Outcome | { readonly kind: "undeclared" };
}

/** Entries of the rejected store for commands: in the folder, or through a running daemon. */
export interface RejectedAccess {
  /** Oldest first, without bodies, from those rejected at `sinceMs` on (Unix epoch, ms). */
  entries(sinceMs: number, signal: AbortSignal): AsyncIterable<RejectedEntry>;
  /** @returns undefined when no entry has that id */
  read(id: string, signal: AbortSignal): Promise<RejectedBody | undefined>;
  /**
   * Sends an entry again, and deletes it once delivered. Its samples are older than the receiver's newest
   * ones, so the receiver must accept out-of-order samples.
   *
   * @returns undefined when no entry has that id
   */
  replay(id: string, signal: AbortSignal): Promise<Replay | undefined>;
  /** @returns false when no entry has that id */
  remove(id: string, signal: AbortSignal): Promise<boolean>;
}

/** {@link RejectedAccess} of this process, which can also hand on an entry's file as it is. */
export interface RejectedFolder extends RejectedAccess {
  /** The file of an entry, as `parseRejectedFile` reads it. @returns undefined when no entry has that id */
  file(id: string): Promise<Buffer | undefined>;
}

/**
 * @param senderOf for an entry's sink; undefined when no policy declares it now. The signal ends its pauses
 *   between attempts
 */
export function rejectedFolder(
  directory: string,
  senderOf: (entry: RejectedEntry, signal: AbortSignal) => Sender | undefined,
): RejectedFolder {
  return {
    entries: (sinceMs) => scanRejected(directory, sinceMs),
    read: (id) => readRejected(directory, id),
    file: (id) => readRejectedFile(directory, id),
    remove: (id) => deleteRejected(directory, id),
    replay: async (id, signal) => {
      const found = await readRejected(directory, id);
      if (found === undefined) return undefined;
      const { entry, request } = found;
      const outcome = await senderOf(entry, signal)?.send(request, signal);
      if (outcome?.kind === "delivered") await deleteRejected(directory, id);
      return { entry, outcome: outcome ?? { kind: "undeclared" } };
    },
  };
}
