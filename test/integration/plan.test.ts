import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import { startDaemon } from "../../scripts/daemon/daemon.ts";
import { startChild } from "../../scripts/servers/child.ts";
import { type PlanOptions, plan } from "../../src/app/commands/plan/plan.ts";
import type { PlanReport } from "../../src/app/commands/plan/plan-report.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { deliveredRates, endOf } from "../support/receiver/delivered-rates.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import { writeByRemoteWrite, writeToVictoriaMetrics } from "../support/samples.ts";
import { freePort, type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll, setUpEach } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/** `telemetryd plan`: its numbers are those of the export that follows. */

const forever = new AbortController().signal;
const nowMs = Math.floor(Date.now() / 1_000) * 1_000;

/** A store with a sample a second of each series, in the future too: it is steady, whatever the machine does. */
const written = Array.from({ length: 600 }, (_, index) => ({
  labels: [
    { name: "__name__", value: `steady_${index < 300 ? "a" : index < 500 ? "b" : "c"}_total` },
    { name: "instance", value: `host-${index % 40}` },
    { name: "job", value: index % 2 === 0 ? "even" : "odd" },
    { name: "n", value: String(index) },
    { name: "project", value: index < 500 ? "one" : "two" },
  ],
  samples: Array.from({ length: 1_200 }, (_, at) => ({
    timestampMs: nowMs - 300_000 + at * 1_000,
    value: (at * (index + 7)) % 1_009,
  })),
}));

let store: RunningServer;
let folder: string;
let receiver: Receiver;

setUpAll(async ({ keep }) => {
  await ensureBuilt(forever, () => undefined);
  store = await keep(startVictoriaMetrics());
  await writeToVictoriaMetrics(store.url, written, forever);
}, 240_000);

setUpEach(async ({ keep, newFolder }) => {
  folder = await newFolder("plan");
  await mkdir(join(folder, "policies"));
  receiver = await keep(startReceiver());
  await configure();
});

interface Spec {
  readonly name?: string;
  readonly metricsql?: string;
  readonly endpoint?: string;
  readonly secret?: string;
}

function policy({ name = "wanted", metricsql = '{__name__=~"steady_.*"}', endpoint, secret }: Spec = {}) {
  return {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name, namespace: "default" },
    spec: {
      sources: [{ name: "all", metrics: { metricsql } }],
      sinks: [
        {
          name: "receiver",
          sources: ["all"],
          target: {
            prometheusRemoteWrite: {
              endpoint: endpoint ?? receiver.url,
              batch: { timeout: "1s", maxSize: 50 },
              ...(secret !== undefined && { authentication: { basicAuth: { secretRef: { name: secret } } } }),
            },
          },
        },
      ],
    },
  };
}

async function configure(more: object = {}): Promise<void> {
  const config = {
    policies: { directory: "./policies" },
    metrics: { url: store.url, interval: "5s", delay: "5s" },
    delivery: {
      startFrom: "0s",
      lateness: "0s",
      endpoints: [{ urlPrefix: receiver.url, externalLabels: { site: "lab" }, dropLabels: ["job"] }],
    },
    ...more,
  };
  await writeFile(join(folder, "telemetryd.yaml"), JSON.stringify(config));
}

async function run(wanted: object, options: Partial<PlanOptions> = {}) {
  const policies = join(folder, "wanted.yaml");
  await writeFile(policies, JSON.stringify(wanted));
  const result = await plan(
    {
      ...{ file: join(folder, "telemetryd.yaml"), overrides: [], environment: {}, policies },
      ...{ windowMs: 60_000, output: "json", ...options },
    },
    silentLogger,
    forever,
  );
  return result;
}

async function reportOf(wanted: object, options: Partial<PlanOptions> = {}) {
  const { text } = await run(wanted, options);
  const [first] = (JSON.parse(text) as PlanReport).policies;
  if (first === undefined) throw new Error(text);
  const [source] = first.sources;
  const [sink] = first.sinks;
  return { ...first, source, sink };
}

test("requests, bytes and samples are those of the export that follows, within 5 %", async () => {
  const { sink } = await reportOf(policy());
  expect(receiver.requests).toEqual([]);
  await writeFile(join(folder, "policies", "policy.json"), JSON.stringify(policy()));
  const opsPort = await freePort();
  const configFile = join(folder, "telemetryd.yaml");
  const daemon = await startDaemon({ configFile, opsPort, signal: forever });
  try {
    await until("the first cycle is over", () => receiver.requests.length > 0);
    const newest = () => receiver.requests.reduce((last, each) => Math.max(last, endOf(each) ?? 0), 0);
    const fromMs = newest();
    // Windows end on whole cycles: everything after the first one's end, up to a later one's end.
    await until("two further cycles are over", () => newest() >= fromMs + 15_000);
    const actual = deliveredRates(receiver.requests, fromMs, fromMs + 11_000);
    expect(within(sink?.requestsPerHour, actual.requests)).toBeLessThan(0.05);
    expect(within(sink?.bytesPerHour, actual.bytes)).toBeLessThan(0.05);
    expect(within((sink?.samplesPerMinute ?? 0) * 60, actual.samples)).toBeLessThan(0.05);
  } finally {
    await daemon.child.kill();
  }
});

