import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";

/** What came back on one connection. */
export interface RawAnswer {
  /** Each character is a byte (latin1). */
  readonly text: string;
  /**
   * `closed`: the server ended the connection; `reset`: it broke it, or refused it; `open`: the limit came
   * first, or `enough` was so.
   */
  readonly end: "closed" | "reset" | "open";
}

export interface RawOptions {
  /** The client's own; default: the system's choice. */
  readonly localAddress?: string;
  /** How long to read, at most; default: 2 s. */
  readonly limitMs?: number;
  /** Ends the reading early, for connections that stay open. */
  readonly enough?: (text: string) => boolean;
  /** Pause between the pieces; default: 50 ms. */
  readonly pauseMs?: number;
  /** Speaks TLS, with this name as SNI and without a check of the certificate; "" for no name. */
  readonly serverName?: string;
}

/**
 * Sends bytes as they are, and reads until the server closes or the limit is reached. The connection stays open
 * for writing meanwhile: to some servers a client that ends its side is one that went away.
 *
 * @param bytes text is latin1; a list is sent piece by piece, with pauses
 */
export async function rawHttp(
  port: number,
  bytes: string | Buffer | readonly (string | Buffer)[],
  options: RawOptions = {},
): Promise<RawAnswer> {
  const { limitMs = 2000, pauseMs = 50, enough, serverName } = options;
  const host = "127.0.0.1";
  const socket =
    serverName === undefined
      ? connectTcp({ host, port, ...(options.localAddress && { localAddress: options.localAddress }) })
      : connectTls({ host, port, servername: serverName, rejectUnauthorized: false });
  const queue = typeof bytes === "string" || Buffer.isBuffer(bytes) ? [bytes] : [...bytes];
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  const sendNext = (): void => {
    const next = queue.shift();
    if (next === undefined || !socket.writable) return;
    socket.write(typeof next === "string" ? Buffer.from(next, "latin1") : next);
    timer = setTimeout(sendNext, pauseMs);
  };
  return new Promise<RawAnswer>((resolve) => {
    const finish = (end: RawAnswer["end"]): void => {
      clearTimeout(limit);
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, end });
    };
    const limit = setTimeout(() => finish("open"), limitMs);
    socket.setEncoding("latin1");
    socket.once(serverName === undefined ? "connect" : "secureConnect", sendNext);
    socket.on("data", (piece: string) => {
      text += piece;
      if (enough?.(text) === true) finish("open");
    });
    socket.once("error", () => finish("reset"));
    socket.once("end", () => finish("closed"));
    socket.once("close", () => finish("closed"));
  });
}

/** The statuses of all responses in a text, in order; a body must not look like a status line. */
export function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map(([, status]) => Number(status));
}
