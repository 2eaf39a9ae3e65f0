import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Agent } from "undici";
import { afterEach, describe, expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { createPlaneClient } from "./plane-client.ts";
import { Throttle } from "./throttle.ts";
import { noBearer } from "./token-provider.ts";

const never = new AbortController().signal;

/** A clock on which pauses take no time. */
class LeapingClock extends TestClock {
  override async sleep(ms: number, signal: AbortSignal): Promise<void> {
    this.pauses.push(ms);
    await new Promise((resolve) => setImmediate(resolve));
    signal.throwIfAborted();
    this.advance(ms);
  }
}

describe("a server that asks for a pause", () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  /** @param answer gets the number of the request, from 0 */
  async function setUp(answer: (number: number, response: ServerResponse) => void) {
    let requests = 0;
    const server = createServer((request: IncomingMessage, response) => {
      request.resume().on("end", () => answer(requests++, response));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const dispatcher = new Agent();
    closers.push(async () => {
      await dispatcher.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    const clock = new LeapingClock(0);
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const throttle = new Throttle(clock);
    const client = () => createPlaneClient({ base, bearer: noBearer, dispatcher, throttle, silentMs: 1_000 });
    return { clock, client, requests: () => requests };
  }

  const refuse = (response: ServerResponse, headers: Record<string, string>): void => {
    response.writeHead(429, headers).end('{"message":"Too many requests"}');
  };
  const refused = { outcome: "rejected", code: 429, message: "HTTP 429: Too many requests" };

  test("gets it from all clients, then the request again", async () => {
    const { clock, client, requests } = await setUp((number, response) => {
      if (number === 0) refuse(response, { "retry-after": "2" });
      else response.end("{}");
    });
    expect(await client().send("PATCH", "/a", { body: {} }, never)).toEqual({ outcome: "ok", json: {} });
    expect([clock.pauses, requests()]).toEqual([[2_000], 2]);
  });

  test("other requests wait, those of other clients too", async () => {
    const { clock, client, requests } = await setUp((_, response) =>
      refuse(response, { "retry-after": "5" }),
    );
    const watch = await client().watch("/a", {}, () => undefined, never);
    expect([watch, clock.pauses]).toEqual([refused, []]);
    await client().ready(never);
    expect([clock.pauses, requests()]).toEqual([[5_000], 1]);
    await client().ready(never);
    expect(clock.pauses).toEqual([5_000]);
  });

  test.each([
    ["without a time", {}, 1],
    ["until a date", { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }, 1],
    ["too long", { "retry-after": "3600" }, 1],
    ["again and again", { "retry-after": "1" }, 11],
  ])("%s: the refusal is the outcome", async (_, headers, tries) => {
    const { client, requests } = await setUp((__, response) => refuse(response, headers));
    expect(await client().send("GET", "/a", {}, never)).toEqual(refused);
    expect(requests()).toBe(tries);
  });
});
