import type { Outcome, Sender } from "../send/outcome.ts";
import { deleteRejected, readRejected } from "./rejected-store.ts";

/**
 * Sends an entry of the rejected store again, and deletes it once delivered. Its samples are older than the
 * receiver's newest ones, so the receiver must accept out-of-order samples.
 *
 * @returns undefined when no entry has that id
 */
export async function replayRejected(
  directory: string,
  id: string,
  sender: Sender,
  signal: AbortSignal,
): Promise<Outcome | undefined> {
  const found = await readRejected(directory, id);
  if (found === undefined) return undefined;
  const outcome = await sender.send(found.request, signal);
  if (outcome.kind === "delivered") await deleteRejected(directory, id);
  return outcome;
}
