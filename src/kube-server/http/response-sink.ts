import type { ServerResponse } from "node:http";
import type { UnsentOfWatch } from "../watch/unsent-events.ts";
import { pieceBytes } from "./pieces.ts";
import type { EventSink } from "./watch-handler.ts";

export interface ResponseSink extends EventSink {
  /** Resolves when the reader has received everything written, or has disconnected. */
  finish(): Promise<void>;
}

interface Unsent {
  readonly bytes: Buffer;
  /** To be called when the reader has received a piece of it, at last the whole. */
  readonly taken: (isWhole: boolean) => void;
}

/** Writes a watch's events to a response, one piece at a time, waiting for the connection to accept each. */
export function responseSink(response: ServerResponse, unsent: UnsentOfWatch): ResponseSink {
  let events: Unsent[] = [];
  /** Index of the first event not fully written, and the offset within it. */
  let [index, offset] = [0, 0];
  let bytesInFlight = 0;
  let onFinished: (() => void) | undefined;

  const writeOne = ({ bytes, taken }: Unsent): void => {
    const piece = bytes.subarray(offset, offset + pieceBytes);
    offset += piece.length;
    bytesInFlight += piece.length;
    const isLast = offset === bytes.length;
    if (isLast) [index, offset] = [index + 1, 0];
    response.write(piece, (error) => {
      bytesInFlight -= piece.length;
      if (error) [events, index, offset] = [[], 0, 0];
      else taken(isLast);
      if (bytesInFlight === 0) writeMore();
    });
  };
  const writeMore = (): void => {
    for (let next = events[index]; next !== undefined && bytesInFlight < pieceBytes; next = events[index])
      writeOne(next);
    if (index < events.length) return;
    [events, index] = [[], 0];
    if (bytesInFlight === 0) onFinished?.();
  };
  return {
    isReady: unsent.isReady,
    ready: unsent.ready,
    write(line) {
      const bytes = typeof line === "string" ? Buffer.from(line) : line;
      events.push({ bytes, taken: unsent.add(bytes.length) });
      if (bytesInFlight < pieceBytes) writeMore();
    },
    finish: () =>
      new Promise((resolve) => {
        onFinished = resolve;
        response.once("close", resolve);
        if (response.destroyed) resolve();
        else writeMore();
      }),
  };
}
