import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { StoreClient } from "../../src/exporter/metrics-store/client/store-client.ts";
import type { StoreFlavor } from "../../src/exporter/metrics-store/client/store-settings.ts";
import { ExpressionReader } from "../../src/exporter/metrics-store/expressions/expression-reader.ts";
import { LabelCache } from "../../src/exporter/metrics-store/samples/label-cache.ts";
import type { StoreReader } from "../../src/exporter/metrics-store/store-reader.ts";
import { parse } from "../../src/exporter/metricsql/parse/parser.ts";
import { type WrittenSeries, writeByRemoteWrite, writeToVictoriaMetrics } from "../support/samples.ts";
import { type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { closeReaders, type ReadSeries, readAll, readerOf, staleBits } from "../support/store/store-reads.ts";

const forever = new AbortController().signal;
const stepMs = 15_000;
/** Aligned to the step, and well before the watermark. */
const baseMs = Math.floor(Date.now() / stepMs) * stepMs - 2_400_000;
const spanMs = 20 * 60_000;
const name = "gateway-rps";

/** A counter scraped every 5 s, except between `goneMs` and `backMs`. */
function counter(labels: Record<string, string>, goneMs = spanMs, backMs = spanMs): WrittenSeries {
  const samples: { timestampMs: number; value: number }[] = [];
  for (let offsetMs = -300_000; offsetMs <= spanMs; offsetMs += 5_000) {
    if (offsetMs === goneMs && goneMs < backMs)
      samples.push({ timestampMs: baseMs + offsetMs, value: Number.NaN });
    if (offsetMs >= goneMs && offsetMs < backMs) continue;
    samples.push({ timestampMs: baseMs + offsetMs, value: (offsetMs + 300_000) / 1_000 });
  }
  return {
    labels: Object.entries(labels).map(([label, value]) => ({ name: label, value })),
    samples,
  };
}

const fixture = [
  counter({ __name__: "requests_total", job: "web", project: "shop" }),
  counter({ __name__: "requests_total", job: "api", project: "shop" }, 300_000, 600_000),
  counter({ __name__: "requests_total", job: "batch", project: "blog" }, 700_000),
  counter({ __name__: "gateway_rps", job: "web", project: "shop" }),
];

/** Each point as a string, so that sets of points can be compared. */
function pointsOf(series: readonly ReadSeries[]): string[] {
  return series
    .flatMap(({ labels, times, values, bits }) =>
      times.map((timeMs, index) => {
        const value = bits[index] === staleBits ? "stale" : values[index];
        return `${JSON.stringify(labels)} ${(timeMs - baseMs) / 1_000} ${value}`;
      }),
    )
    .sort();
}

const stores = {
  VictoriaMetrics: async () => {
    const store = await startVictoriaMetrics();
    await writeToVictoriaMetrics(store.url, fixture, forever);
    return store;
  },
  Prometheus: async () => {
    const store = await startPrometheus();
    await writeByRemoteWrite(`${store.url}/api/v1/write`, fixture, forever);
    return store;
  },
};

describe.each(Object.entries(stores))("expressions on %s", (kind, start) => {
  let store: RunningServer;
  let reader: StoreReader;

  setUpAll(async ({ keep, onEnd }) => {
    onEnd(closeReaders);
    store = await keep(start());
    reader = readerOf(store.url, { concurrency: 1 });
  });

  async function points(selector: string, fromMs: number, toMs: number): Promise<string[]> {
    const window = { fromMs: baseMs + fromMs, toMs: baseMs + toMs };
    const { outcome, series } = await readAll(reader, { selector, name, stepMs, window });
    expect(outcome).toMatchObject({ kind: "complete", invalidLines: 0 });
    return pointsOf(series);
  }

  test("are evaluated at the multiples of the step after the start and up to the end, and named after the source", async () => {
    expect(await points('sum(rate(requests_total{job="web"}[1m]))', 0, 45_000)).toEqual(
      [15, 30, 45].map((second) => `{"__name__":"gateway_rps"} ${second} 1`),
    );
    expect(await points("vector(1)", 14_999, 15_000)).toEqual(['{"__name__":"gateway_rps"} 15 1']);
  });

  test("a window without a grid point is complete, with nothing, and the store is not asked", async () => {
    const { outcome, series } = await readAll(readerOf("http://127.0.0.1:1"), {
      selector: "vector(1)",
      name,
      stepMs,
      window: { fromMs: baseMs, toMs: baseMs + stepMs - 1 },
    });
    expect(series).toEqual([]);
    // The reader first detects the flavor.
    expect(outcome).toMatchObject({ kind: "failed", reason: "unreachable" });
    expect(await points("vector(1)", 0, stepMs - 1)).toEqual([]);
  });

  test("a series keeps the name that it has", async () => {
    expect((await points('last_over_time(requests_total{job="web"}[1m])', 0, stepMs))[0]).toMatch(
      /"__name__":"requests_total"/,
    );
  });

  test("a series that ends gets a staleness marker at the first point where it is absent, once", async () => {
    const all = await points("sum by (job) (rate(requests_total[1m]))", 0, spanMs);
    const markers = all.filter((point) => point.endsWith("stale"));
    expect(markers.map((point) => /"job":"(\w+)"/.exec(point)?.[1]).sort()).toEqual(["api", "batch"]);
    expect(all.filter((point) => point.includes('"web"'))).toHaveLength(spanMs / stepMs);
  });

  test("any cut of time into windows gives the points and markers of one window, each once", async () => {
    for (const selector of [
      "sum by (job) (rate(requests_total[1m]))",
      "requests_total * 2",
      "last_over_time(requests_total[20s])",
    ]) {
      const whole = await points(selector, 0, spanMs);
      expect(new Set(whole).size).toBe(whole.length);
      expect(whole.filter((point) => point.endsWith("stale")).length).toBeGreaterThanOrEqual(2);
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: 1, max: spanMs - 1 }), { minLength: 1, maxLength: 6 }),
          async (cuts) => {
            const bounds = [0, ...cuts.sort((a, b) => a - b), spanMs];
            const parts: string[] = [];
            for (const [index, toMs] of bounds.slice(1).entries()) {
              parts.push(...(await points(selector, bounds[index]!, toMs)));
            }
            expect(parts.sort()).toEqual(whole);
          },
        ),
        { numRuns: 8 },
      );
    }
  });

  test("more points than a store gives at once are asked for in pieces", async () => {
    const points = kind === "Prometheus" ? 12_000 : 700;
    const window = { fromMs: baseMs, toMs: baseMs + points * 100 };
    const request = { selector: "vector(time())", name, stepMs: 100, window };
    const { outcome, series } = await readAll(reader, request);
    expect(outcome).toMatchObject({ kind: "complete", samples: points });
    const times = series.flatMap((one) => one.times);
    expect(times).toEqual(Array.from({ length: points }, (_, index) => baseMs + 100 * (index + 1)));
  });

  test("a tenant's expression sees its series only", async () => {
    const window = { fromMs: baseMs, toMs: baseMs + stepMs };
    const read = (selector: string, value: string) =>
      readAll(reader, { selector, name, stepMs, window, tenant: { label: "project", value } });
    const count = await read('count({__name__=~".+"}) by (job)', "blog");
    expect(count.series.map(({ labels }) => labels["job"])).toEqual(["batch"]);
    const foreign = await read('sum(requests_total{project="shop"})', "blog");
    expect(foreign).toMatchObject({ outcome: { kind: "complete" }, series: [] });
    const keeping = await read("sum(requests_total) by (project)", "shop");
    expect(keeping.series.map(({ labels }) => labels["project"])).toEqual(["shop"]);
    for (const written of ["project", "pro_ject"]) {
      const tenant = { label: written, value: "shop" };
      const selector = `label_replace(requests_total, "${written.replace("_", "-")}", "blog", "", "")`;
      const writing = await readAll(reader, { selector, name, stepMs, window, tenant });
      expect(writing.outcome).toMatchObject({ kind: "failed", reason: "tenant_violation" });
    }
  });

  test("what the store refuses is a failure with its words", async () => {
    const window = { fromMs: baseMs, toMs: baseMs + stepMs };
    const selector = "requests_total / on(nothing) requests_total";
    const { outcome } = await readAll(reader, { selector, name, stepMs, window });
    expect(outcome).toMatchObject({ kind: "failed", reason: "bad_request" });
  });

  test("what only MetricsQL knows is refused where it would be, with the reason", async () => {
    const window = { fromMs: baseMs, toMs: baseMs + stepMs };
    const { outcome } = await readAll(reader, { selector: "requests_total default 1", name, stepMs, window });
    if (kind === "VictoriaMetrics") expect(outcome).toMatchObject({ kind: "complete" });
    else {
      expect(outcome).toMatchObject({
        kind: "failed",
        reason: "unsupported_selector",
        message: expect.stringContaining('"default"'),
      });
    }
  });

  test.runIf(kind === "VictoriaMetrics")(
    "series that are equal once they are named are left out and reported",
    async () => {
      const window = { fromMs: baseMs, toMs: baseMs + stepMs };
      const selector = '(gateway_rps{job="web"}, sum(requests_total) by (job, project))';
      const { outcome, series } = await readAll(reader, { selector, name, stepMs, window });
      expect(outcome).toMatchObject({ kind: "complete", invalidLines: 2 });
      expect([...new Set(series.map(({ labels }) => labels["job"]))].sort()).toEqual(["api", "batch"]);
      expect(await reader.metrics.registry.metrics()).toContain(
        'telemetryd_source_refused_lines_total{reason="name_collision"} 2',
      );
    },
  );
});

