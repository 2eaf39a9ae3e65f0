import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtCli, ensureBuilt } from "../../scripts/daemon/build.ts";
import { startChild } from "../../scripts/servers/child.ts";
import { startReceiver } from "../support/receiver/receiver.ts";
import { diffSamples, isSameSet, SampleSet, seriesKey, writeByRemoteWrite } from "../support/samples.ts";
import { type RunningServer, startPrometheus } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { type FrontKind, type StoreFront, startStoreFront } from "../support/store/store-front.ts";
import { closeReaders, type ReadSeries, readAll, readerOf, staleBits } from "../support/store/store-reads.ts";

/** Mimir, Cortex and Thanos, as fronts of a real Prometheus. */

const forever = new AbortController().signal;
const minuteMs = 60_000;
/** A whole minute, half an hour ago: before the watermark. */
const baseMs = Math.floor(Date.now() / minuteMs) * minuteMs - 30 * minuteMs;
const window = { fromMs: baseMs, toMs: baseMs + 16 * minuteMs };
const written = Array.from({ length: 100 }, (_, index) => ({
  labels: [
    { name: "__name__", value: `stores_${index % 10}` },
    { name: "index", value: String(index) },
  ],
  // One a quarter of a minute, none at its beginning, and a staleness marker.
  samples: Array.from({ length: 60 }, (_, at) => ({
    timestampMs: baseMs + 1_000 + at * 15_000,
    value: at === 59 && index === 3 ? Number.NaN : index + at / 7,
  })),
}));
const source = new SampleSet();
for (const { labels, samples } of written) {
  for (const { timestampMs, value } of samples) source.add(seriesKey(labels), timestampMs, value);
}
const all = '{__name__=~"stores_.+"}';

let prometheus: RunningServer;

setUpAll(async ({ keep, onEnd }) => {
  onEnd(closeReaders);
  prometheus = await keep(startPrometheus());
  await writeByRemoteWrite(`${prometheus.url}/api/v1/write`, written, forever);
});
function sampleSet(series: readonly ReadSeries[]): SampleSet {
  const read = new SampleSet();
  for (const { labels, times, values, bits } of series) {
    const key = seriesKey(Object.entries(labels).map(([name, value]) => ({ name, value })));
    for (const [index, timeMs] of times.entries()) {
      read.add(key, timeMs, bits[index] === staleBits ? Number.NaN : values[index]!);
    }
  }
  return read;
}

function isSource(read: SampleSet): boolean {
  const diff = diffSamples(source, read);
  return isSameSet(diff) && diff.repeated.size === 0;
}

const withTenant = ({ tenant }: StoreFront) => ({ headers: { "X-Scope-OrgID": tenant } });

