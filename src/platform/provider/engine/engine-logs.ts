import { RuntimeError, type RuntimeLog } from "../runtime/runtime.ts";
import { type EngineClient, refusedAs } from "./engine-client.ts";
import type { ListedContainer } from "./engine-objects.ts";
import { labelOf } from "./labels.ts";

/** Before each piece: the stream (1: output, 2: errors), three zeros, and the length. */
const headBytes = 8;

/** Reads the log of one of an instance's containers. @throws RuntimeError */
export async function readLog(
  client: EngineClient,
  containers: readonly ListedContainer[],
  { container, follow, timestamps, tailLines, sinceMs }: RuntimeLog,
  take: (bytes: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const found = containers.find(({ Labels }) =>
    container === "" ? Labels[labelOf.position] === "0" : Labels[labelOf.container] === container,
  );
  if (found === undefined || ["created", "configured", "initialized"].includes(found.State)) {
    throw new RuntimeError("refused", "NotStarted", "the container was not started yet: there is no log");
  }
  const query = {
    stdout: "true",
    stderr: "true",
    follow: String(follow),
    timestamps: String(timestamps),
    tail: tailLines ?? "all",
    ...(sinceMs === undefined ? {} : { since: (sinceMs / 1_000).toFixed(3) }),
  };
  const frames = new LogFrames();
  const path = `/containers/${found.Id}/logs`;
  await refusedAs(
    "NoLog",
    client.bytes(path, { query }, (bytes) => take(frames.text(bytes)), signal),
  );
}

/** Takes the engine's frames apart: their contents in order, without the heads. */
export class LogFrames {
  #head: Buffer = Buffer.alloc(0);
  /** Of the present frame. */
  #left = 0;

  text(bytes: Uint8Array): Buffer {
    const pieces: Buffer[] = [];
    let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    while (rest.length > 0) {
      if (this.#left === 0) {
        const missing = headBytes - this.#head.length;
        this.#head = Buffer.concat([this.#head, rest.subarray(0, missing)]);
        rest = rest.subarray(missing);
        if (this.#head.length < headBytes) break;
        this.#left = this.#head.readUInt32BE(4);
        this.#head = Buffer.alloc(0);
        continue;
      }
      const piece = rest.subarray(0, this.#left);
      this.#left -= piece.length;
      pieces.push(piece);
      rest = rest.subarray(piece.length);
    }
    return Buffer.concat(pieces);
  }
}
