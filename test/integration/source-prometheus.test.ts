import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import snappy from "snappy";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StoreReader } from "../../src/exporter/metrics-store/store-reader.ts";
import { remoteRead } from "../support/receiver/protocol.ts";
import { readPrometheus, seriesKey, type WrittenSeries, writeByRemoteWrite } from "../support/samples.ts";
import { prometheusBuild, type RunningServer, startPrometheus } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { decodeReadRequest, withoutChunks } from "../support/store/remote-read-request.ts";
import {
  encodeChunkedResponse,
  encodeFrame,
  encodeSamplesResponse,
} from "../support/store/remote-read-response.ts";
import { closeReaders, type ReadSeries, readAll, readerOf, staleBits } from "../support/store/store-reads.ts";
import { encodeXorChunk } from "../support/store/xor-chunk.ts";

const forever = new AbortController().signal;
/** A whole second, half an hour ago: recent enough to be accepted. */
const baseMs = Math.floor(Date.now() / 1_000) * 1_000 - 1_800_000;
const window = { fromMs: baseMs - 1, toMs: baseMs + 600_000 };

function written(
  labels: Record<string, string>,
  samples: readonly (readonly [number, number])[],
): WrittenSeries {
  return {
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    samples: samples.map(([offsetMs, value]) => ({ timestampMs: baseMs + offsetMs, value })),
  };
}

const everyMs = Array.from({ length: 2_001 }, (_, index) => [index, index / 7] as const);
const fixture = [
  written({ __name__: "every_ms" }, everyMs),
  written({ __name__: "marked", job: "a" }, [
    [0, 1],
    [1_000, Number.NaN],
    [2_000, 2.5],
  ]),
  written({ __name__: "stale_first" }, [[0, Number.NaN]]),
  written({ __name__: "extremes" }, [
    [0, Number.POSITIVE_INFINITY],
    [1_000, Number.NEGATIVE_INFINITY],
    [2_000, Number.MAX_VALUE],
    [3_000, Number.MIN_VALUE],
    [4_000, -0],
    [5_000, 0.1],
  ]),
  written({ __name__: "odd", text: 'ü€😀 "quoted" \\ } \n', empty_not: "x" }, [[0, 1]]),
  written({ __name__: "owned", project: 'we"b\\' }, [[0, 1]]),
  written({ __name__: "owned", project: "shop" }, [[0, 2]]),
  written({ __name__: "owned" }, [[0, 3]]),
  ...Array.from({ length: 3_000 }, (_, index) =>
    written({ __name__: "many", index: String(index), parity: String(index % 2) }, [
      [0, index],
      [15_000, index + 0.5],
      [30_000, index === 7 ? Number.NaN : index + 0.25],
    ]),
  ),
];

function keysOf(series: readonly ReadSeries[]): string[] {
  return series.map(({ labels }) => JSON.stringify(labels)).sort();
}

let store: RunningServer;
/** The same samples in XOR2 chunks, where this Prometheus supports them; otherwise the same store. */
let xor2Store: RunningServer;

setUpAll(async ({ keep, onEnd }) => {
  onEnd(closeReaders);
  store = await keep(startPrometheus());
  await writeByRemoteWrite(`${store.url}/api/v1/write`, fixture, forever);
  xor2Store = store;
  if ((await prometheusBuild()).hasXor2) {
    xor2Store = await keep(startPrometheus({ floatChunks: "xor2" }));
    await writeByRemoteWrite(`${xor2Store.url}/api/v1/write`, fixture, forever);
  }
});

/** A proxy in front of the store that does not support chunks, like older servers. */
class SamplesOnly {
  readonly #server: Server;
  constructor() {
    this.#server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        this.#forward(request.url ?? "/", Buffer.concat(pieces)).then(
          ({ status, type, body }) => response.writeHead(status, { "content-type": type }).end(body),
          () => response.destroy(),
        );
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, "127.0.0.1", done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #forward(path: string, body: Buffer): Promise<{ status: number; type: string; body: Buffer }> {
    const response = await fetch(`${store.url}${path}`, {
      ...(path === "/api/v1/read" && {
        method: "POST",
        body: withoutChunks(body),
        headers: { "content-encoding": "snappy" },
      }),
    });
    const type = response.headers.get("content-type") ?? "";
    return { status: response.status, type, body: Buffer.from(await response.arrayBuffer()) };
  }
}

/** The response type that the request prefers. */
function formOf(body: Buffer): "chunks" | "samples" {
  const { STREAMED_XOR_CHUNKS } = remoteRead.ResponseType;
  return decodeReadRequest(body).acceptedResponseTypes[0] === STREAMED_XOR_CHUNKS ? "chunks" : "samples";
}

