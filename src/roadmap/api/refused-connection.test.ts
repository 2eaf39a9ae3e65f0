import { Duplex } from "node:stream";
import { expect, test } from "vitest";
import { refuseConnection } from "./refused-connection.ts";

function refusal(code: string, packet = ""): Promise<string> {
  return new Promise((resolve) => {
    let text = "";
    const socket = new Duplex({
      read: () => undefined,
      write(chunk: Buffer, _encoding, done) {
        text += chunk.toString();
        done();
      },
      final(done) {
        resolve(text);
        done();
      },
    });
    refuseConnection(Object.assign(new Error("no"), { code, rawPacket: Buffer.from(packet) }), socket);
  });
}

test.each([
  ["ERR_HTTP_REQUEST_TIMEOUT", "", 408],
  ["HPE_INVALID_METHOD", "hello", 400],
  ["HPE_CHUNK_EXTENSIONS_OVERFLOW", "", 413],
  ["HPE_HEADER_OVERFLOW", `GET /${"x".repeat(9_000)}`, 414],
  ["HPE_HEADER_OVERFLOW", `GET /${"x".repeat(9_000)} HTTP/1.1\r\nHost: a\r\n`, 414],
  ["HPE_HEADER_OVERFLOW", "xxxxxx HTTP/1.1\r\nHost: a\r\n", 414],
  ["HPE_HEADER_OVERFLOW", `GET / HTTP/1.1\r\nX: ${"y".repeat(9_000)}`, 431],
  ["HPE_HEADER_OVERFLOW", "y".repeat(9_000), 431],
])("%s is %i", async (code, packet, status) => {
  const text = await refusal(code, packet);
  const [head = "", body = ""] = text.split("\r\n\r\n");
  expect(head).toContain(`HTTP/1.1 ${status} `);
  expect(head).toContain("\r\nAPI-Version: v1\r\n");
  expect(head).toContain(`\r\nContent-Length: ${Buffer.byteLength(body)}`);
  expect(JSON.parse(body)).toMatchObject({ type: "about:blank", status });
});

test("to a connection that was reset nothing is said", () => {
  const socket = new Duplex({ read: () => undefined, write: () => expect.unreachable() });
  refuseConnection(Object.assign(new Error("reset"), { code: "ECONNRESET" }), socket);
  expect(socket.destroyed).toBe(true);
});
