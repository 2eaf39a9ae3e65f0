/** Metadata in requests of its own (remote write 1.0), with the exporter as the daemon runs it. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { loadConfig } from "../../src/app/config/load.ts";
import { createExportTools, type ExportTools } from "../../src/app/daemon/export-tools.ts";
import { type Clock, systemClock } from "../../src/base/core/clock.ts";
import { createLogger, silentLogger } from "../../src/base/log/log.ts";
import { Interruption } from "../../src/exporter/delivery/dispatch/interruption.ts";
import { Exporter } from "../../src/exporter/delivery/exporter.ts";
import { SinkStates } from "../../src/exporter/delivery/state/sink-states.ts";
import type { MetricMetadata } from "../../src/exporter/metrics-store/samples/metadata-decoder.ts";
import { MetricMetadataCache } from "../../src/exporter/metrics-store/samples/metric-metadata.ts";
import type { SinkPlan } from "../../src/exporter/policy/spec/types.ts";
import { type ReceivedRequest, type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { speakVersion2 } from "../support/receiver/speak-version-2.ts";
import { startPrometheus } from "../support/servers.ts";
import { startSink, type TestSink, type TestSinkOptions } from "../support/sink/sink.ts";
import { until } from "../support/until.ts";

const names = ["a", "b_total", "c_bucket"];
let receiver: Receiver;
let lines: string[];
const sinks: TestSink[] = [];

beforeEach(async () => {
  receiver = await startReceiver();
  lines = [];
});
afterEach(async () => {
  for (const sink of sinks.splice(0)) await sink[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

/** The metadata of a store, which a test changes. */
class KnownMetadata {
  current = 1;
  readonly families = new Map<string, MetricMetadata>();

  /** @param families by the names of their series */
  constructor(families: Readonly<Record<string, string>>) {
    for (const [name, family] of Object.entries(families)) this.describe(name, family);
  }

  describe(name: string, family: string, help = `Help of ${family}.`): void {
    this.families.set(name, { family, type: "counter", help, unit: "" });
  }

  version(): number {
    return this.current;
  }

  lookup(name: string): MetricMetadata | undefined {
    return this.families.get(name);
  }
}

const known = () => new KnownMetadata({ a: "a", b_total: "b", c_bucket: "c", other: "other" });

/** A sink that is up to date and has sent no metadata. */
async function begun(options: Partial<TestSinkOptions> = {}): Promise<TestSink> {
  const log = createLogger("info", { write: (line) => lines.push(line) }, false);
  const sink = await startSink({
    endpoint: receiver.url,
    log,
    plan: { sources: [{ name: "source", metricsql: names.join("|") }] },
    ...options,
  });
  sinks.push(sink);
  await sink.cycle();
  lines = [];
  return sink;
}

/** Runs a cycle of 15 s with samples of these series. */
async function cycle(sink: TestSink, of: readonly string[] = names): Promise<void> {
  sink.store.write(of, 1, sink.clock.wallMs);
  expect(await sink.cycle(15_000)).toBe("up-to-date");
}

const isMetadata = ({ metadata }: ReceivedRequest) => metadata.length > 0;
const metadataRequests = () => receiver.requests.filter(isMetadata);
/** The families of each request. */
const sent = () => metadataRequests().map(({ metadata }) => metadata.map((one) => one.metricFamilyName));

test("a request like Prometheus' own has each family of the sink's series once, and nothing else", async () => {
  const sink = await begun({ metadata: known() });
  await cycle(sink);
  expect(sent()).toEqual([["a", "b", "c"]]);
  const [request] = metadataRequests();
  expect(request?.metadata[1]).toEqual({ metricFamilyName: "b", type: 1, help: "Help of b.", unit: "" });
  expect([request?.series, request?.headers["x-prometheus-remote-write-version"]]).toEqual([[], "0.1.0"]);
  expect(request?.index).toBe(receiver.requests.length - 1);
});

test("it is sent once a minute, with the names of that minute's series", async () => {
  const sink = await begun({ metadata: known() });
  for (let count = 0; count < 12; count++) await cycle(sink, count < 6 ? names : ["a"]);
  expect(sent()).toEqual([["a", "b", "c"], ["a", "b", "c"], ["a"]]);
});

test("a change of the store's metadata is sent with the next cycle", async () => {
  const metadata = known();
  const sink = await begun({ metadata });
  await cycle(sink);
  metadata.describe("a", "a", "A better text.");
  metadata.current++;
  await cycle(sink);
  await cycle(sink);
  expect(metadataRequests().map((request) => request.metadata[0]?.help)).toEqual([
    "Help of a.",
    "A better text.",
  ]);
});