const samplesOnly = new SamplesOnly();

describe.each([
  ["as a stream of chunks", async () => store.url],
  ["as a stream of XOR2 chunks", async () => xor2Store.url],
  ["as one message of samples", () => samplesOnly.start()],
] as const)("raw samples of a real Prometheus, %s", (way, start) => {
  let reader: StoreReader;

  beforeAll(async () => {
    reader = readerOf(await start());
  });

  afterAll(async () => {
    if (way === "as one message of samples") await samplesOnly.stop();
  });

  test("everything that was written is read, bit for bit: markers, infinities, the largest and the smallest", async () => {
    const { outcome, series } = await readAll(reader, { selector: "{}", window });
    expect(outcome).toMatchObject({ kind: "complete", series: fixture.length, invalidLines: 0 });
    const read = new Map(
      series.map((one) => [
        seriesKey(Object.entries(one.labels).map(([name, value]) => ({ name, value }))),
        one.times.map((timeMs, index) => [timeMs, one.bits[index]]),
      ]),
    );
    expect(read.size).toBe(fixture.length);
    for (const { labels, samples } of fixture) {
      // Prometheus omits values equal to 0 from a message, and thus the sign of a negative zero.
      const expected = samples.map(({ timestampMs, value }) => [
        timestampMs,
        bitsOf(value === 0 && way === "as one message of samples" ? 0 : value),
      ]);
      expect(read.get(seriesKey(labels)), seriesKey(labels)).toEqual(expected);
    }
  });

  test("the same as another client reads", async () => {
    const matchers = [{ name: "__name__", type: "=~", value: "many|every_ms|marked" }] as const;
    const other = await readPrometheus(
      store.url,
      { matchers, fromMs: window.fromMs + 1, toMs: window.toMs },
      forever,
    );
    const { outcome } = await readAll(reader, { selector: '{__name__=~"many|every_ms|marked"}', window });
    expect(outcome).toMatchObject({ kind: "complete", samples: other.size });
  });

  test.each([
    [0, 2_000],
    [-1, 2_000],
    [0, 1],
    [998, 1_001],
    [999, 1_000],
    [1_999, 2_001],
    [2_000, 3_000],
    [-500, -1],
  ])("a window is exact to the millisecond: (%i, %i]", async (from, to) => {
    const { outcome, series } = await readAll(reader, {
      selector: "every_ms",
      window: { fromMs: baseMs + from, toMs: baseMs + to },
    });
    const expected = everyMs.filter(([offsetMs]) => offsetMs > from && offsetMs <= to);
    expect(outcome).toMatchObject({ kind: "complete", samples: expected.length });
    expect(series.flatMap(({ times }) => times)).toEqual(expected.map(([offsetMs]) => baseMs + offsetMs));
  });

  test("alternatives are all read, and a series that several select goes once", async () => {
    const selector = '{__name__="many",parity="0" or __name__="many",index=~"1?.." or __name__="owned"}';
    const { outcome, series } = await readAll(reader, { selector, window });
    const ofMany = Array.from({ length: 3_000 }, (_, index) => index).filter(
      (index) => index % 2 === 0 || /^1?..$/.test(String(index)),
    );
    expect(outcome).toMatchObject({ kind: "complete", series: ofMany.length + 3 });
    expect(new Set(keysOf(series)).size).toBe(series.length);
  });

  test("a tenant's read holds only its series, whatever the selector says", async () => {
    const tenant = { label: "project", value: 'we"b\\' };
    for (const selector of ["owned", "{}", '{project="shop" or __name__="owned"}', '{project=~".*"}']) {
      const { outcome, series } = await readAll(reader, { selector, tenant, window });
      expect(outcome).toMatchObject({ kind: "complete", series: 1 });
      expect(series[0]?.values).toEqual([1]);
    }
    const other = await readAll(reader, { selector: 'owned{project="shop"}', tenant, window });
    expect(other).toMatchObject({ outcome: { kind: "complete", series: 0 }, series: [] });
  });

  test("a selector that matches nothing is a whole read of nothing", async () => {
    const { outcome } = await readAll(reader, { selector: "there_is_no_such_series", window });
    expect(outcome).toMatchObject({ kind: "complete", series: 0, samples: 0 });
  });
});

test("the filter for Graphite paths is refused", async () => {
  const { outcome } = await readAll(readerOf(store.url), { selector: '{__graphite__="a.*"}', window });
  expect(outcome).toMatchObject({ kind: "failed", reason: "unsupported_selector" });
});

