import { createHash } from "node:crypto";
import type { Socket } from "node:net";

/** The handshake's answer to a `Sec-WebSocket-Key` (RFC 6455, section 4.2.2). */
export function webSocketAccept(key: string): string {
  return createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
}

/** A frame of RFC 6455, section 5.2; `first` is its first byte: FIN and the opcode. */
export interface WebSocketFrame {
  readonly first: number;
  /** Unmasked. */
  readonly payload: Buffer;
  /** The frame's length with its head. */
  readonly bytes: number;
}

export const textFrame = 0x81;
export const closeFrame = 0x88;
const pingFrame = 0x89;
const pongFrame = 0x8a;

/** The first frame in the bytes, masked or not; undefined if it is incomplete. */
export function readFrame(bytes: Buffer): WebSocketFrame | undefined {
  const [first, second] = bytes;
  if (first === undefined || second === undefined) return undefined;
  const short = second & 0x7f;
  const lengthBytes = short === 127 ? 8 : short === 126 ? 2 : 0;
  const maskBytes = second >= 0x80 ? 4 : 0;
  const head = 2 + lengthBytes + maskBytes;
  if (bytes.length < head) return undefined;
  // The upper half of an eight-byte length is of no use to a test.
  const length = short === 127 ? bytes.readUInt32BE(6) : short === 126 ? bytes.readUInt16BE(2) : short;
  if (bytes.length < head + length) return undefined;
  const payload = Buffer.from(bytes.subarray(head, head + length));
  const mask = bytes.subarray(head - maskBytes, head);
  if (maskBytes > 0) {
    for (let at = 0; at < length; at++) payload[at] = (payload[at] ?? 0) ^ (mask[at % 4] ?? 0);
  }
  return { first, payload, bytes: head + length };
}

/** @param mask four bytes: clients must mask their frames, servers must not (section 5.1) */
export function writeFrame(first: number, payload: Buffer, mask?: Buffer): Buffer {
  const marker = mask === undefined ? 0 : 0x80;
  const { length } = payload;
  let head: Buffer;
  if (length < 126) head = Buffer.from([first, marker | length]);
  else if (length < 2 ** 16) head = Buffer.from([first, marker | 126, length >> 8, length & 0xff]);
  else {
    head = Buffer.alloc(10);
    head[0] = first;
    head[1] = marker | 127;
    head.writeUInt32BE(length, 6);
  }
  if (mask === undefined) return Buffer.concat([head, payload]);
  const masked = payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return Buffer.concat([head, mask, masked]);
}

/**
 * Sends each frame of a client back as it is, fragments included. A ping gets a pong, and a close its echo and
 * the connection's end.
 *
 * @param early what came with the handshake
 * @param onClose called for the client's close frame
 */
export function echoFrames(socket: Socket, early: Buffer, onClose: () => void): void {
  let rest: Buffer = Buffer.alloc(0);
  const take = (bytes: Buffer): void => {
    rest = Buffer.concat([rest, bytes]);
    for (let frame = readFrame(rest); frame !== undefined; frame = readFrame(rest)) {
      rest = rest.subarray(frame.bytes);
      if (frame.first === pongFrame) continue;
      const answer = writeFrame(frame.first === pingFrame ? pongFrame : frame.first, frame.payload);
      if (frame.first === closeFrame) {
        onClose();
        socket.end(answer);
        return;
      }
      socket.write(answer);
    }
  };
  socket.on("data", take);
  take(early);
}
