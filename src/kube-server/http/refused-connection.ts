import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errnoCode } from "../../base/core/errors.ts";
import { badRequest, headTooLarge, requestTimeout, type StatusError } from "../api/status.ts";

/**
 * Sends a Status on a bare socket whose data never became a request, and closes the connection.
 *
 * @param error from Node's TLS or HTTP parser
 * @param isResponding whether a response is being sent on this socket: nothing may be written into it
 */
export function refuseConnection(error: Error, socket: Duplex, isResponding: boolean): void {
  const status = statusOf(errnoCode(error) ?? "");
  if (status === undefined || isResponding || !socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(rawResponse(status), () => socket.destroy());
}

function statusOf(code: string): StatusError | undefined {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return requestTimeout("the request did not arrive in time");
  if (code === "HPE_HEADER_OVERFLOW") return headTooLarge();
  // After a TLS or network error, there is no client to respond to.
  return code.startsWith("HPE_") ? badRequest("the request is not valid HTTP") : undefined;
}

function rawResponse({ status }: StatusError): string {
  const body = JSON.stringify(status);
  const head = [
    `HTTP/1.1 ${status.code} ${STATUS_CODES[status.code] ?? ""}`,
    "content-type: application/json",
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${new Date().toUTCString()}`,
    "connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
