import { request } from "node:http";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { afterEach, expect, test } from "vitest";
import { until } from "../../../test/support/until.ts";
import { readTapped, type TappedRequest, Taps } from "../../exporter/remote-write/tap.ts";
import { tapRoutes } from "./tap-routes.ts";

let close: () => unknown;
afterEach(() => close());

async function started(taps: Taps) {
  const app = Fastify();
  close = () => app.close();
  app.register(tapRoutes({ taps, hasSink: (name) => name === "a/b/c" }), { prefix: "/api/v1/tap" });
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}

const headers = { "x-telemetryd-command": "tap" };

test("only a command gets the requests of a sink, and only of one that runs", async () => {
  const port = await started(new Taps());
  const url = `http://127.0.0.1:${port}/api/v1/tap?sink=`;
  expect((await fetch(`${url}a/b/c`)).status).toBe(403);
  const unknown = await fetch(`${url}a/b/d`, { headers });
  expect([unknown.status, await unknown.text()]).toEqual([404, "this daemon runs no such sink\n"]);
});

test("a reader that stops reading misses requests, which are counted, and nothing is kept for one that has gone", async () => {
  let listening = 0;
  class CountedTaps extends Taps {
    override listen(...args: Parameters<Taps["listen"]>) {
      listening++;
      const end = super.listen(...args);
      return () => {
        listening--;
        return end();
      };
    }
  }
  const taps = new CountedTaps();
  const port = await started(taps);
  const offered = 200;
  const payload = Buffer.alloc(1_024 * 1_024, 1);
  const offer = () =>
    taps.offer(() => "a/b/c", { payload, protocol: "1.0" } as never, { kind: "delivered", status: 200 }, 1);
  const response = await new Promise<AsyncIterable<Uint8Array>>((resolve, reject) => {
    request({ port, path: "/api/v1/tap?sink=a/b/c", headers }, resolve).on("error", reject).end();
  });
  await until("the tap is open", () => listening === 1);
  for (let count = 0; count < offered; count++) offer();
  const reader = readTapped(response);
  const read: TappedRequest[] = [];
  let missed = 0;
  const last = async () => {
    const { value } = await reader.next();
    read.push(value as TappedRequest);
    missed += (value as TappedRequest).missed;
  };
  await last();
  // What waits for the reader is bounded; the next request that has room says how many had none.
  while (missed === 0) {
    offer();
    await last();
  }
  expect(missed).toBeGreaterThan(offered / 2);
  expect(read.every((one) => one.payload.equals(payload))).toBe(true);
  await reader.return(undefined);
  await until("the tap is closed", () => listening === 0);
});
