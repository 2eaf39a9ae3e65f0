import { uncompressSync } from "snappy";
import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../../base/core/clock.ts";
import { silentLogger } from "../../../base/core/log.ts";
import { SampleBuffer, Series } from "../../series/series.ts";
import { io } from "../encoding/gen/remote-write-2.0.js";
import { RemoteWriteMetrics } from "../metrics.ts";
import { type Destination, Endpoints } from "./endpoints.ts";

const endpoints = new Endpoints(
  { endpoints: [], protocol: "auto", egress: { deny: [], allow: [], trustProxy: false } },
  {
    ...{ clock: systemClock, random: Math.random, log: silentLogger },
    metrics: new RemoteWriteMetrics(),
    userAgent: "telemetryd/test",
  },
);
afterEach(() => endpoints.close());

function connect(tenant: string, endpoint: string): Destination {
  const destination = endpoints.destinationOf({
    ...{ endpoint, tenant, scope: "tenant", retry: { maxAttempts: 1, backoffMs: 1 } },
    basicAuth: () => undefined,
    interrupt: () => new AbortController().signal,
    metadataOf: (name) => ({ type: "gauge", help: `Help of ${name}.`, unit: "" }),
  });
  if (destination.kind === "invalid") throw new Error(destination.message);
  return destination;
}

test("what is known of an endpoint is a tenant's own, and shared by its sinks", () => {
  const url = "http://receiver.test/api/v1/write";
  const one = connect("one", url);
  one.state.tooLarge(1_000, 0);
  one.state.tryVersion2();
  expect(connect("one", url).state).toBe(one.state);
  const other = connect("other", url).state;
  expect([other.maxRequestBytes(0), other.protocol]).toEqual([Infinity, "1.0"]);
  expect(connect("one", `${url}/other`).state).not.toBe(one.state);
});

test("a project's 2.0 requests have the metadata of its own series, and no other", () => {
  const destination = connect("one", "http://version2.test/api/v1/write");
  destination.state.tryVersion2();
  const encoded = destination.encoder().encode(new Series([{ name: "__name__", value: "up" }]));
  if (encoded.kind === "invalid") throw new Error(encoded.message);
  const builder = destination.newBuilder();
  builder.append(encoded, new SampleBuffer(), 0, 1);
  const body = uncompressSync(builder.finish().payload, { asBuffer: true }) as Buffer;
  const { symbols, timeseries } = io.prometheus.write.v2.Request.decode(body);
  expect(symbols).toEqual(["", "__name__", "up", "Help of up."]);
  expect(timeseries[0]?.metadata?.helpRef).toBe(3);
});
