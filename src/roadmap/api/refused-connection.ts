import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errnoCode } from "../../base/core/errors.ts";
import { type ApiResponse, headersOf, problemResponse } from "./api-response.ts";
import { maxTargetLength, targetTooLong } from "./route.ts";

/**
 * Responds on the bare socket to input that never became a request (malformed HTTP, headers too large, client
 * too slow), with the usual headers and Problem body.
 *
 * @param error the error of Node's parser
 * @returns the response, or undefined when the client is gone
 */
export function refuseConnection(error: Error, socket: Duplex): ApiResponse | undefined {
  if (!socket.writable || errnoCode(error) === "ECONNRESET") {
    socket.destroy();
    return undefined;
  }
  const response = responseTo(error);
  socket.end(rawResponse(response));
  return response;
}

/** Serializes a response for a socket without a `ServerResponse`. Always closes the connection. */
export function rawResponse(response: ApiResponse): string {
  const lines = [`HTTP/1.1 ${response.status} ${STATUS_CODES[response.status] ?? ""}`];
  const pairs = [...headersOf(response), "Date", new Date().toUTCString(), "Connection", "close"];
  for (let index = 0; index < pairs.length; index += 2) lines.push(`${pairs[index]}: ${pairs[index + 1]}`);
  return `${lines.join("\r\n")}\r\n\r\n${String(response.body ?? "")}`;
}

function responseTo(error: Error): ApiResponse {
  switch (errnoCode(error)) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return problemResponse(408, "The request did not arrive in time.");
    case "HPE_HEADER_OVERFLOW":
      return isTargetTooLong(error)
        ? targetTooLong()
        : problemResponse(431, "The request's headers are too large.");
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return problemResponse(413, "The request's body is too large.");
    default:
      return problemResponse(400, "The request is not valid HTTP.");
  }
}

/**
 * Only the packet that exceeded the limit is available. The request line is too long when it begins in that
 * packet and is long, or when it ends in it without having begun there.
 */
function isTargetTooLong(error: Error): boolean {
  const packet = "rawPacket" in error && Buffer.isBuffer(error.rawPacket) ? error.rawPacket : undefined;
  if (packet === undefined) return false;
  const end = packet.indexOf("\n");
  const line = packet.subarray(0, end === -1 ? packet.length : end).toString("latin1");
  const begins = /^[A-Z]+ /.test(line);
  return begins ? line.length > maxTargetLength : / HTTP\/1\.[01]\r?$/.test(line);
}
