import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Compression } from "../../src/exporter/policy/spec/types.ts";
import { hasZstd } from "../../src/exporter/remote-write/encoding/compression.ts";
import { destinationAt, openEndpoints } from "../support/receiver/endpoints.ts";
import { never, smallRequest } from "../support/receiver/requests.ts";
import { flushVictoriaMetrics, readPrometheus, readVictoriaMetrics } from "../support/samples.ts";
import { startPrometheus, startVictoriaMetrics, victoriaMetricsBuild } from "../support/servers.ts";

/** `compression` with real receivers, behind a proxy that notes what passes. */

const { isNewer } = await victoriaMetricsBuild();
const nowMs = Math.floor(Date.now() / 1_000) * 1_000;
const seen: { url: string; encoding: unknown; bytes: number; status: number }[] = [];
let target = 0;
let proxy: Server;
let base: string;
beforeAll(async () => {
  proxy = createServer((incoming, response) => {
    const entry = {
      url: incoming.url ?? "",
      encoding: incoming.headers["content-encoding"],
      bytes: 0,
      status: 0,
    };
    seen.push(entry);
    const { method, url, headers } = incoming;
    const onward = httpRequest(
      { port: target, host: "127.0.0.1", method, path: url, headers },
      (received) => {
        entry.status = received.statusCode ?? 0;
        response.writeHead(entry.status, received.headers);
        received.pipe(response);
      },
    );
    incoming.on("data", (chunk: Buffer) => {
      entry.bytes += chunk.length;
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});
afterEach(() => seen.splice(0));
afterAll(() => {
  proxy.closeAllConnections();
  return new Promise((resolve) => proxy.close(resolve));
});

/** Sends two requests of 50 series. */
async function sendTwo(compression: Compression): Promise<void> {
  const endpoints = openEndpoints();
  const destination = destinationAt(endpoints, `${base}/api/v1/write`, { compression });
  for (const ms of [nowMs - 1_000, nowMs]) {
    expect(await destination.sender.send(smallRequest(50, ms), never)).toMatchObject({ kind: "delivered" });
  }
  await endpoints.close();
}

const span = {
  ...{ fromMs: nowMs - 60_000, toMs: nowMs + 60_000 },
  matchers: [
    { name: "__name__", type: "=", value: "up" } as const,
    { name: "n", type: "=~", value: ".+" } as const,
  ],
};

describe.skipIf(!isNewer || !hasZstd)("a real VictoriaMetrics that takes zstd", () => {
  test.each<[Compression, number]>([
    ["auto", 3],
    ["zstd", 2],
  ])("%s: every sample arrives, in fewer bytes", async (compression, requests) => {
    await using store = await startVictoriaMetrics();
    target = Number(new URL(store.url).port);
    await sendTwo("snappy");
    const snappy = seen.splice(0);
    await sendTwo(compression);
    expect(seen).toHaveLength(requests);
    const [last] = seen.slice(-1);
    expect(last?.encoding).toBe("zstd");
    expect((last?.bytes ?? 0) / (snappy.at(-1)?.bytes ?? 0)).toBeLessThan(0.9);
    await flushVictoriaMetrics(store.url, never);
    const { series } = await readVictoriaMetrics(store.url, span, never);
    // It keeps each repeat, too.
    expect([...series.values()].flatMap(({ timestampsMs }) => timestampsMs)).toHaveLength(2 * 2 * 50);
  });
});

describe("auto, with a receiver that knows snappy only", () => {
  test("a real Prometheus is asked once, and gets every sample with snappy", async () => {
    await using store = await startPrometheus();
    target = Number(new URL(store.url).port);
    await sendTwo("auto");
    const encodings = seen.filter(({ status }) => status === 204).map(({ encoding }) => encoding);
    expect(encodings).toEqual(["snappy", "snappy"]);
    expect(seen.filter(({ url }) => url.includes("get_vm_proto_version"))).toHaveLength(hasZstd ? 1 : 0);
    const { series } = await readPrometheus(store.url, span, never);
    expect(series.size).toBe(50);
  });
});
