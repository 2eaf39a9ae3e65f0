import type { IncomingMessage } from "node:http";
import { badRequest, requestTimeout, type StatusError, tooLarge } from "../status.ts";
import type { PlatformLimits } from "./limits.ts";

export type BodyLimits = Pick<PlatformLimits, "maxBodyBytes" | "bodySilenceMs" | "bodyMs">;

/** Announced lengths are believed up to here; beyond, memory is taken as bytes arrive. */
const firstBytes = 16 * 1024;

/**
 * Reads the body of a request into one buffer.
 *
 * @param hold called before memory is taken, with its bytes; what it throws ends the reading
 * @param begin called once the body is wanted
 * @throws StatusError 413, 408, 400 when the client breaks off
 */
export async function readBody(
  request: IncomingMessage,
  limits: BodyLimits,
  hold: (bytes: number) => void,
  begin: () => void,
): Promise<Buffer> {
  const announced = Number(request.headers["content-length"] ?? 0);
  const tooLong = (): StatusError => tooLarge(`Request entity too large: limit is ${limits.maxBodyBytes}`);
  if (announced > limits.maxBodyBytes) throw tooLong();

  // One buffer that grows: a list of pieces would cost a hundred times their bytes where they come one by one.
  let buffer = Buffer.alloc(0);
  let length = 0;
  const append = (piece: Buffer): void => {
    const needed = length + piece.length;
    if (needed > limits.maxBodyBytes) throw tooLong();
    if (needed > buffer.length) {
      const expected = Math.max(needed, 2 * buffer.length, Math.min(announced, firstBytes));
      const size = Math.min(limits.maxBodyBytes, expected);
      hold(size - buffer.length);
      const grown = Buffer.allocUnsafeSlow(size);
      buffer.copy(grown, 0, 0, length);
      buffer = grown;
    }
    piece.copy(buffer, length);
    length = needed;
  };

  if (request.aborted) throw badRequest("the request was broken off");
  return await new Promise<Buffer>((resolve, reject) => {
    const listeners = {
      data(piece: Buffer): void {
        silence.refresh();
        try {
          append(piece);
        } catch (error) {
          finish(() => reject(error));
        }
      },
      end(): void {
        // An HTTP/2 stream that was reset ends like one that is complete: half a body is none.
        if (request.aborted) listeners.close();
        else finish(() => resolve(buffer.subarray(0, length)));
      },
      close: () => finish(() => reject(badRequest("the request was broken off"))),
      error: () => finish(() => reject(badRequest("the body cannot be read"))),
    };
    const timeOut = (): void => finish(() => reject(requestTimeout("the body did not arrive in time")));
    const silence = setTimeout(timeOut, limits.bodySilenceMs);
    const whole = setTimeout(timeOut, limits.bodyMs);
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

/** Whether there may be more of a request's body that nobody has read. */
export function hasUnreadBody(request: IncomingMessage): boolean {
  const { "content-length": length = "0", "transfer-encoding": encoding } = request.headers;
  return !request.complete && (encoding !== undefined || Number(length) > 0);
}

const lingerMs = 1_000;
const lingerBytes = 256 * 1024;

/**
 * Throws away what still comes of a body that is not wanted, for a moment: a connection that is closed on a client in
 * the middle of sending takes the response with it that the client has not read yet.
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
