import { connect } from "node:net";

/** HAProxy cannot be run, does not respond, or does not carry out a command. */
export class HaproxyError extends Error {
  override readonly name = "HaproxyError";
}

/** A word of a command (management guide, section 9.3). */
export function commandWord(text: string): string {
  if (/[\r\n\0]/.test(text)) throw new HaproxyError("a command has a line break");
  return text.replace(/[\\; \t]/g, "\\$&");
}

const responseLimitMs = 10_000;
/** Statistics of some ten thousand sections. */
const maxBytes = 64 * 2 ** 20;

/**
 * Gives one command to a socket of HAProxy (management guide, section 9.3) and returns its response.
 *
 * @throws HaproxyError when it does not respond, errors of the socket
 */
export function askSocket(path: string, command: string, limitMs = responseLimitMs): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const socket = connect(path, () => socket.end(`${command}\n`));
    const fail = (error: Error): void => {
      socket.destroy();
      reject(error);
    };
    socket.setTimeout(limitMs, () => fail(new HaproxyError("HAProxy does not respond on its socket")));
    socket.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) fail(new HaproxyError("HAProxy responds with too much"));
      else chunks.push(chunk);
    });
    socket.on("error", fail);
    socket.on("end", () => resolve(Buffer.concat(chunks).toString()));
  });
}
