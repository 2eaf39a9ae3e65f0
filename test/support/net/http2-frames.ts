/**
 * Frames of HTTP/2 (RFC 9113), encoded by hand: `node:http2`'s client refuses to flood, and from Node 24 on
 * it hangs when it is forced to.
 */

const frameTypes = { headers: 1, resetStream: 3, settings: 4 } as const;
const endStreamAndHeaders = 0x05;
const cancel = 8;

function frame(type: keyof typeof frameTypes, flags: number, streamId: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(frameTypes[type], 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(streamId, 5);
  return Buffer.concat([head, payload]);
}

/** A length (RFC 7541, section 5.1, a prefix of seven bits). */
function length(value: number): number[] {
  const rest = (more: number): number[] =>
    more < 128 ? [more] : [(more % 128) + 128, ...rest(Math.floor(more / 128))];
  return value < 127 ? [value] : [127, ...rest(value - 127)];
}

/** A header field with literal name and value: "literal without indexing" (RFC 7541, section 6.2.2). */
function literal(name: string, value: string): Buffer {
  return Buffer.from([
    0,
    ...length(name.length),
    ...Buffer.from(name),
    ...length(value.length),
    ...Buffer.from(value),
  ]);
}

/** The connection preface and empty settings. */
export function openingFrames(): Buffer {
  const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  return Buffer.concat([preface, frame("settings", 0, 0, Buffer.alloc(0))]);
}

/** A GET that is cancelled at once. @param streamId odd, and larger than the previous one */
export function requestTakenBack(streamId: number, path: string): Buffer {
  const fields = [
    literal(":method", "GET"),
    literal(":scheme", "https"),
    literal(":authority", "localhost"),
    literal(":path", path),
  ];
  const code = Buffer.alloc(4);
  code.writeUInt32BE(cancel);
  return Buffer.concat([
    frame("headers", endStreamAndHeaders, streamId, Buffer.concat(fields)),
    frame("resetStream", 0, streamId, code),
  ]);
}