test("nothing is sent without metadata, of unknown names, or with 2.0", async () => {
  const none = new KnownMetadata({});
  none.current = 0;
  const withoutMetadata = await begun({ metadata: none });
  for (let count = 0; count < 6; count++) await cycle(withoutMetadata);
  const ofOthers = await begun({ metadata: new KnownMetadata({ other: "other" }) });
  for (let count = 0; count < 6; count++) await cycle(ofOthers);
  expect(sent()).toEqual([]);

  receiver.clear();
  receiver.respond(speakVersion2().script);
  const version2 = await begun({ metadata: known(), protocol: "2.0" });
  for (let count = 0; count < 6; count++) await cycle(version2);
  const types = receiver.requests.map(({ headers }) => headers["content-type"]);
  expect(new Set(types)).toEqual(new Set(["application/x-protobuf;proto=io.prometheus.write.v2.Request"]));
});

describe("a receiver that refuses metadata", () => {
  beforeEach(() => {
    receiver.respond((request) => (isMetadata(request) ? { status: 400, body: "no metadata" } : undefined));
  });

  test("is spared for an hour, with one line in the log, and gets every sample", async () => {
    const sink = await begun({ metadata: known() });
    for (let count = 0; count < 241; count++) await cycle(sink);
    expect(sent()).toHaveLength(1);
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: "info", message: '400 "no metadata"' },
    ]);
    expect(sink.condition()).toMatchObject({ reason: "UpToDate" });
    expect(sink.condition().message).not.toContain("refused");
    expect(sink.exporter.snapshot().stats).toMatchObject({ retries: 0, rejected: 0, lastError: undefined });
    await cycle(sink);
    expect(sent()).toHaveLength(2);
    expect(receiver.samples().size).toBe(242 * names.length);
  });

  test("is asked again when the policy has changed", async () => {
    const sink = await begun({ metadata: known() });
    await cycle(sink);
    await cycle(sink);
    expect(sent()).toHaveLength(1);
    sink.exporter.change(
      sink.plan({ generation: 2, batch: { timeoutMs: 4_000, maxSize: 100, maxBytes: 2 ** 23 } }),
    );
    await cycle(sink);
    expect(sent()).toHaveLength(2);
  });
});

test.each([
  ["a status that is no refusal", { status: 503 }],
  ["no response", { fault: "reset" as const }],
])("after %s the next minute's is sent, and delivery goes on", async (_, response) => {
  receiver.respond((request) => (isMetadata(request) ? response : undefined));
  const sink = await begun({ metadata: known() });
  for (let count = 0; count < 9; count++) await cycle(sink);
  expect(sent()).toHaveLength(3);
  expect(lines).toEqual([]);
  expect(sink.condition()).toMatchObject({ reason: "UpToDate" });
  expect(sink.exporter.snapshot().stats.retries).toBe(0);
});

test("none is sent while the sink backs off or catches up", async () => {
  const sink = await begun({ metadata: known() });
  receiver.respond(() => ({ status: 503 }));
  sink.store.write(names, 1, sink.clock.wallMs);
  for (let count = 0; count < 20; count++) await sink.cycle(15_000);
  expect(sent()).toEqual([]);
  receiver.respond(() => undefined);
  // The probe, and the windows up to now.
  await sink.cycle(300_000);
  expect(sent()).toEqual([]);
  await cycle(sink);
  expect(sent()).toHaveLength(1);
});

test("a receiver that does not respond to metadata does not keep a stop waiting", async () => {
  receiver.respond((request) => (isMetadata(request) ? { fault: "hang" } : undefined));
  const sink = await begun({ metadata: known() });
  sink.store.write(names, 1, sink.clock.wallMs);
  sink.clock.advance(15_000);
  const interruption = new Interruption();
  const ended = sink.exporter.cycle(interruption, new AbortController().signal);
  await expect.poll(() => sent().length).toBe(1);
  interruption.begin("stop");
  expect(await ended).toBe("up-to-date");
});

test("a real Prometheus accepts it", async () => {
  await using server = await startPrometheus();
  const sink = await begun({ metadata: known(), endpoint: `${server.url}/api/v1/write` });
  await cycle(sink);
  const text = await sink.remoteWrite.registry.metrics();
  expect(text).toContain('telemetryd_remote_write_metadata_requests_total{outcome="delivered"} 1\n');
  expect(text).toContain("telemetryd_remote_write_metadata_families_total 3\n");
});

