import type { Socket } from "node:net";
import { type RawServer, startRawServer } from "../support/net/raw-server.ts";
import { forbiddenZone } from "./scene.ts";
import type { Tally } from "./tally.ts";

/** No request may follow a redirect. */
export const followed = "exporter: a redirect was followed";

/** Token endpoints that no tenant may reach. */
export const forbiddenUrls = [
  "http://169.254.169.254/latest/meta-data",
  "http://10.0.0.1/token",
  "http://[::ffff:169.254.169.254]/token",
  "http://[64:ff9b::a9fe:a9fe]/token",
  `http://metadata.${forbiddenZone}/token`,
];

/** What token endpoints send instead of a token. */
const responses: Readonly<Record<string, (socket: Socket, trapUrl: string) => void>> = {
  "a drip": (socket) => {
    socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n");
    const timer = setInterval(() => socket.write(" "), 200);
    socket.once("close", () => clearInterval(timer));
  },
  "a redirect": (socket, trapUrl) =>
    socket.end(`HTTP/1.1 307 Temporary Redirect\r\nLocation: ${trapUrl}\r\nContent-Length: 0\r\n\r\n`),
  "100 MB": (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${100 * 2 ** 20}\r\n\r\n`);
    const piece = Buffer.alloc(2 ** 16, "x");
    const more = () => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", more);
    more();
  },
  "no token": (socket) => respond(socket, `{"access_token":{"a":[1]},"expires_in":"soon"}`),
  "a token with a line break": (socket) =>
    respond(socket, JSON.stringify({ access_token: "a\r\nX-Scope-OrgID: web", token_type: "bearer" })),
  "deep JSON": (socket) => respond(socket, `${"[".repeat(30_000)}${"]".repeat(30_000)}`),
};

function respond(socket: Socket, body: string): void {
  const length = Buffer.byteLength(body);
  socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`);
}

/** Hostile token endpoints, one for each response. */
export class TokenServers implements AsyncDisposable {
  readonly #tally: Tally;
  readonly #servers: RawServer[] = [];
  readonly urls: string[] = [];

  constructor(tally: Tally) {
    this.#tally = tally;
  }

  async start(): Promise<void> {
    const trap = await startRawServer((socket) => {
      this.#tally.note(followed, "reached");
      socket.destroy();
    });
    this.#servers.push(trap);
    for (const [name, act] of Object.entries(responses)) {
      const server = await startRawServer((socket) => {
        this.#tally.note(`exporter: token endpoint, ${name}`, "sent");
        act(socket, `http://127.0.0.1:${trap.port}/`);
      });
      this.#servers.push(server);
      this.urls.push(`http://127.0.0.1:${server.port}/token`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#servers.map((server) => server[Symbol.asyncDispose]()));
  }
}
