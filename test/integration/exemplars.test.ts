import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { compressSync, uncompressSync } from "snappy";
import { beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { Interruption } from "../../src/exporter/delivery/dispatch/interruption.ts";
import { SentExemplars } from "../../src/exporter/delivery/exemplars/sent-exemplars.ts";
import { SinkStates } from "../../src/exporter/delivery/state/sink-states.ts";
import { WindowExport } from "../../src/exporter/delivery/window/window-export.ts";
import type { Destination } from "../../src/exporter/remote-write/destination.ts";
import type { Endpoints } from "../../src/exporter/remote-write/endpoints.ts";
import type { Exemplar } from "../../src/exporter/series/exemplar.ts";
import { destinationAt, openEndpoints } from "../support/receiver/endpoints.ts";
import { remoteWrite1, remoteWrite2 } from "../support/receiver/protocol.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { speakVersion2 } from "../support/receiver/speak-version-2.ts";
import { readPrometheus } from "../support/samples.ts";
import { type RunningServer, startPrometheus } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { windowExportDeps } from "../support/sink/window-export-deps.ts";
import type { RawRequest } from "../support/store/store-reads.ts";
import { Collector, closeReaders, raw, readerOf } from "../support/store/store-reads.ts";

/** Exemplars from a real Prometheus to receivers, a real Prometheus among them. */

const never = new AbortController().signal;
/** A whole minute, a quarter of an hour ago. */
const baseMs = Math.floor(Date.now() / 60_000) * 60_000 - 900_000;
const window = { fromMs: baseMs, toMs: baseMs + 60_000 };

interface Written {
  readonly labels: Readonly<Record<string, string>>;
  /** Times of samples and of exemplars, in ms after the start. */
  readonly samples: readonly number[];
  readonly exemplars: readonly number[];
}

/** By the reference, which shares nothing with the daemon's encoder. The value of an exemplar is its time. */
async function write(url: string, list: readonly Written[]): Promise<void> {
  const timeseries = list.map(({ labels, samples, exemplars }) => ({
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    samples: samples.map((ms) => ({ timestamp: baseMs + ms, value: ms })),
    exemplars: exemplars.map((ms) => ({
      labels: [{ name: "trace_id", value: `trace-${ms}` }],
      timestamp: baseMs + ms,
      value: ms,
    })),
  }));
  const message = remoteWrite1.WriteRequest.encode({ timeseries }).finish();
  const response = await fetch(`${url}/api/v1/write`, {
    method: "POST",
    body: new Uint8Array(compressSync(Buffer.from(message))),
    headers: { "content-type": "application/x-protobuf", "content-encoding": "snappy" },
  });
  expect(response.status).toBe(204);
}

function exemplarOf(ms: number): Exemplar {
  return {
    labels: [{ name: "trace_id", value: `trace-${ms}` }],
    value: ms,
    timestampMs: baseMs + ms,
  };
}

const fixture: readonly Written[] = [
  { labels: { __name__: "latency", le: "1" }, samples: [1_000, 16_000], exemplars: [-30_000, 500, 15_500] },
  { labels: { __name__: "latency", le: "2" }, samples: [1_000, 16_000], exemplars: [900] },
  { labels: { __name__: "only_before" }, samples: [-60_000], exemplars: [-60_000] },
  { labels: { __name__: "owned", project: "shop" }, samples: [1_000], exemplars: [1_000] },
  { labels: { __name__: "owned", project: "other" }, samples: [1_000], exemplars: [1_000] },
];

let store: RunningServer;
/** The same, with external labels. */
let labelled: RunningServer;
let target: RunningServer;
let receiver: Receiver;

setUpAll(async ({ keep, onEnd }) => {
  onEnd(closeReaders);
  const scrapeConfig = 'global: { external_labels: { cluster: "eu \\"1\\"", le: unused } }\n';
  [store, labelled, target] = await Promise.all([
    keep(startPrometheus({ exemplars: true })),
    keep(startPrometheus({ exemplars: true, scrapeConfig })),
    keep(startPrometheus({ exemplars: true })),
  ]);
  for (const { url } of [store, labelled]) await write(url, fixture);
  receiver = await keep(startReceiver());
});
beforeEach(() => receiver.clear());
/** Series by their labels, as text. */
class ExemplarCollector extends Collector {
  readonly exemplars: Record<string, readonly Exemplar[]> = {};

  onExemplars(series: { readonly labels: unknown }, exemplars: readonly Exemplar[]): void {
    this.exemplars[textOf(series.labels)] = exemplars;
  }
}

function textOf(labels: unknown): string {
  const list = labels as readonly { name: string; value: string }[];
  return list.map(({ name, value }) => `${name}=${value}`).join(",");
}

async function read(url: string, request: Partial<RawRequest> & { selector: string }) {
  const collector = new ExemplarCollector();
  const reader = readerOf(url);
  const exemplarsFromMs = window.fromMs - 120_000;
  const outcome = await reader.read(raw({ window, exemplarsFromMs, ...request }), collector, never);
  const failures = await reader.metrics.registry
    .getSingleMetric("telemetryd_source_exemplar_read_failures_total")
    ?.get();
  return { outcome, collector, failures: failures?.values.map(({ labels }) => labels["reason"]) ?? [] };
}

describe("reading", () => {
  test("exemplars of the span, of each alternative of the selector", async () => {
    const { outcome, collector } = await read(store.url, {
      selector: '{__name__="latency",le="1" or __name__="only_before"}',
    });
    expect(outcome.kind).toBe("complete");
    expect(collector.exemplars).toEqual({
      "__name__=latency,le=1": [-30_000, 500, 15_500].map(exemplarOf),
      "__name__=only_before": [exemplarOf(-60_000)],
    });
  });

  test("nothing outside of the span", async () => {
    const { collector } = await read(store.url, {
      selector: "latency",
      window: { fromMs: baseMs, toMs: baseMs + 15_499 },
      exemplarsFromMs: baseMs + 500,
    });
    expect(collector.exemplars).toEqual({ "__name__=latency,le=2": [exemplarOf(900)] });
  });

  test("only the tenant's own", async () => {
    const tenant = { label: "project", value: "shop" };
    const { collector } = await read(store.url, { selector: "owned", tenant });
    expect(collector.exemplars).toEqual({ "__name__=owned,project=shop": [exemplarOf(1_000)] });
  });

  test("external labels are those of the series as remote read returns them", async () => {
    const { collector } = await read(labelled.url, { selector: 'latency{cluster="eu \\"1\\""}' });
    const keys = collector.series.map(({ labels }) =>
      textOf(Object.entries(labels).map(([name, value]) => ({ name, value }))),
    );
    expect(keys).toHaveLength(2);
    expect(Object.keys(collector.exemplars).sort()).toEqual(keys.sort());
  });

  test("a Prometheus without the feature has none, and no failure", async () => {
    await using plain = await startPrometheus();
    await write(plain.url, fixture);
    const { outcome, collector, failures } = await read(plain.url, { selector: "latency" });
    expect(outcome).toMatchObject({ kind: "complete", samples: 4 });
    expect({ exemplars: collector.exemplars, failures }).toEqual({ exemplars: {}, failures: [] });
  });
});

/** In front of the store: responds to requests for exemplars as a test says, and counts them. */
class Front {
  asked = 0;
  readonly #server: Server;

  constructor(respond: (response: ServerResponse) => void) {
    this.#server = createServer((request, response) => {
      if (request.url === "/api/v1/query_exemplars") {
        this.asked++;
        request.resume();
        respond(response);
        return;
      }
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

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }

  async #forward(path: string, body: Buffer) {
    const response = await fetch(`${store.url}${path}`, {
      ...(path === "/api/v1/read" && {
        method: "POST",
        body: new Uint8Array(body),
        headers: { "content-encoding": "snappy" },
      }),
    });
    const type = response.headers.get("content-type") ?? "";
    return { status: response.status, type, body: Buffer.from(await response.arrayBuffer()) };
  }
}

