import type { IncomingMessage } from "node:http";

/** Bounds on one request's body. */
interface BodyBounds {
  readonly maxBytes: number;
  /** Longest pause between two pieces. */
  readonly silenceMs: number;
  /** Longest time for the whole body. */
  readonly wholeMs: number;
}

/** A body, or the reason why there is none; `aborted`: the client is gone. */
export type BodyOutcome =
  | { readonly kind: "read"; readonly body: Buffer }
  | { readonly kind: "too-large" | "late" | "aborted" | "unreadable" };

/** Announced lengths are trusted up to here; beyond, memory is allocated as bytes arrive. */
const firstBytes = 16 * 1024;

/**
 * Reads a request's body into one buffer.
 *
 * @param hold called with a byte count before memory is allocated; its exceptions end the reading
 * @param begin called when the body is wanted
 * @throws only the exceptions of `hold`
 */
export async function collectBody(
  request: IncomingMessage,
  bounds: BodyBounds,
  hold: (bytes: number) => void,
  begin: () => void,
): Promise<BodyOutcome> {
  const { maxBytes } = bounds;
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) return { kind: "too-large" };

  // One growing buffer: a list of chunks would take far more memory when bytes arrive one by one.
  let buffer = Buffer.alloc(0);
  let length = 0;
  /** @returns false when the body exceeds the bound */
  const append = (piece: Buffer): boolean => {
    const needed = length + piece.length;
    if (needed > maxBytes) return false;
    if (needed > buffer.length) {
      const expected = Math.max(needed, 2 * buffer.length, Math.min(announced, firstBytes));
      const size = Math.min(maxBytes, expected);
      hold(size - buffer.length);
      const grown = Buffer.allocUnsafeSlow(size);
      buffer.copy(grown, 0, 0, length);
      buffer = grown;
    }
    piece.copy(buffer, length);
    length = needed;
    return true;
  };

  if (request.aborted) return { kind: "aborted" };
  return await new Promise<BodyOutcome>((resolve, reject) => {
    const listeners = {
      data(piece: Buffer): void {
        silence.refresh();
        try {
          if (!append(piece)) finish(() => resolve({ kind: "too-large" }));
        } catch (error) {
          finish(() => reject(error));
        }
      },
      end(): void {
        // A reset HTTP/2 stream ends like a complete one: reject the partial body.
        if (request.aborted) listeners.close();
        else finish(() => resolve({ kind: "read", body: buffer.subarray(0, length) }));
      },
      close: () => finish(() => resolve({ kind: "aborted" })),
      error: () => finish(() => resolve({ kind: "unreadable" })),
    };
    const timeOut = (): void => finish(() => resolve({ kind: "late" }));
    const silence = setTimeout(timeOut, bounds.silenceMs);
    const whole = setTimeout(timeOut, bounds.wholeMs);
    function finish(settle: () => void): void {
      clearTimeout(silence);
      clearTimeout(whole);
      for (const [event, listener] of Object.entries(listeners)) request.off(event, listener);
      settle();
    }
    for (const [event, listener] of Object.entries(listeners)) request.on(event, listener);
    begin();
  });
}

/** Whether a request's body may be partly unread. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
  return !request.complete && (encoding !== undefined || Number(length) > 0);
}

const lingerMs = 1_000;
const lingerBytes = 256 * 1024;

/** Whether a body is on its way, and so short that Node.js may read and discard it after the response. */
export function isShortBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding, expect } = headers;
  return encoding === undefined && expect === undefined && Number(length) <= lingerBytes;
}

/**
 * Reads and discards an unwanted body for a moment: closing a connection while the client is still sending
 * would lose the response.
 */
export async function discardBody(request: IncomingMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    let bytes = 0;
    const done = (): void => {
      clearTimeout(timer);
      request.off("data", count).off("end", done).off("close", done).off("error", done);
      request.pause();
      resolve();
    };
    const count = (piece: Buffer): void => {
      bytes += piece.length;
      if (bytes > lingerBytes) done();
    };
    const timer = setTimeout(done, lingerMs);
    if (request.destroyed) return done();
    request.on("data", count).on("end", done).on("close", done).on("error", done);
    request.resume();
  });
}