describe.each<FrontKind>(["mimir", "cortex"])("%s", (kind) => {
  let front: StoreFront;

  beforeAll(async () => {
    front = await startStoreFront(kind, prometheus.url);
  });
  beforeEach(() => {
    front.maxSpanMs = Infinity;
    front.readSpansMs.length = 0;
  });
  afterAll(() => front[Symbol.asyncDispose]());

  test("every sample is read, markers included", async () => {
    const { outcome, series } = await readAll(readerOf(front.url, withTenant(front)), {
      selector: all,
      window,
    });
    expect(outcome).toMatchObject({ kind: "complete", series: 100, samples: 6_000, invalidLines: 0 });
    expect(isSource(sampleSet(series))).toBe(true);
    expect(front.readSpansMs).toHaveLength(1);
  });

  test("a span beyond the store's limit is read in parts", async () => {
    front.maxSpanMs = 2 * minuteMs;
    const { outcome, series } = await readAll(readerOf(front.url, withTenant(front)), {
      selector: all,
      window,
    });
    expect(outcome).toMatchObject({ kind: "complete", samples: 6_000 });
    expect(isSource(sampleSet(series))).toBe(true);
    expect(front.readSpansMs).toEqual(new Array(8).fill(2 * minuteMs - 1));
  });

  test("a limit that no part keeps is the store's message, after few requests", async () => {
    front.maxSpanMs = 0;
    const before = front.requests;
    const { outcome } = await readAll(readerOf(front.url, withTenant(front)), { selector: all, window });
    expect(outcome).toMatchObject({ kind: "failed" });
    expect(outcome.kind === "failed" && outcome.message).toMatch(
      /^the store responded with 400: .*time range exceeds the limit.*-(?:querier|store)\.max-\S*query-length/,
    );
    // 16, 8, 4, 2 and 1 minutes, after finding out the flavor, the external labels and the retention.
    expect(front.requests - before).toBeLessThanOrEqual(5 + 5);
  });

  test("without a tenant the message says what to set", async () => {
    const { outcome } = await readAll(readerOf(front.url), { selector: all, window });
    expect(outcome).toMatchObject({
      reason: "unauthorized",
      message: expect.stringMatching(/401: no org id; .*metrics\.tenancy: header.*X-Scope-OrgID/),
    });
  });

  test("samples are counted, for those that come late", async () => {
    const request = { selector: all, owner: "", window, stepMs: minuteMs, of: "samples" as const };
    const counted = await readerOf(front.url, withTenant(front)).counter.count(
      { ...request, tenant: undefined },
      forever,
    );
    // Prometheus does not count the marker.
    const counts = [...new Array<number>(14).fill(400), 399, 0];
    expect(counted).toMatchObject({ kind: "counts", counts });
  });

  test("an expression is evaluated", async () => {
    const { outcome, series } = await readAll(readerOf(front.url, withTenant(front)), {
      ...{ selector: "max(stores_1)", name: "top", stepMs: minuteMs },
      window: { fromMs: baseMs, toMs: baseMs + 2 * minuteMs },
    });
    expect(outcome).toMatchObject({ kind: "complete", samples: 2 });
    expect(series).toMatchObject([{ labels: { __name__: "top" }, values: [91 + 3 / 7, 91 + 1] }]);
  });

  test("an export delivers every sample", async () => {
    await ensureBuilt(forever, () => undefined);
    const folder = await mkdtemp(join(tmpdir(), "telemetryd-stores-"));
    const receiver = await startReceiver();
    try {
      await mkdir(join(folder, "policies"));
      await writeFile(join(folder, "policies", "policy.json"), JSON.stringify(policyTo(receiver.url)));
      const lines = [
        "policies: { directory: ./policies }",
        `metrics: { url: "${front.url}", headers: { X-Scope-OrgID: ${front.tenant} } }`,
        "state: { directory: ./state }",
      ];
      await writeFile(join(folder, "telemetryd.yaml"), lines.join("\n"));
      const span = ["--from", String(window.fromMs / 1_000), "--to", String(window.toMs / 1_000)];
      const child = await startChild({
        ...{ name: "telemetryd", program: process.execPath, cwd: folder, env: { NO_COLOR: "1" } },
        args: [builtCli, "export", "--config", "telemetryd.yaml", ...span],
      });
      expect(await child.exited, child.log()).toMatchObject({ code: 0 });
      expect(child.log()).toContain("default/stores/receiver: 6,000 samples delivered");
      expect(isSource(receiver.samples())).toBe(true);
    } finally {
      await receiver[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }, 240_000);
});

function policyTo(endpoint: string) {
  return {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: "stores", namespace: "default" },
    spec: {
      sources: [{ name: "all", metrics: { metricsql: all } }],
      sinks: [{ name: "receiver", sources: ["all"], target: { prometheusRemoteWrite: { endpoint } } }],
    },
  };
}

describe("a Thanos Querier", () => {
  let front: StoreFront;
  const expression = {
    ...{ selector: "max(stores_1)", name: "top", stepMs: minuteMs },
    window: { fromMs: baseMs, toMs: baseMs + 2 * minuteMs },
  };

  beforeAll(async () => {
    front = await startStoreFront("thanos", prometheus.url);
  });
  beforeEach(() => {
    front.isPartial = false;
  });
  afterAll(() => front[Symbol.asyncDispose]());

  test("has no raw samples, and the message says where they are", async () => {
    const { outcome } = await readAll(readerOf(front.url), { selector: all, window });
    expect(outcome).toMatchObject({
      reason: "not_found",
      message: expect.stringMatching(/Thanos Querier does not; set metrics\.url to the Prometheus/),
    });
  });

  test("evaluates expressions", async () => {
    const { outcome } = await readAll(readerOf(front.url), expression);
    expect(outcome).toMatchObject({ kind: "complete", samples: 2 });
  });

  test("with a store away, evaluates none: a part of the series is no result", async () => {
    front.isPartial = true;
    const { outcome } = await readAll(readerOf(front.url), expression);
    expect(outcome).toMatchObject({
      reason: "bad_request",
      message: "the store responded with 422: 10.0.0.7:10901 is away",
    });
  });
});
