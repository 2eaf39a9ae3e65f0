import { createServer as createPlainServer, type Server } from "node:net";
import { type ConnectionOptions, connect, createServer, type TlsOptions } from "node:tls";
import { expect, test } from "vitest";
import { createAuthority } from "../../../test/support/net/certificates.ts";
import { describeError } from "./errors.ts";
import { isUntrusted, tlsFault } from "./tls-words.ts";

const authority = createAuthority();

async function failureOf(server: Server, options: ConnectionOptions): Promise<unknown> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
  try {
    return await new Promise((resolve) => {
      socket.on("error", resolve);
      socket.on("end", () => resolve(new Error("closed")));
      socket.write("x");
    });
  } finally {
    socket.destroy();
    server.close();
  }
}

test.each<[string, TlsOptions | "plain", ConnectionOptions, RegExp]>([
  ["no client certificate, TLS 1.3", { requestCert: true }, {}, /^the server wants a client certificate$/],
  [
    "no client certificate, TLS 1.2",
    { requestCert: true, maxVersion: "TLSv1.2" },
    {},
    /^the server has no cipher in common, or wants a client certificate$/,
  ],
  [
    "a newer version",
    { minVersion: "TLSv1.3" },
    { maxVersion: "TLSv1.2" },
    /^the server (takes neither|requires)/,
  ],
  ["no TLS", "plain", {}, /^the server does not speak TLS at this address; http:/],
  [
    "other ciphers",
    { ciphers: "ECDHE-ECDSA-AES128-GCM-SHA256", maxVersion: "TLSv1.2" },
    { ciphers: "ECDHE-ECDSA-AES256-GCM-SHA384", maxVersion: "TLSv1.2" },
    /^the server has no cipher in common/,
  ],
])("%s: described in words, on one line", async (_, options, client, expected) => {
  const { cert, key } = authority.issue();
  const server =
    options === "plain"
      ? createPlainServer((socket) => {
          socket.on("error", () => undefined).end("HTTP/1.1 400 Bad Request\r\n\r\n");
        })
      : createServer({ cert, key, ...options }, (socket) => socket.on("error", () => undefined).resume());
  server.on("tlsClientError", () => undefined);
  expect(describeError(await failureOf(server, client))).toMatch(expected);
});

test.each([
  ["ERR_SSL_TLSV1_ALERT_UNKNOWN_CA", "the server does not know the authority of the client certificate"],
  ["ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE", "the server rejects the client certificate"],
  ["ERR_SSL_TLSV1_UNRECOGNIZED_NAME", "the server has no certificate for this name"],
  ["ERR_SSL_UNSUPPORTED_PROTOCOL", "the server offers only versions of TLS older than 1.2"],
  ["ERR_SSL_BAD_ECPOINT", undefined],
  ["ECONNRESET", undefined],
  ["EPROTO", undefined],
])("%s: %s", (code, words) => {
  expect(tlsFault(Object.assign(new Error("failed"), { code }))).toBe(words);
});

const verified = { rejectUnauthorized: true };

test.each<[string, ConnectionOptions, boolean]>([
  ["an unknown authority", verified, true],
  ["another name", { ...verified, ca: authority.cert, servername: "other.test" }, true],
  ["a client certificate that is missing", {}, false],
])("isUntrusted: %s", async (_, client, expected) => {
  const server = createServer({ ...authority.issue(), requestCert: !expected, rejectUnauthorized: true });
  server.on("tlsClientError", () => undefined);
  server.on("secureConnection", (socket) => socket.on("error", () => undefined));
  expect(isUntrusted(await failureOf(server, client))).toBe(expected);
});

test("isUntrusted: other errors", () => {
  expect(isUntrusted(new Error("none"))).toBe(false);
  expect(isUntrusted(Object.assign(new Error("refused"), { code: "ECONNREFUSED" }))).toBe(false);
  expect(isUntrusted(undefined)).toBe(false);
});

test("a message never has a line end", () => {
  expect(describeError(new Error("a\r\n b\n", { cause: new Error("\nc\n") }))).toBe("a b : c");
  const odd = Object.assign(new Error("C0:error:0A:SSL routines:f.c:1:\n"), {
    code: "ERR_SSL_X",
    reason: "odd",
  });
  expect(describeError(odd)).toBe("odd");
});