test("of a source with an interval, whole intervals are counted, whatever span is asked for", async () => {
  const wanted = policy();
  const spec = { ...wanted.spec, sources: wanted.spec.sources.map((each) => ({ ...each, interval: "12s" })) };
  for (const windowMs of [1_000, 100_000]) {
    const { source, sink } = await reportOf({ ...wanted, spec }, { windowMs });
    expect([source?.samplesPerMinute, sink?.samplesPerMinute]).toEqual([3_000, 3_000]);
  }
});

function within(planned = 0, actual: number): number {
  return Math.abs(planned - actual) / actual;
}

test("a source's series, samples, metrics and labels; what the endpoint's settings make of them", async () => {
  const { policy: name, source, sink, warnings } = await reportOf(policy());
  expect(name).toBe("default/wanted");
  expect(source).toMatchObject({
    ...{ name: "all", query: '{__name__=~"steady_.*"}', series: 600, samplesPerMinute: 36_000 },
    isPartial: false,
    metrics: [
      { name: "steady_a_total", series: 300 },
      { name: "steady_b_total", series: 200 },
      { name: "steady_c_total", series: 100 },
    ],
    labels: [
      { name: "n", values: 600 },
      { name: "instance", values: 40 },
      { name: "job", values: 2 },
      { name: "project", values: 2 },
    ],
  });
  expect(sink).toMatchObject({ name: "receiver", protocol: "1.0", samplesPerMinute: 36_000 });
  expect(sink?.tenant).toContain("none");
  expect(sink?.bytesPerMonth).toBeCloseTo((sink?.bytesPerHour ?? 0) * 730.5, -6);
  expect(sink?.examples).toHaveLength(3);
  for (const { series, sent } of sink?.examples ?? []) {
    expect(series).toMatch(
      /^steady_._total\{instance="host-\d+", job="(even|odd)", n="\d+", project="(one|two)"\}$/,
    );
    expect(sent).toBe(series.replace(/job="\w+", /, "").replace("}", ', site="lab"}'));
  }
  expect(warnings).toEqual([]);
  expect(receiver.requests).toEqual([]);
});

describe("warnings", () => {
  test("of a source that selects nothing, and of one that costs much", async () => {
    const empty = await reportOf(policy({ metricsql: "nothing_of_this_name" }));
    expect(empty.warnings).toEqual(["source all selects nothing at present"]);
    expect(empty.sink).toMatchObject({ requestsPerHour: 0, bytesPerHour: 0, examples: [] });
    const costly = await reportOf(policy({ metricsql: '{__name__=~".*"}' }));
    expect(costly.warnings.join()).toMatch(/^spec\.sources\[0\]\.metrics\.metricsql: /);
  });

  test.each([
    ["overlaps", { metricsql: 'steady_a_total{job="even"}' }, true],
    ["is equal", {}, true],
    ["is another's", { metricsql: 'other{job="even"}' }, false],
    ["excludes it", { metricsql: 'steady_a_total{job="neither"}' }, false],
    ["has another endpoint", { endpoint: "http://127.0.0.1:1/write" }, false],
  ])("of another policy that %s", async (_, spec, isWarned) => {
    const other = policy({ ...spec, name: "other" });
    await writeFile(join(folder, "policies", "other.json"), JSON.stringify(other));
    // Its own earlier version is no other policy.
    await writeFile(join(folder, "policies", "wanted.json"), JSON.stringify(policy()));
    const { warnings } = await reportOf(policy());
    expect(warnings).toEqual(
      isWarned
        ? [
            "sink receiver: policy default/other, sink receiver, already sends series of all and all to this endpoint",
          ]
        : [],
    );
  });
});

