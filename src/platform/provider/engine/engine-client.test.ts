import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createEngineClient, type EngineClient, engineWords, shownRefusal } from "./engine-client.ts";

const never = new AbortController().signal;
let folder: string;
let socket: string;
let server: Server;
let client: EngineClient;
let respond: RequestListener;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-socket-"));
  socket = join(folder, "engine.sock");
  server = createServer((request, response) => respond(request, response));
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  client = createEngineClient(socket);
});
afterEach(async () => {
  await client.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

test("sends filters as JSON and reads JSON", async () => {
  respond = (request, response) => response.end(JSON.stringify({ url: request.url }));
  const query = { all: "true", filters: { label: ["a=b"] } };
  expect(await client.send("GET", "/containers/json", { query }, never)).toEqual({
    url: "/v1.41/containers/json?all=true&filters=%7B%22label%22%3A%5B%22a%3Db%22%5D%7D",
  });
});

test("an engine that no longer has the version is asked with the oldest one that it has, also after its upgrade", async () => {
  const urls: string[] = [];
  let oldest = 24;
  respond = ({ url = "" }, response) => {
    urls.push(url);
    if (url === "/version") return response.end(JSON.stringify({ MinAPIVersion: `1.${oldest}` }));
    const asked = Number(/^\/v1\.(\d+)\//.exec(url)?.[1]);
    const words = {
      message: `client version 1.${asked} is too old. Minimum supported API version is 1.${oldest}`,
    };
    if (asked < oldest) return response.writeHead(400).end(JSON.stringify(words));
    response.end("{}\n");
  };
  await client.send("GET", "/info", {}, never);
  oldest = 44;
  await Promise.all([
    client.send("POST", "/containers/create", { body: {} }, never),
    client.lines("GET", "/events", {}, () => undefined, never),
    client.bytes("/export", {}, async () => undefined, never),
  ]);
  urls.length = 0;
  await client.send("GET", "/info", {}, never);
  expect(urls).toEqual(["/v1.44/info"]);
});

test("a request that is wrong is sent once, and is refused in the engine's words", async () => {
  const urls: string[] = [];
  respond = ({ url = "" }, response) => {
    urls.push(url);
    if (url === "/version") return response.end(JSON.stringify({ MinAPIVersion: "1.24" }));
    response.writeHead(400).end(JSON.stringify({ message: "invalid reference format" }));
  };
  const sent = client.send("POST", "/containers/create", { body: {} }, never);
  await expect(sent).rejects.toMatchObject({ status: 400, message: "invalid reference format" });
  expect(urls).toEqual(["/v1.41/containers/create", "/version"]);
});

test("an error response is a refusal in the engine's words", async () => {
  respond = (_, response) => response.writeHead(409).end(JSON.stringify({ message: "the name\nis taken" }));
  const sent = client.send("POST", "/containers/create", { body: {} }, never);
  await expect(sent).rejects.toMatchObject({
    name: "EngineRefusal",
    status: 409,
    message: "the name is taken",
  });
});

test.each<[what: string, answer: RequestListener, message: RegExp]>([
  ["no response", () => undefined, /did not respond within 0.2 s$/],
  ["half a response", (_, response) => response.write("{"), /did not respond within 0.2 s$/],
  [
    "a lost connection",
    (request) => request.socket.destroy(),
    /no engine responds at .*: start podman.socket or set/,
  ],
  ["too much", (_, response) => response.end(Buffer.alloc(17 * 2 ** 20, " ")), /too large a response$/],
])("%s means that the engine is not available", async (_, answer, message) => {
  respond = answer;
  // Reading as much as is too much may take longer.
  const limitMs = message.source.includes("0.2") ? 200 : 30_000;
  const failure = await client.send("GET", "/version", { limitMs }, never).catch((error: unknown) => error);
  expect(failure).toMatchObject({ outcome: "unavailable", reason: "EngineUnavailable" });
  expect(String(failure)).toMatch(message);
});

test("no engine", async () => {
  const other = createEngineClient(join(folder, "none.sock"));
  await expect(other.send("GET", "/version", {}, never)).rejects.toMatchObject({
    message: `no engine responds at ${folder}/none.sock: start podman.socket or set provider.engine.socket`,
  });
  await other.close();
});

test("reads lines, however they are cut, and not too many", async () => {
  respond = (_, response) => {
    response.write('{"a":');
    setTimeout(() => response.end('1}\n\n{"a":2}'), 20);
  };
  const lines: unknown[] = [];
  await client.lines("GET", "/events", {}, (line) => lines.push(line), never);
  expect(lines).toEqual([{ a: 1 }, { a: 2 }]);
  const few = client.lines("GET", "/events", { maxBytes: 5 }, () => undefined, never);
  await expect(few).rejects.toThrow(/too large/);
});

test.each([
  ["a\u001b[31mb\n\tc", "a [31mb c"],
  [`https://robot:horse@host/${"x".repeat(5_000)}`, `https://***@host/${"x".repeat(1_024 - 17)}`],
  ["é".repeat(1_000), "é".repeat(512)],
])("the engine's words %#", (text, words) => {
  expect(engineWords(text)).toBe(words);
});

test.each([
  ["crun: executable file `/no-program` not found: No such file or directory: OCI runtime error", /command$/],
  ['exec: "/etc/motd": permission denied', /not executable$/],
  ["write /var/lib/containers/storage/overlay/4f: no space left on device", /disk is full$/],
  ["requested ip address 10.128.0.7 is already allocated to container 4f", /in use already$/],
  [
    "cannot listen on the TCP port: listen tcp4 192.168.7.9:443: bind: address already in use",
    /in use already$/,
  ],
  ["statfs /srv/telemetryd/files/4f: no such file or directory", /^the engine refused it/],
])("a tenant reads of the refusal %j nothing of the machine", (words, expected) => {
  expect(shownRefusal(words)).toMatch(expected);
  expect(shownRefusal(words)).not.toMatch(/\/|\d/);
});