test("what another tenant's read of the same selector gives is not shared", async () => {
  const reader = readerOf(store.url, { concurrency: 1 });
  const values = await Promise.all(
    ['we"b\\', "shop"].map(async (value) => {
      const { series } = await readAll(reader, {
        selector: "owned",
        tenant: { label: "project", value },
        window,
      });
      return series.flatMap((one) => one.values);
    }),
  );
  expect(values).toEqual([[1], [2]]);
});

describe("a response that is not whole is a failure", () => {
  const chunk = {
    type: "XOR" as const,
    minTimeMs: baseMs,
    maxTimeMs: baseMs,
    data: encodeXorChunk([{ timestampMs: baseMs, bits: 1n }]),
  };
  const frame = encodeFrame(encodeChunkedResponse(0, [{ labels: { __name__: "x" }, chunks: [chunk] }]));
  const stream = { "content-type": "application/x-streamed-protobuf; proto=prometheus.ChunkedReadResponse" };
  const samples = { "content-type": "application/x-protobuf", "content-encoding": "snappy" };
  let server: Server;
  let url: string;
  interface Response {
    readonly headers: Record<string, string>;
    readonly body: Buffer;
    readonly cut?: boolean;
  }
  let responses: (form: "chunks" | "samples") => Response;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on("data", (piece: Buffer) => pieces.push(piece));
      request.on("end", () => {
        // It does not tell its external labels.
        if (request.method === "GET") {
          response.writeHead(404).end();
          return;
        }
        const { headers, body, cut } = responses(formOf(Buffer.concat(pieces)));
        response.writeHead(200, headers);
        response.write(body, () => (cut === true ? response.destroy() : response.end()));
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  const flipped = Buffer.from(frame);
  flipped[frame.length - 1]! ^= 1;

  test.each([
    ["a frame cut off", stream, Buffer.concat([frame, frame.subarray(0, -1)]), "incomplete_body", 1],
    ["a frame changed on the way", stream, Buffer.concat([frame, flipped]), "malformed_answer", 1],
    [
      "an error behind the frames",
      stream,
      Buffer.concat([frame, Buffer.from("context deadline exceeded\n")]),
      "store_error",
      1,
    ],
    ["a page", { "content-type": "text/html" }, Buffer.from("<html>"), "malformed_answer", 0],
    ["an empty page", { "content-type": "text/html" }, Buffer.alloc(0), "malformed_answer", 0],
    ["samples that are no snappy", samples, Buffer.from("<html>"), "malformed_answer", 0],
    ["no samples at all", samples, Buffer.from([1]), "malformed_answer", 0],
  ])("%s", async (_, headers, body, reason, passed) => {
    responses = () => ({ headers, body });
    const { outcome, series } = await readAll(readerOf(url, { flavor: "prometheus" }), {
      selector: "x",
      window,
    });
    expect(outcome).toMatchObject({ kind: "failed", reason });
    expect(series).toHaveLength(passed);
  });

  test("chunks of an encoding that is not known are asked for as samples", async () => {
    const unknown = encodeFrame(
      encodeChunkedResponse(0, [{ labels: { __name__: "y" }, chunks: [{ ...chunk, type: 7 }] }]),
    );
    const points = [{ timestampMs: baseMs, bits: 5n }];
    const whole = encodeSamplesResponse([
      ["x", "y"].map((name) => ({ labels: { __name__: name }, samples: points })),
    ]);
    const again = { headers: samples, body: snappy.compressSync(whole) };
    responses = (form) =>
      form === "samples" ? again : { headers: stream, body: Buffer.concat([frame, unknown]) };
    const { outcome, series } = await readAll(readerOf(url, { flavor: "prometheus" }), {
      selector: '{__name__=~"x|y"}',
      window,
    });
    expect(outcome).toMatchObject({ kind: "complete", series: 2, samples: 2, invalidLines: 0 });
    expect(series.map(({ labels }) => labels["__name__"])).toEqual(["x", "y"]);
  });

  test("a connection cut between two frames", async () => {
    responses = () => ({ headers: stream, body: frame, cut: true });
    const { outcome } = await readAll(readerOf(url, { flavor: "prometheus" }), { selector: "x", window });
    expect(outcome).toMatchObject({ kind: "failed", reason: "connection_lost" });
  });

  test("a whole one is complete", async () => {
    responses = () => ({ headers: stream, body: Buffer.concat([frame, frame]) });
    const { outcome } = await readAll(readerOf(url, { flavor: "prometheus" }), { selector: "x", window });
    expect(outcome).toMatchObject({ kind: "complete", series: 2, samples: 2, bytes: 2 * frame.length });
  });
});

function bitsOf(value: number): string {
  if (Number.isNaN(value)) return staleBits;
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes.toString("hex");
}
