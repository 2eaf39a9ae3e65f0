import { afterEach, beforeEach } from "vitest";
import type { Lookup } from "../../../src/base/net/guarded-lookup.ts";
import { classify } from "../../../src/exporter/remote-write/transport/classify-response.ts";
import {
  type PostLimits,
  type PostResult,
  postLimits,
} from "../../../src/exporter/remote-write/transport/post.ts";
import type { HttpTransport } from "../../../src/exporter/remote-write/transport/transport.ts";
import { type RawServer, startRawServer } from "../net/raw-server.ts";
import { never, type TransportChanges, testTransport } from "./requests.ts";

/** The fixture of {@link withReceiver} for each test of a file. */
interface ReceiverFixture {
  readonly server: RawServer;
  /** Opens a transport that is closed after the test. */
  open(changes?: TransportChanges): HttpTransport;
}

/** Starts a receiver that responds with 200 before each test, and closes it and all transports afterwards. */
export function withReceiver(): ReceiverFixture {
  const opened: HttpTransport[] = [];
  let server: RawServer;
  beforeEach(async () => {
    server = await startRawServer((socket) => socket.write(bareResponse("200 OK")));
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await server[Symbol.asyncDispose]();
  });
  return {
    get server() {
      return server;
    },
    open(changes) {
      const made = testTransport({ connectMs: 1_000, ...changes });
      opened.push(made);
      return made;
    },
  };
}

/** A request of four bytes without headers, unless overridden. */
export function postTo(
  transport: HttpTransport,
  origin: string,
  limits: Partial<PostLimits> = {},
  signal: AbortSignal = never,
  body: Buffer = Buffer.from("body"),
): Promise<PostResult> {
  const target = { origin, path: "/", headers: {} };
  return transport.post({ target, body, tenant: "project" }, { ...postLimits, ...limits }, signal);
}

/** Resolves any name to these addresses, and records the requested names. */
export function lookupOf(...addresses: readonly string[]): {
  readonly lookup: Lookup;
  readonly asked: string[];
} {
  const asked: string[] = [];
  const found = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const lookup: Lookup = async (name) => {
    asked.push(name);
    return found;
  };
  return { lookup, asked };
}

/** A result's meaning in the delivery table, and its message. */
export function told(result: PostResult): string {
  const verdict = classify(result, {
    endpoint: "http://r/",
    scope: "operator",
    authenticated: false,
    nowMs: 0,
  });
  const lost = "responseLost" in verdict && verdict.responseLost ? " lost" : "";
  const kind = verdict.kind === "retry" ? verdict.reason : verdict.kind;
  return `${kind}${lost}: ${"message" in verdict ? verdict.message : ""}`;
}

export function bareResponse(status: string, ...fields: readonly string[]): string {
  return `HTTP/1.1 ${status}\r\n${fields.map((field) => `${field}\r\n`).join("")}content-length: 0\r\n\r\n`;
}