describe("where there is too much to read", () => {
  test("fewer cycles are read, of which the numbers are as good", async () => {
    const { sink, warnings } = await reportOf(policy(), { limits: { maxSamples: 4_000, maxMs: 30_000 } });
    expect(Date.parse(sink?.to ?? "") - Date.parse(sink?.from ?? "")).toBe(10_000);
    expect(sink?.samplesPerMinute).toBe(36_000);
    expect(warnings).toEqual(["sink receiver: only 10 s were read, since there are many samples"]);
  });

  test("a cycle that is too large has no numbers", async () => {
    const { sink, source } = await reportOf(policy(), { limits: { maxSamples: 1_000, maxMs: 30_000 } });
    expect(sink?.problem).toContain("select less");
    expect(sink?.requestsPerHour).toBeUndefined();
    expect(source).toMatchObject({ isPartial: true, samplesPerMinute: 0 });
  });
});

describe("a probe", () => {
  const secret = {
    ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/basic-auth" },
    metadata: { name: "login", namespace: "default" },
    stringData: { username: "ann", password: "secret-of-ann" },
  };

  test("sends one empty request with the sink's credentials", async () => {
    const list = { apiVersion: "v1", kind: "List", items: [secret, policy({ secret: "login" })] };
    const { sink } = await reportOf(list, { probe: true });
    expect(sink?.probe).toEqual({ accepted: true, message: "HTTP 204" });
    expect(receiver.requests).toHaveLength(1);
    const [request] = receiver.requests;
    expect(request?.headers.authorization).toBe(
      `Basic ${Buffer.from("ann:secret-of-ann").toString("base64")}`,
    );
    expect(request?.series).toEqual([]);
    expect(request?.decodeError).toBeUndefined();
  });

  test("that is not accepted is the command's exit status", async () => {
    receiver.respond(() => ({ status: 401, body: "who are you" }));
    const { text, exitStatus } = await run(policy(), { probe: true, output: "text" });
    expect(text).toMatch(/Probe: +not accepted \(401 "who are you"/);
    expect(exitStatus).toBe(5);
    expect(receiver.requests).toHaveLength(1);
  });

  test("goes through the egress guard", async () => {
    await configure({ metrics: { url: store.url, interval: "5s", delay: "5s", tenantLabel: "project" } });
    const { sink } = await reportOf(policy(), { probe: true, project: "one" });
    expect(sink?.probe?.accepted).toBe(false);
    expect(sink?.probe?.message).toContain("must not be sent to");
    expect(receiver.requests).toEqual([]);
  });
});

test("a Prometheus as the store has the same numbers", async () => {
  await using prometheus = await startPrometheus();
  const past = written.slice(0, 100).map(({ labels, samples }) => ({
    labels,
    samples: samples.filter(({ timestampMs }) => timestampMs <= Date.now() + 300_000),
  }));
  await writeByRemoteWrite(`${prometheus.url}/api/v1/write`, past, forever);
  const { source, sink } = await reportOf(policy(), {
    overrides: [`metrics.url=${prometheus.url}`],
    windowMs: 20_000,
  });
  expect(source).toMatchObject({ series: 100, samplesPerMinute: 6_000 });
  expect(sink).toMatchObject({ samplesPerMinute: 6_000 });
});

test("a project's policy is confined to it", async () => {
  await configure({ metrics: { url: store.url, interval: "5s", delay: "5s", tenantLabel: "project" } });
  const { source, sink } = await reportOf(policy(), { project: "two" });
  expect(source?.series).toBe(100);
  expect(source?.query).toBe('{__name__=~"steady_.*",project="two"}');
  expect(sink?.tenant).toBe('project="two"');
});

test("faults, a missing Secret and an unavailable store", async () => {
  const faulty = await run(policy({ metricsql: "sum(" }));
  expect(faulty.exitStatus).toBe(2);
  expect(faulty.text).toMatch(/wanted\.yaml:.*error/);
  const { sink } = await reportOf(policy({ secret: "missing" }));
  expect(sink?.problem).toContain("secret 'missing' not found");
  await expect(run(policy(), { overrides: ["metrics.url=http://127.0.0.1:1"] })).rejects.toMatchObject({
    code: "SOURCE_FAILED",
  });
});

test("as a command: text on standard output", async () => {
  await writeFile(join(folder, "wanted.yaml"), JSON.stringify(policy()));
  const child = await startChild({
    name: "telemetryd",
    program: process.execPath,
    args: [builtCli, "plan", "wanted.yaml", "--config", "telemetryd.yaml", "--window", "20s"],
    cwd: folder,
    env: { NO_COLOR: "1" },
  });
  expect(await child.exited).toEqual({ code: 0, signal: null });
  expect(child.log()).toMatch(
    /^Policy default\/wanted\n\nSource all: .*\n +Series: +600\n +Samples: +36,000 a minute\n/,
  );
  expect(child.log()).toMatch(
    / +Requests: +\d+,\d+ an hour\n +Bytes: +[\d.]+ MiB an hour, [\d.]+ GiB a month\n/,
  );
});