const foreign = JSON.stringify({
  status: "success",
  data: [
    {
      seriesLabels: { __name__: "owned", project: "other" },
      exemplars: [{ labels: { trace_id: "a" }, value: "1", timestamp: baseMs / 1_000 + 1 }],
    },
  ],
});

test.each<[string, string, (response: ServerResponse) => void]>([
  ["an absent endpoint", "not_found", (response) => response.writeHead(404).end()],
  ["an overloaded store", "overloaded", (response) => response.writeHead(503).end()],
  ["a response that is no JSON", "malformed_answer", (response) => response.end("<html>")],
  ["a response that is cut off", "malformed_answer", (response) => response.end('{"status":"success",')],
  ["another tenant's series", "tenant_violation", (response) => response.end(foreign)],
  ["silence", "timeout", () => undefined],
])("%s costs no sample, and is followed by a pause", async (_, reason, respond) => {
  await using front = new Front(respond);
  const url = await front.start();
  const reader = readerOf(url);
  for (let turn = 0; turn < 2; turn++) {
    const collector = new ExemplarCollector();
    const tenant = { label: "project", value: "shop" };
    const request = { selector: "owned", window, tenant, exemplarsFromMs: window.fromMs };
    expect(await reader.read(raw(request), collector, never)).toMatchObject({ kind: "complete", samples: 1 });
    expect(collector.exemplars).toEqual({});
  }
  expect(front.asked).toBe(1);
  const failures = reader.metrics.registry.getSingleMetric("telemetryd_source_exemplar_read_failures_total");
  expect((await failures?.get())?.values).toMatchObject([{ labels: { reason }, value: 1 }]);
});

