import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { credentialsOf } from "../core/url.ts";
import { openSocket, portOf, type SocketOptions, secureSocket } from "./open-socket.ts";
import { MalformedResponse, type ResponseHead } from "./response-head.ts";
import { ResponseParser } from "./response-parser.ts";

export interface ProxyHop {
  /** `http:` or `https:`; its credentials, if any, go to the proxy and nowhere else. */
  readonly url: URL;
  /** For the connection to an https proxy; the client certificate for the server is not shown to it. */
  readonly tls: ConnectionOptions | undefined;
}

interface TunnelEvents {
  /** The tunnel leads to the server, with TLS if the server's URL asks for it. */
  onOpen(): void;
  /** TLS has begun inside the tunnel: this socket replaces the one to the proxy, and closes it too. */
  onSecuring(socket: Socket): void;
  /** Bytes of the server; see {@link openSocket}. */
  onBytes(bytes: Buffer): boolean;
}

/** Why there is no tunnel: nothing was sent to the server. Its message has no credentials. */
export class ProxyError extends Error {
  /** The stage that failed; `refusal` when the proxy responded with another status than 2xx. */
  readonly stage: "connecting" | "asking" | "securing" | "refusal";
  /** The status of a refusal. */
  readonly status: number | undefined;

  constructor(
    stage: ProxyError["stage"],
    message: string,
    { status, ...options }: ErrorOptions & { readonly status?: number } = {},
  ) {
    super(message, options);
    this.stage = stage;
    this.status = status;
  }
}

/** A connection to a server through an HTTP proxy, by CONNECT (RFC 9110, section 9.3.6). */
export class Tunnel {
  /** The connection to the proxy. */
  readonly socket: Socket;
  readonly #server: SocketOptions;
  readonly #proxy: ProxyHop;
  readonly #events: TunnelEvents;
  readonly #parser = new ResponseParser(
    { onHead: (head) => this.#takeHead(head), onBody: () => false, onEnd: () => undefined },
    "CONNECT",
  );
  /** `securing` to the end where the server has TLS. */
  #stage: "connecting" | "asking" | "securing" | "open" = "connecting";

  /**
   * Starts connecting.
   *
   * @param server its lookup is used for the proxy's name; the proxy resolves the server's
   */
  constructor(server: SocketOptions, proxy: ProxyHop, events: TunnelEvents) {
    this.#server = server;
    this.#proxy = proxy;
    this.#events = events;
    this.socket = openSocket({ ...server, ...proxy }, (bytes) => this.#received(bytes));
    this.socket.once(proxy.tls === undefined ? "connect" : "secureConnect", () => {
      this.#stage = "asking";
      this.socket.write(connectHead(server.url, proxy.url), "latin1");
    });
  }

  /** @param cause of the end of the socket, before the tunnel was open; undefined when the proxy closed it */
  failure(cause: Error | undefined): ProxyError {
    if (cause instanceof ProxyError) return cause;
    const { host } = this.#proxy.url;
    const why = { cause: cause ?? new Error("the proxy closed the connection") };
    switch (this.#stage) {
      case "connecting":
        return new ProxyError("connecting", `no connection to the proxy ${host}`, why);
      case "asking":
        return new ProxyError("asking", `no valid response to CONNECT from the proxy ${host}`, why);
      default:
        return new ProxyError("securing", `no TLS connection through the proxy ${host}`, why);
    }
  }

  #received(bytes: Buffer): boolean {
    if (this.#stage === "open") return this.#events.onBytes(bytes);
    try {
      const taken = this.#parser.feed(bytes);
      if (!this.#parser.hasEnded) return true;
      // No server speaks first, neither with TLS nor without: the bytes would pass for a response.
      if (taken < bytes.length) throw new MalformedResponse("unsolicited bytes follow its head");
      this.#enter();
      return true;
    } catch (error) {
      this.socket.destroy(error as Error);
      return false;
    }
  }

  /** @throws ProxyError unless the tunnel is granted */
  #takeHead({ status }: ResponseHead): void {
    if (status < 300) return;
    const { host } = this.#proxy.url;
    const message = `the proxy ${host} responds to CONNECT ${authorityOf(this.#server.url)} with ${status}`;
    throw new ProxyError("refusal", message, { status });
  }

  #enter(): void {
    if (this.#server.tls === undefined) {
      this.#stage = "open";
      this.#events.onOpen();
      return;
    }
    this.#stage = "securing";
    const secured = secureSocket(this.#server, { socket: this.socket }, (bytes) =>
      this.#events.onBytes(bytes),
    );
    secured.once("secureConnect", () => this.#events.onOpen());
    this.#events.onSecuring(secured);
  }
}

/** RFC 9112, section 3.2.3: host and port, even the scheme's default. */
function authorityOf(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

/** The request for a tunnel, with the credentials of the proxy's URL (RFC 7617). */
function connectHead(server: URL, proxy: URL): string {
  const authority = authorityOf(server);
  const head = `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n`;
  const { username, password } = credentialsOf(proxy);
  if (username === "" && password === "") return `${head}\r\n`;
  const basic = Buffer.from(`${username}:${password}`).toString("base64");
  return `${head}proxy-authorization: Basic ${basic}\r\n\r\n`;
}