/** A target whose metrics belong to projects by a label; a test changes its text. */
class Target implements AsyncDisposable {
  text = [
    "# HELP shop_orders_total Orders.",
    "# TYPE shop_orders_total counter",
    'shop_orders_total{project="shop"} 1',
    "# HELP web_seconds Time of requests.",
    "# TYPE web_seconds histogram",
    ...["web_seconds_bucket", "web_seconds_sum", "web_seconds_count"].map(
      (name) => `${name}{project="web"} 1`,
    ),
    "",
  ].join("\n");
  readonly #server = createServer((_, response) => {
    response.setHeader("content-type", "text/plain; version=0.0.4");
    response.end(this.text);
  });

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Real time, in which a test may let time pass. */
class ShiftedClock implements Clock {
  aheadMs = 0;
  nowMs = () => systemClock.nowMs();
  monotonicMs = () => systemClock.monotonicMs() + this.aheadMs;
  sleep = (ms: number, signal: AbortSignal) => systemClock.sleep(ms, signal);
}

describe("with a real Prometheus as the store", () => {
  const never = new AbortController().signal;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "telemetryd-metadata-"));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function exportTools(url: string): Promise<ExportTools> {
    const file = join(folder, "telemetryd.yaml");
    const text = [
      "policies: { directory: . }",
      `metrics: { url: "${url}", interval: 5s, delay: 1s, tenantLabel: project }`,
      "delivery: { startFrom: 5s }",
      "egress: { allow: [127.0.0.0/8] }",
      `state: { directory: ${folder} }`,
    ];
    await writeFile(file, text.join("\n"));
    const { config } = await loadConfig({ file }, never);
    if (config.metrics === undefined) throw new Error("no metrics section");
    return createExportTools({
      config: { ...config, metrics: config.metrics },
      ...{ state: new SinkStates(), clock: systemClock, log: silentLogger },
    });
  }

  /** The families that one plane's sink has sent, in the last request of metadata. */
  const lastOf = (plane: string) =>
    metadataRequests()
      .filter(({ path }) => path.endsWith(`?${plane}`))
      .at(-1)
      ?.metadata.map((one) => one.metricFamilyName)
      .sort();

  test("a project gets that of its own series, the operator all; a new metric's follows", async () => {
    await using target = new Target();
    const address = await target.listen();
    const scrapeConfig = `scrape_configs:\n  - job_name: target\n    scrape_interval: 1s\n    static_configs: [{ targets: ["${address}"] }]\n`;
    await using store = await startPrometheus({ scrapeConfig });
    const tools = await exportTools(store.url);
    const clock = new ShiftedClock();
    const exporters = ["shop", "web", "empty", "directory"].map((plane) => {
      const plan: SinkPlan = {
        policy: { plane, namespace: "default", name: "policy", uid: "-" },
        ...{ generation: 1, name: "sink", paused: false },
        sources: [{ name: "source", metricsql: '{__name__=~".+"}' }],
        endpoint: `${receiver.url}?${plane}`,
        batch: { timeoutMs: 5_000, maxSize: 2_000, maxBytes: 2 ** 23 },
        retry: { maxAttempts: 1, backoffMs: 500 },
      };
      return new Exporter(plan, { ...tools.deps, clock });
    });
    const [metadata] = tools.stores.services;
    if (!(metadata instanceof MetricMetadataCache)) throw new Error("the store has no metadata");
    const cycleAll = async () => {
      clock.aheadMs += 5_000;
      await metadata.tick(never);
      for (const exporter of exporters) await exporter.cycle(new Interruption(), never);
    };

    await until("every sink has sent its metadata", async () => {
      await cycleAll();
      return ["shop", "web", "directory"].every((plane) => lastOf(plane) !== undefined);
    });
    expect(lastOf("shop")).toEqual(["shop_orders_total"]);
    expect(lastOf("web")).toEqual(["web_seconds"]);
    expect(lastOf("empty")).toBeUndefined();
    expect(lastOf("directory")).toEqual(["shop_orders_total", "web_seconds"]);

    target.text += '# HELP web_users Users.\n# TYPE web_users gauge\nweb_users{project="web"} 1\n';
    await until("the new metric's metadata has come", async () => {
      await cycleAll();
      return lastOf("web")?.length === 2;
    });
    expect(lastOf("web")).toEqual(["web_seconds", "web_users"]);
    expect(lastOf("shop")).toEqual(["shop_orders_total"]);
    for (const exporter of exporters) exporter.close();
    await tools.close();
  });
});
