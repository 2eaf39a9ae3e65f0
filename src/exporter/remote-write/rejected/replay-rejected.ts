import type { Outcome, Sender } from "../send/outcome.ts";
import { deleteRejected, readRejected } from "./rejected-store.ts";

/**
 * Sends an entry of the rejected store once more and deletes it when it was delivered. Its samples are older than what the
 * receiver has meanwhile, so that it must take samples out of order.
 *
 * @returns undefined when there is no entry of that id
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