describe("a store whose responses are large or odd", () => {
  let server: Server;
  let client: StoreClient;
  let resultOf: (points: readonly number[]) => unknown;
  const asked: number[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = "";
      request.on("data", (piece) => {
        body += piece;
      });
      request.on("end", () => {
        const form = new URLSearchParams(body);
        const times: number[] = [];
        const step = Number(form.get("step")?.replace("ms", ""));
        for (let ms = Number(form.get("start")) * 1_000; ms <= Number(form.get("end")) * 1_000; ms += step)
          times.push(ms);
        if (request.url === "/api/v1/query_range") asked.push(times.length);
        response.end(
          JSON.stringify({ status: "success", data: { resultType: "matrix", result: resultOf(times) } }),
        );
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    client = new StoreClient({ url, flavor: "victoriametrics", concurrency: 1 });
  });

  afterAll(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  });

  async function read(maxResponseBytes: number, flavor: StoreFlavor = "prometheus") {
    const times: number[] = [];
    const invalid: string[] = [];
    const evaluator = new ExpressionReader(client, new LabelCache(2 ** 20), flavor, {
      maxPoints: 100,
      maxResponseBytes,
    });
    const ended = await evaluator.read(
      {
        kind: "expression",
        expr: parse("sum(x)"),
        name: "s",
        stepMs: 1_000,
        window: { fromMs: 0, toMs: 50_000 },
      },
      {
        onSeries: (_, samples) => void times.push(...samples.timestampsMs.subarray(0, samples.length)),
        onBytes: () => {},
        onInvalid: (reason) => void invalid.push(reason),
        wantsMore: () => true,
      },
      forever,
    );
    return { ended, times, invalid };
  }

  const series = (times: readonly number[]) => [{ metric: {}, values: times.map((ms) => [ms / 1_000, "1"]) }];
  const everySecond = Array.from({ length: 50 }, (_, index) => (index + 1) * 1_000);

  test("too large a response is asked for with fewer points, none left out", async () => {
    resultOf = series;
    asked.length = 0;
    const { ended, times } = await read(300);
    expect(ended).toMatchObject({ kind: "complete", samples: 50 });
    expect(times).toEqual(everySecond);
    expect(asked.slice(0, 3)).toEqual([51, 26, 14]);
  });

  test("of VictoriaMetrics each point is asked for alone", async () => {
    resultOf = series;
    asked.length = 0;
    const { ended, times } = await read(1_500, "victoriametrics");
    expect(ended).toMatchObject({ kind: "complete", samples: 50 });
    expect(times).toEqual(everySecond);
    expect(new Set(asked)).toEqual(new Set([1]));
  });

  test("one point that is too large is a failure", async () => {
    resultOf = series;
    expect(await read(20)).toMatchObject({
      ended: { kind: "failed", reason: "answer_too_large" },
      times: [],
    });
  });

  test("points that were not asked for are a failure, not a gap", async () => {
    resultOf = (times) => series(times.map((ms) => ms + 500));
    expect(await read(2 ** 20)).toMatchObject({
      ended: { kind: "failed", reason: "malformed_answer" },
      times: [],
    });
  });

  test("an odd series among others is left out alone", async () => {
    resultOf = (times) => [
      { metric: { a: "1" }, values: [[1.5, "1"]] },
      ...series(times),
      { metric: { b: "1" }, values: [[1, "one"]] },
    ];
    const { ended, times, invalid } = await read(2 ** 20);
    expect(ended).toMatchObject({ kind: "complete", samples: 50 });
    expect(times).toEqual(everySecond);
    expect(invalid).toEqual(["malformed_points"]);
  });

  test("native histograms are counted", async () => {
    resultOf = () => [{ metric: { a: "b" }, histograms: [[1, {}]] }];
    expect(await read(2 ** 20)).toMatchObject({
      ended: { kind: "complete", samples: 0 },
      invalid: ["native_histogram"],
    });
  });
});
