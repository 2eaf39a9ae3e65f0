import { uncompressSync } from "snappy";
import { afterEach, expect, test } from "vitest";
import { remoteWrite2 } from "../../../test/support/receiver/protocol.ts";
import { seriesOf } from "../../../test/support/store/series.ts";
import { systemClock } from "../../base/core/clock.ts";
import { silentLogger } from "../../base/log/log.ts";
import { SampleBuffer } from "../series/series.ts";
import type { Destination } from "./destination.ts";
import { convertRequest } from "./encoding/convert-request.ts";
import type { EncodedRequest } from "./encoding/request.ts";
import { readBody } from "./encoding/request-body.ts";
import type { EndpointSettings } from "./endpoint/endpoint-settings.ts";
import { Endpoints } from "./endpoints.ts";
import { RemoteWriteMetrics } from "./send/metrics.ts";

const entry: EndpointSettings = {
  ...{
    urlPrefix: "http://legacy.test/",
    tenants: false,
    environmentCredentials: false,
    headers: {},
    tls: {},
    names: "legacy",
  },
  ...{ externalLabels: {}, dropLabels: [], maxSamplesPerSecond: 0 },
};
const endpoints = new Endpoints(
  { endpoints: [entry], protocol: "auto", egress: { deny: [], allow: [], trustProxy: false } },
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
    credentials: () => undefined,
    interrupt: () => new AbortController().signal,
    metadataOf: (name) => ({ type: "gauge", help: `Help of ${name}.`, unit: "" }),
  });
  if (destination.kind === "invalid") throw new Error(destination.message);
  return destination;
}

test("what is known of an endpoint is a tenant's own, and shared by its sinks", () => {
  const url = "http://receiver.test/api/v1/write";
  const one = connect("one", url);
  one.state.learnSize({ bytes: 1_000, samples: 1 }, 0);
  one.state.tryVersion2();
  expect(connect("one", url).state).toBe(one.state);
  const other = connect("other", url).state;
  expect([other.maxRequest(0).bytes, other.protocol]).toEqual([Infinity, "1.0"]);
  expect(connect("one", `${url}/other`).state).not.toBe(one.state);
});

function requestOf(destination: Destination, name: string): EncodedRequest {
  const encoded = destination.encoder().encode(seriesOf(name));
  if (encoded.kind !== "series") throw new Error(encoded.message);
  const builder = destination.newBuilder();
  builder.append(encoded, new SampleBuffer(), 0, 1);
  return builder.finish();
}

test.each([
  ["as they are", "http://names.test/write", "ключ.a"],
  ["legal, as configured", "http://legacy.test/write", "_____a"],
])(
  "names: %s, in a request that is sent in another protocol than it was built for, too",
  (_, url, expected) => {
    const destination = connect("one", url);
    const first = requestOf(destination, "ключ.a");
    destination.state.tryVersion2();
    const second = requestOf(destination, "ключ.a");
    expect([first.protocol, second.protocol]).toEqual(["1.0", "2.0"]);
    const [converted] = readBody(convertRequest(first, "2.0").request);
    expect(converted).toEqual(readBody(second)[0]);
    expect(converted?.labels).toEqual([{ name: "__name__", value: expected }]);
    destination.state.learnLegacyNames();
    expect(readBody(requestOf(destination, "ключ.a"))[0]?.labels[0]?.value).toBe("_____a");
  },
);

test("a project's 2.0 requests have the metadata of its own series, and no other", () => {
  const destination = connect("one", "http://version2.test/api/v1/write");
  destination.state.tryVersion2();
  const body = uncompressSync(requestOf(destination, "up").payload, { asBuffer: true }) as Buffer;
  const { symbols, timeseries } = remoteWrite2.Request.decode(body);
  expect(symbols).toEqual(["", "__name__", "up", "Help of up."]);
  expect(timeseries[0]?.metadata?.helpRef).toBe(3);
});