/** Exports one window of `latency` after another from the store to an endpoint. */
class TestExport implements AsyncDisposable {
  readonly destination: Destination;
  readonly #endpoints: Endpoints;
  readonly #state = new SinkStates();
  #exemplars = new SentExemplars();

  constructor(endpoint: string, protocol: "1.0" | "2.0") {
    this.#endpoints = openEndpoints({ protocol });
    const retry = { maxAttempts: 2, backoffMs: 10 };
    this.destination = destinationAt(this.#endpoints, endpoint, { retry });
  }

  /** As after a restart: what was sent is no longer known. */
  forget(): void {
    this.#exemplars = new SentExemplars();
  }

  /** @returns the samples that were delivered, and those that were rejected */
  async run(fromMs: number, toMs: number): Promise<{ delivered: number; rejected: number }> {
    const total = { delivered: 0, rejected: 0 };
    const reader = readerOf(store.url);
    await this.#state.setCheckpoint("sink", "a", baseMs + fromMs);
    const deps = windowExportDeps({
      state: this.#state,
      read: (request, ...rest) => reader.read({ ...request, selector: "latency" }, ...rest),
      send: () => Promise.reject(new Error("not this one")),
      clock: systemClock,
      maxSize: 1_000,
    });
    const { receiver: to, recorder } = deps.dispatcher;
    recorder.delivered = (samples) => {
      total.delivered += samples;
    };
    recorder.rejected = (samples) => {
      total.rejected += samples;
    };
    const run = new WindowExport(
      { fromMs: baseMs + fromMs, toMs: baseMs + toMs, sources: ["a"], open: undefined },
      {
        ...deps,
        exemplars: this.#exemplars,
        dispatcher: { ...deps.dispatcher, receiver: { ...to, destination: this.destination } },
      },
      { isProbe: false, interruption: new Interruption(), signal: never },
    );
    run.progress.maySend();
    expect((await run.run()).kind).toBe("closed");
    return total;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.destination.sender.close();
    await this.#endpoints.close();
  }
}

/** The times of the exemplars of each series of a request, in ms after the start. */
function exemplarsIn({ body, headers }: ReceivedRequest): Record<string, number[]> {
  const plain = uncompressSync(body, { asBuffer: true }) as Buffer;
  const found: Record<string, number[]> = {};
  if (String(headers["content-type"]).includes("v2")) {
    const { symbols, timeseries } = remoteWrite2.Request.decode(plain);
    for (const { labelsRefs, exemplars } of timeseries) {
      const texts = (labelsRefs ?? []).map((ref) => symbols[ref]);
      found[`le=${texts[3]}`] = (exemplars ?? []).map((one) => {
        expect(one.labelsRefs?.map((ref) => symbols[ref])).toEqual(["trace_id", `trace-${one.value ?? 0}`]);
        return Number(one.timestamp) - baseMs;
      });
    }
    return found;
  }
  for (const { labels, exemplars } of remoteWrite1.WriteRequest.decode(plain).timeseries) {
    found[`le=${labels?.[1]?.value}`] = (exemplars ?? []).map((one) => {
      expect(one.labels).toEqual([{ name: "trace_id", value: `trace-${one.value ?? 0}` }]);
      return Number(one.timestamp) - baseMs;
    });
  }
  return found;
}

describe.each(["1.0", "2.0"] as const)("delivery by protocol %s", (protocol) => {
  test("each exemplar is sent once, with a sample of its series; after a restart, again", async () => {
    receiver.respond(protocol === "2.0" ? speakVersion2({ only: true }).script : () => undefined);
    await using sink = new TestExport(receiver.url, protocol);
    expect(await sink.run(0, 10_000)).toEqual({ delivered: 2, rejected: 0 });
    expect(await sink.run(10_000, 20_000)).toEqual({ delivered: 2, rejected: 0 });
    sink.forget();
    await sink.run(10_000, 20_000);
    expect(receiver.requests.map(exemplarsIn)).toEqual([
      { "le=1": [-30_000, 500], "le=2": [900] },
      { "le=1": [15_500], "le=2": [] },
      { "le=1": [-30_000, 500, 15_500], "le=2": [900] },
    ]);
  });

  test("a receiver that rejects exemplars gets all samples without them", async () => {
    const speaking = speakVersion2({ only: true });
    const accept = (request: ReceivedRequest) => (protocol === "2.0" ? speaking.script(request) : undefined);
    receiver.respond(accept);
    await using sink = new TestExport(receiver.url, protocol);
    await sink.run(0, 10_000);
    receiver.respond((request) => {
      const hasExemplars = Object.values(exemplarsIn(request)).some((list) => list.length > 0);
      if (hasExemplars) return { status: 400, body: "no exemplars here" };
      return accept(request);
    });
    expect(await sink.run(10_000, 20_000)).toEqual({ delivered: 2, rejected: 0 });
  });
});

test("a Prometheus keeps them, and late or repeated ones cost no sample", async () => {
  await using sink = new TestExport(`${target.url}/api/v1/write`, "1.0");
  const stored = async () => {
    const times = `start=${baseMs / 1_000 - 600}&end=${baseMs / 1_000 + 600}`;
    const response = await fetch(`${target.url}/api/v1/query_exemplars?query=latency&${times}`);
    const { data } = (await response.json()) as { data: { exemplars: { value: string }[] }[] };
    return data.map(({ exemplars }) => exemplars.map(({ value }) => Number(value)));
  };
  await sink.run(0, 10_000);
  expect(await stored()).toEqual([[-30_000, 500], [900]]);
  // With the next samples, all of them once more: some are repeated, the others older than the newest one.
  sink.forget();
  expect(await sink.run(10_000, 20_000)).toEqual({ delivered: 2, rejected: 0 });
  expect(await stored()).toEqual([[-30_000, 500, 15_500], [900]]);
  const matchers = [{ name: "__name__", type: "=", value: "latency" }] as const;
  const samples = await readPrometheus(target.url, { ...window, matchers }, never);
  expect(samples.size).toBe(4);
});
