import "../support/leak-check.ts";
import { once } from "node:events";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openingFrames, requestTakenBack } from "../support/net/http2-frames.ts";
import { organizationBase, startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { until } from "../support/until.ts";

/** HTTP/2 beside HTTP/1.1, negotiated by ALPN, on the same port and with the same limits. */

let platform: TestPlatform;
let bearer: string;
const sessions: ClientHttp2Session[] = [];
const unverifiedHttp2 = { rejectUnauthorized: false, ALPNProtocols: ["h2"] };
const configMaps = `${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;

beforeAll(async () => {
  platform = await startTestPlatform({
    limits: { headMs: 500, maxBodyBytes: 100_000, requestsPerSecondPerToken: 100_000 },
  });
  bearer = await platform.exchange(platform.token);
});
afterEach(async () => {
  for (const session of sessions.splice(0)) {
    if (session.destroyed) continue;
    session.destroy();
    await once(session, "close");
  }
});
afterAll(() => platform.stop());

function open(): ClientHttp2Session {
  const session = connect(platform.url, { rejectUnauthorized: false });
  session.on("error", () => undefined);
  sessions.push(session);
  return session;
}

interface Sent {
  readonly stream: ClientHttp2Stream;
  code(): number;
  text(): string;
}

function send(
  session: ClientHttp2Session,
  method: string,
  path: string,
  options: { token?: string; body?: string } = {},
) {
  const { token = bearer, body } = options;
  const stream = session.request(
    {
      ...{ ":method": method, ":path": path, "content-type": "application/json" },
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    },
    { endStream: body === undefined },
  );
  let [code, text] = [0, ""];
  stream.on("error", () => undefined);
  stream.on("response", (headers) => {
    code = Number(headers[":status"]);
  });
  stream.setEncoding("utf8");
  stream.on("data", (piece: string) => {
    text += piece;
  });
  if (body !== undefined) stream.write(body);
  const sent: Sent = { stream, code: () => code, text: () => text };
  return sent;
}

test("watches and writes go side by side on one connection", async () => {
  const session = open();
  const watches = Array.from({ length: 20 }, () => send(session, "GET", `${configMaps}?watch=1`));
  await until("they are open", () => watches.every(({ code }) => code() === 200));
  const created = send(session, "POST", configMaps, { body: JSON.stringify({ metadata: { name: "side" } }) });
  created.stream.end();
  await until("it is created", () => created.code() === 201);
  await until("each watch has it", () => watches.every(({ text }) => text().includes('"name":"side"')));
  for (const { stream } of watches) stream.close();
});

test("no token, no body: 403 while the body is on its way, and the connection stays", async () => {
  const session = open();
  const refused = send(session, "POST", configMaps, { token: "", body: "{" });
  await until("it is refused", () => refused.text().includes("Forbidden"));
  expect(refused.code()).toBe(403);
  const large = send(session, "POST", configMaps, { body: "x".repeat(150_000) });
  await until("it is too large", () => large.code() === 413);
  const allowed = send(session, "GET", configMaps);
  await until("the connection is of use", () => allowed.code() === 200);
});

test("a connection on which nothing is asked is closed", async () => {
  const session = open();
  await once(session, "close");
});

test("a flood of requests that are taken back ends the connection", async () => {
  const { port, hostname } = new URL(platform.url);
  const socket = connectTls({ ...{ host: hostname, port: Number(port) }, ...unverifiedHttp2 });
  socket.on("error", () => undefined).resume();
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await once(socket, "secureConnect");
  socket.write(openingFrames());
  const takeBack = async (fromId: number, toId: number): Promise<void> => {
    for (let id = fromId; id < toId && !socket.destroyed; id += 2) {
      socket.write(requestTakenBack(id, configMaps));
      if (id % 100 === 1) await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await takeBack(1, 101);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(socket.destroyed, "after fifty").toBe(false);
  await takeBack(101, 10_000);
  // Long before an idle connection is closed.
  await until("it is closed", () => socket.destroyed, 20_000);
  await closed;
  // It no longer counts against the limits.
  await until("requests are taken", async () => (await platform.fetch(configMaps, { bearer })).code === 200);
});

test("half a body is none, even where it would be a whole object", async () => {
  const { port, hostname } = new URL(platform.url);
  const socket = connectTls({
    ...{ host: hostname, port: Number(port) },
    ...unverifiedHttp2,
  });
  const session = connect(platform.url, { createConnection: () => socket });
  session.on("error", () => undefined);
  send(session, "POST", configMaps, { body: '{"metadata":{"name":"half"}}' });
  const first = send(session, "GET", configMaps);
  await until("the half is there", () => first.code() === 200);
  socket.destroy();
  await until("the server has noticed", () => session.closed || session.destroyed);
  const { code } = await platform.fetch(configMaps, {
    method: "POST",
    bearer,
    body: { metadata: { name: "half" } },
  });
  expect(code).toBe(201);
});
