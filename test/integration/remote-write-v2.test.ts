import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import type { Destination } from "../../src/exporter/remote-write/destination.ts";
import type { EncodedRequest } from "../../src/exporter/remote-write/encoding/request.ts";
import {
  type MetricMetadata,
  metricTypes,
} from "../../src/exporter/remote-write/encoding/write-request-v2.ts";
import type { ProtocolSetting } from "../../src/exporter/remote-write/endpoint/endpoint-state.ts";
import { SampleBuffer, Series } from "../../src/exporter/series/series.ts";
import { destinationAt, openEndpoints } from "../support/receiver/endpoints.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { never } from "../support/receiver/requests.ts";
import { speakVersion2 } from "../support/receiver/speak-version-2.ts";
import { readPrometheus, readVictoriaMetrics } from "../support/samples.ts";
import {
  prometheusBuild,
  type RunningServer,
  startPrometheus,
  startVictoriaMetrics,
} from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";

const nowMs = Math.floor(Date.now() / 1_000) * 1_000;
let receiver: Receiver;
setUpAll(async ({ keep }) => {
  receiver = await keep(startReceiver());
});
afterEach(() => {
  receiver.respond(() => undefined);
  receiver.clear();
});

function connectTo(
  endpoint: string,
  protocol: ProtocolSetting,
  metadataOf?: (name: string) => MetricMetadata | undefined,
): Destination {
  const endpoints = openEndpoints({ protocol });
  onTestFinished(() => endpoints.close());
  return destinationAt(endpoints, endpoint, { retry: { maxAttempts: 2, backoffMs: 10 }, metadataOf });
}

/** Two series of two samples each, in the destination's current protocol. */
function build(destination: Destination, job: string): EncodedRequest {
  const values = [0.5, 1.5];
  return buildSeries(destination, [
    { name: "v2_first", job, values },
    { name: "v2_second", job, values },
  ]);
}

/** Timestamps of this many samples, a second apart. */
function timesOf(count: number, fromMs = nowMs - 10_000): number[] {
  return Array.from({ length: count }, (_, index) => fromMs + index * 1_000);
}

/** NaN represents a staleness marker. */
function buildSeries(
  destination: Destination,
  series: readonly { readonly name: string; readonly job: string; readonly values: readonly number[] }[],
  fromMs?: number,
): EncodedRequest {
  const builder = destination.newBuilder();
  for (const { name, job, values } of series) {
    const samples = new SampleBuffer();
    samples.reserve(values.length);
    for (const [index, ms] of timesOf(values.length, fromMs).entries()) {
      samples.timestampsMs[index] = ms;
      const value = values[index]!;
      if (Number.isNaN(value)) samples.setStale(index);
      else samples.values[index] = value;
    }
    const labels = [
      { name: "__name__", value: name },
      { name: "job", value: job },
    ];
    const form = destination.encoder().encode(new Series(labels));
    if (form.kind === "series") builder.append(form, samples, 0, values.length);
  }
  return builder.finish();
}

const types = () => receiver.requests.map(({ headers }) => String(headers["content-type"]));
const version1 = "application/x-protobuf";
const version2 = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

describe("a receiver that speaks 2.0 by the specification", () => {
  test("takes it, and proves itself with the first request", async () => {
    const speaking = speakVersion2();
    receiver.respond(speaking.script);
    const help = { type: "gauge", help: "How warm it is.", unit: "celsius" } as const;
    const destination = connectTo(receiver.url, "2.0", (name) => (name === "v2_first" ? help : undefined));
    for (let n = 0; n < 2; n++) {
      expect(await destination.sender.send(build(destination, "x"), never)).toEqual({
        kind: "delivered",
        status: 204,
      });
    }
    expect(destination.state.proven).toBe(true);
    expect(types()).toEqual([version2, version2]);
    expect(speaking.series.slice(0, 2)).toEqual([
      {
        labels: [
          { name: "__name__", value: "v2_first" },
          { name: "job", value: "x" },
        ],
        samples: [
          { timestampMs: nowMs - 10_000, value: 0.5 },
          { timestampMs: nowMs - 9_000, value: 1.5 },
        ],
        metadata: { type: 2, help: "How warm it is.", unit: "celsius" },
      },
      {
        labels: [
          { name: "__name__", value: "v2_second" },
          { name: "job", value: "x" },
        ],
        samples: [
          { timestampMs: nowMs - 10_000, value: 0.5 },
          { timestampMs: nowMs - 9_000, value: 1.5 },
        ],
      },
    ]);
  });

  test("that wrote less than was sent is believed about that", async () => {
    receiver.respond(speakVersion2({ writes: (samples) => samples - 1 }).script);
    const destination = connectTo(receiver.url, "2.0");
    const outcome = await destination.sender.send(build(destination, "x"), never);
    expect(outcome).toEqual({ kind: "delivered", status: 204, unwritten: 1 });
  });

  test("and nothing else is found with auto", async () => {
    const speaking = speakVersion2({ only: true });
    receiver.respond(speaking.script);
    const destination = connectTo(receiver.url, "auto");
    expect(await destination.sender.send(build(destination, "x"), never)).toMatchObject({
      kind: "delivered",
    });
    expect(types()).toEqual([version1, version2]);
    expect(speaking.series).toHaveLength(2);
    expect(await destination.sender.send(build(destination, "x"), never)).toMatchObject({
      kind: "delivered",
    });
    expect(types()).toEqual([version1, version2, version2]);
  });
});

