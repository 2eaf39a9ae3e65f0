import { request } from "node:http";
import { Duplex } from "node:stream";

/**
 * The result of Node's own client (llhttp, strict) for the bytes of one response and the end of the
 * connection.
 */
export type NodeReading =
  | {
      readonly kind: "whole";
      readonly status: number;
      readonly fields: readonly string[];
      readonly body: string;
    }
  | { readonly kind: "failed"; readonly code: string };

/** @param bytes exactly one response */
export function readByNode(bytes: Buffer): Promise<NodeReading> {
  return new Promise((resolve) => {
    const socket = new Duplex({
      read: () => undefined,
      write(_chunk, _encoding, written) {
        written();
        this.push(bytes);
        this.push(null);
      },
    });
    const fail = (error: NodeJS.ErrnoException) =>
      resolve({ kind: "failed", code: error.code ?? error.message });
    const asking = request({ createConnection: () => socket, maxHeaderSize: 1_000_000 });
    asking.on("error", fail);
    const closed = () => resolve({ kind: "failed", code: "closed" });
    asking.on("close", closed);
    asking.on("response", (response) => {
      // The request may be closed before its body has been read.
      asking.off("close", closed);
      response.on("close", closed);
      let body = "";
      response.on("error", fail);
      response.on("data", (chunk: Buffer) => {
        body += chunk.toString("latin1");
      });
      response.on("end", () => {
        const { statusCode = 0, rawHeaders } = response;
        const fields = rawHeaders.map((text, index) => (index % 2 === 0 ? text.toLowerCase() : text));
        resolve({ kind: "whole", status: statusCode, fields, body });
      });
    });
    asking.end();
  });
}