describe("receivers that know only 1.0: nothing is lost, and 1.0 stays", () => {
  test.each([
    ["a 204 without counts", 204],
    ["a 400", 400],
    ["a 415", 415],
  ])("%s to 2.0", async (_, status) => {
    receiver.respond(({ headers }) =>
      headers["content-type"] === version2 ? { status, store: false } : undefined,
    );
    const destination = connectTo(receiver.url, "2.0");
    expect(await destination.sender.send(build(destination, "x"), never)).toEqual({
      kind: "delivered",
      status: 204,
    });
    expect(receiver.samples().size).toBe(4);
    expect(await destination.sender.send(build(destination, "x"), never)).toMatchObject({
      kind: "delivered",
    });
    expect(types()).toEqual([version2, version1, version1]);
  });

  test("the real ones of today's distributions, which response 204 and store nothing", async () => {
    const old = [await startVictoriaMetrics(), await startPrometheus()];
    for (const [index, server] of old.entries()) {
      const destination = connectTo(`${server.url}/api/v1/write`, "2.0");
      const job = `fallback-${index}`;
      expect(await destination.sender.send(build(destination, job), never)).toMatchObject({
        kind: "delivered",
      });
      await expectFourSamples(server, job);
      await server[Symbol.asyncDispose]();
    }
  });
});

/** Reads until the four samples are visible; VictoriaMetrics shows them after about a second. */
async function expectFourSamples(server: RunningServer, job: string): Promise<void> {
  const span = {
    matchers: [{ name: "job", type: "=" as const, value: job }],
    fromMs: nowMs - 20_000,
    toMs: nowMs,
  };
  const read = job.endsWith("0") ? readVictoriaMetrics : readPrometheus;
  await expect.poll(async () => (await read(server.url, span, never)).size, { timeout: 120_000 }).toBe(4);
}

const describeReal = (await prometheusBuild()).major === 3 ? describe : describe.skip;
describeReal("a real Prometheus >= 3, where PROMETHEUS_BIN names one", () => {
  const job = "real";
  const span = {
    matchers: [{ name: "job", type: "=" as const, value: job }],
    fromMs: nowMs - 60_000,
    toMs: nowMs,
  };

  test("takes 2.0, says how much it wrote, and holds every sample bit for bit", async () => {
    await using server = await startPrometheus();
    const destination = connectTo(`${server.url}/api/v1/write`, "2.0");
    // Without a negative zero, which remote read cannot represent.
    const values = [0.1, Number.MAX_VALUE, 5e-324, Infinity, -Infinity, Number.NaN];
    const request = buildSeries(destination, [{ name: "v2_bits", job, values }]);
    expect(await destination.sender.send(request, never)).toEqual({ kind: "delivered", status: 204 });
    expect(destination.state.proven).toBe(true);
    const { series } = await readPrometheus(server.url, span, never);
    // Remote read identifies a marker by its bits; any other NaN is an error.
    expect([...series.values()]).toEqual([{ timestampsMs: timesOf(values.length), values }]);
  });

  test("hands type, help and unit on", async () => {
    const speaking = speakVersion2();
    receiver.respond(speaking.script);
    const remote = `remote_write: [{ url: "${receiver.url}", protobuf_message: io.prometheus.write.v2.Request }]`;
    await using server = await startPrometheus({
      scrapeConfig: `scrape_configs: []\n${remote}\n`,
      flags: ["--enable-feature=metadata-wal-records"],
    });
    const metadata = { type: "gauge", help: "How warm it is.", unit: "celsius" } as const;
    const destination = connectTo(`${server.url}/api/v1/write`, "2.0", () => metadata);
    await expect
      .poll(
        async () => {
          // Samples are forwarded only after its watcher has started, so the first may be missing.
          const request = buildSeries(destination, [{ name: "v2_warm", job, values: [1] }], Date.now());
          expect(await destination.sender.send(request, never)).toMatchObject({ kind: "delivered" });
          return speaking.series.find(({ labels }) => labels.some(({ value }) => value === "v2_warm"))
            ?.metadata;
        },
        { timeout: 60_000, interval: 250 },
      )
      .toEqual({ ...metadata, type: metricTypes.gauge });
  });

  test("writes the good samples of a request that it refuses: they are delivered, and not sent again", async () => {
    await using server = await startPrometheus();
    const destination = connectTo(`${server.url}/api/v1/write`, "2.0");
    const first = buildSeries(destination, [{ name: "v2_late", job, values: [1, 2, 3] }]);
    expect(await destination.sender.send(first, never)).toMatchObject({ kind: "delivered" });
    const second = buildSeries(destination, [
      { name: "v2_good", job, values: [1, 2, 3, 4] },
      // Its first two samples are older than the stored ones.
      { name: "v2_late", job, values: [9, 9, 3, 4] },
    ]);
    expect(await destination.sender.send(second, never)).toMatchObject({
      kind: "rejected",
      status: 400,
      written: 6,
    });
    const { size } = await readPrometheus(server.url, span, never);
    expect(size).toBe(8);
  });

  test("that has 2.0 switched off responds with 415 and gets the samples as 1.0", async () => {
    await using server = await startPrometheus({
      flags: ["--web.remote-write-receiver.accepted-protobuf-messages=prometheus.WriteRequest"],
    });
    const destination = connectTo(`${server.url}/api/v1/write`, "2.0");
    const one = buildSeries(destination, [{ name: "v2_off", job, values: [1] }]);
    expect(await destination.sender.send(one, never)).toEqual({ kind: "delivered", status: 204 });
    expect(destination.state.protocol).toBe("1.0");
    const next = buildSeries(destination, [{ name: "v2_off", job, values: [1, 2, 3] }], nowMs + 10_000);
    expect(next.protocol).toBe("1.0");
    expect(await destination.sender.send(next, never)).toEqual({ kind: "delivered", status: 204 });
  });
});
