import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ReadConsumer } from "../../src/exporter/metrics-store/ports/sample-reader.ts";
import type { StoreReader } from "../../src/exporter/metrics-store/store-reader.ts";
import type { Series } from "../../src/exporter/series/series.ts";
import { importLines, type WrittenSeries, writeToVictoriaMetrics } from "../support/samples.ts";
import { freePort, type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { Collector, closeReaders, raw, readAll, readerOf } from "../support/store/store-reads.ts";
import { until } from "../support/until.ts";

const forever = new AbortController().signal;
/** A whole second, an hour ago: before the watermark. */
const baseMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000;

function written(
  labels: Record<string, string>,
  samples: readonly (readonly [number, number])[],
): WrittenSeries {
  return {
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    samples: samples.map(([timestampMs, value]) => ({ timestampMs, value })),
  };
}

afterAll(closeReaders);

describe("VictoriaMetrics", () => {
  let store: RunningServer;
  let reader: StoreReader;

  setUpAll(async ({ keep }) => {
    store = await keep(startVictoriaMetrics());
    reader = readerOf(store.url);
    const everyMs = Array.from({ length: 2_001 }, (_, index) => [baseMs + index, index] as const);
    await writeToVictoriaMetrics(
      store.url,
      [
        written({ __name__: "every_ms" }, everyMs),
        written({ __name__: "marked", job: "a" }, [
          [baseMs, 1],
          [baseMs + 1_000, Number.NaN],
          [baseMs + 2_000, 2.5],
        ]),
        written({ __name__: "stale_first" }, [[baseMs, Number.NaN]]),
        written({ __name__: "up_to_infinity" }, [
          [baseMs, Number.POSITIVE_INFINITY],
          [baseMs + 1_000, Number.NEGATIVE_INFINITY],
        ]),
        written(
          {
            __name__: "odd_labels",
            utf8: "ü€😀",
            quoted: 'a "quote", a \\ and },"values":[1],"timestamps":[2]}',
            control: "tab\tnewline\nbell\u0007del\u007f",
            brace: "}",
            "name.with-odd chars": "x",
          },
          [[baseMs, 1]],
        ),
        written({ __name__: "owned", project: 'we"b\\' }, [[baseMs, 1]]),
        written({ __name__: "owned", project: "shop" }, [[baseMs, 2]]),
        written({ __name__: "owned" }, [[baseMs, 3]]),
        ...Array.from({ length: 500 }, (_, index) =>
          written({ __name__: "many", index: String(index) }, [
            [baseMs, index],
            [baseMs + 15_000, index + 0.5],
          ]),
        ),
      ],
      forever,
    );
  });

  test.each([
    [0, 2_000],
    [-1, 2_000],
    [0, 1],
    [998, 1_001],
    [999, 1_000],
    [1_000, 1_001],
    [1_234, 1_567],
    [5, 5],
  ])("the window (%i ms, %i ms] is exact to the millisecond at both ends", async (from, to) => {
    const window = { fromMs: baseMs + from, toMs: baseMs + to };
    const { outcome, series } = await readAll(reader, { selector: "every_ms", window });
    const expected = Array.from({ length: to - from }, (_, index) => baseMs + from + 1 + index);
    expect(outcome).toMatchObject({ kind: "complete", samples: expected.length });
    expect(series.flatMap(({ times }) => times)).toEqual(expected);
  });

  test("windows that follow each other neither lose nor repeat a sample, whatever their ends", async () => {
    const times: number[] = [];
    let fromMs = baseMs - 1;
    for (let step = 1; fromMs < baseMs + 2_000; step = (step * 7) % 101) {
      const toMs = Math.min(fromMs + step, baseMs + 2_000);
      const { series } = await readAll(reader, { selector: "every_ms", window: { fromMs, toMs } });
      times.push(...series.flatMap((one) => one.times));
      fromMs = toMs;
    }
    expect(times).toEqual(Array.from({ length: 2_001 }, (_, index) => baseMs + index));
  });

  const window = { fromMs: baseMs - 1, toMs: baseMs + 60_000 };

  test("stale markers come as their own bits, first in a line too", async () => {
    const { series } = await readAll(reader, { selector: '{__name__=~"marked|stale_first"}', window });
    const bits = Object.fromEntries(series.map((one) => [one.labels["__name__"], one.bits]));
    expect(bits).toEqual({
      marked: ["000000000000f03f", "020000000000f07f", "0000000000000440"],
      stale_first: ["020000000000f07f"],
    });
  });

  test("infinities survive", async () => {
    const { series } = await readAll(reader, { selector: "up_to_infinity", window });
    expect(series[0]?.values).toEqual([Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]);
  });

  test("labels come as they were written, whatever they hold", async () => {
    const { series } = await readAll(reader, { selector: "odd_labels", window });
    expect(series.map(({ labels }) => labels)).toEqual([
      {
        __name__: "odd_labels",
        utf8: "ü€😀",
        quoted: 'a "quote", a \\ and },"values":[1],"timestamps":[2]}',
        control: "tab\tnewline\nbell\u0007del\u007f",
        brace: "}",
        "name.with-odd chars": "x",
      },
    ]);
  });

  test("a label that is no UTF-8 marks its series, and only that", async () => {
    const line = Buffer.concat([
      Buffer.from('bad_bytes{x="'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from(`"} 1 ${baseMs}\n`),
    ]);
    const good = Buffer.from(`bad_bytes{x="good"} 1 ${baseMs}\n`);
    await fetch(`${store.url}/api/v1/import/prometheus`, {
      method: "POST",
      body: Buffer.concat([line, good]),
    });
    await fetch(`${store.url}/internal/force_flush`);
    const marked: boolean[] = [];
    const consumer = { onSeries: (series: Series) => void marked.push(series.isUtf8) };
    await reader.read(raw({ selector: "bad_bytes", window }), consumer, forever);
    expect(marked.sort()).toEqual([false, true]);
  });

  test("a tenant's read holds only series that bear its label", async () => {
    const tenant = { label: "project", value: 'we"b\\' };
    const { outcome, series } = await readAll(reader, { selector: "owned", tenant, window });
    expect(outcome).toMatchObject({ kind: "complete", series: 1 });
    expect(series.map(({ values }) => values)).toEqual([[1]]);
    // A tenant's own filter on the label does not widen the selection.
    const wider = await readAll(reader, { selector: 'owned{project=~".*"}', tenant, window });
    expect(wider.series.map(({ values }) => values)).toEqual([[1]]);
    const other = await readAll(reader, { selector: 'owned{project="shop"}', tenant, window });
    expect(other.series).toEqual([]);
  });

  test("a series that several alternatives select is read once, each confined to the tenant", async () => {
    const selector = '{__name__="marked" or job="a" or __name__=~"owned|marked" or project="shop"}';
    const { outcome, series } = await readAll(reader, { selector, window });
    expect(outcome).toMatchObject({ kind: "complete", series: 4, samples: 6 });
    expect(series.map(({ labels }) => labels["__name__"]).sort()).toEqual([
      "marked",
      "owned",
      "owned",
      "owned",
    ]);
    const tenant = { label: "project", value: "shop" };
    const own = await readAll(reader, { selector, tenant, window });
    expect(own.outcome).toMatchObject({ kind: "complete", series: 1, samples: 1 });
    expect(own.series.map(({ values }) => values)).toEqual([[2]]);
  });

  test("a selector that matches nothing is a whole read of nothing", async () => {
    const { outcome } = await readAll(reader, { selector: "there_is_no_such_series", window });
    expect(outcome).toMatchObject({ kind: "complete", series: 0, samples: 0, invalidLines: 0 });
  });

  test("callers that ask for the same before it is open share one read; slots are given in order", async () => {
    const one = readerOf(store.url, { concurrency: 1 });
    const requests = ["many", 'many{index="1"}', 'many{index="1"}', 'many{index="1"}'];
    const reads = await Promise.all(requests.map((selector) => readAll(one, { selector, window })));
    expect(reads.map(({ series }) => series.length)).toEqual([500, 1, 1, 1]);
    const metrics = await one.metrics.registry.metrics();
    expect(metrics).toContain('telemetryd_source_reads_total{outcome="complete"} 2');
    expect(metrics).toContain("telemetryd_source_samples_read_total 1002");
    expect(metrics).toContain("telemetryd_source_cached_series 500");
  });

  test("one of two that share a read may leave, or throw; the other gets everything", async () => {
    const one = readerOf(store.url, { concurrency: 1 });
    const blocker = readAll(one, { selector: "every_ms", window });
    const leaving = new Collector();
    leaving.onSeries = () => leaving.handle?.detach();
    const throwing: ReadConsumer = {
      onSeries: () => {
        throw new Error("a fault of the consumer");
      },
    };
    const request = raw({ selector: "many", window });
    const left = one.read(request, leaving, forever);
    const thrown = one.read(request, throwing, forever);
    const stayed = readAll(one, request);
    expect(await left).toEqual({ kind: "detached" });
    await expect(thrown).rejects.toThrow("a fault of the consumer");
    expect((await stayed).series).toHaveLength(500);
    await blocker;
  });

  test("a caller whose signal aborts while it waits gets the reason, and its place is free", async () => {
    const one = readerOf(store.url, { concurrency: 1 });
    const first = readAll(one, { selector: "many", window });
    const abort = new AbortController();
    const waiting = one.read(raw({ selector: "every_ms", window }), new Collector(), abort.signal);
    abort.abort(new Error("no longer"));
    await expect(waiting).rejects.toThrow("no longer");
    expect((await first).outcome.kind).toBe("complete");
    expect((await readAll(one, { selector: "every_ms", window })).outcome.kind).toBe("complete");
  });

  test("the store's clock is known after the first response, and never ahead of it", async () => {
    const fresh = readerOf(store.url);
    expect(fresh.storeNowMs()).toBeUndefined();
    await readAll(fresh, { selector: "marked", window });
    const storeNowMs = fresh.storeNowMs() ?? 0;
    expect(storeNowMs).toBeLessThanOrEqual(Date.now());
    expect(storeNowMs).toBeGreaterThan(Date.now() - 1_500);
  });

  test("what is no MetricsQL is refused", async () => {
    const { outcome } = await readAll(reader, { selector: "many{", window });
    expect(outcome).toMatchObject({ kind: "failed", reason: "unsupported_selector" });
  });

  test("a path prefix is kept, and a wrong one is said", async () => {
    const kept = await readAll(readerOf(`${store.url}/prometheus/`), { selector: "marked", window });
    expect(kept.outcome.kind).toBe("complete");
    const wrong = await readAll(readerOf(`${store.url}/nowhere`), { selector: "marked", window });
    expect(wrong.outcome).toMatchObject({ kind: "failed" });
  });
});

describe("a store that goes away", () => {
  test("killed in mid-stream: what came is true, the read has failed; then it is unreachable; then it is back", async () => {
    await using store = await startVictoriaMetrics();
    // More than any socket buffer, so that the store is still writing when it is killed.
    const lines = (function* () {
      const times = Array.from({ length: 500 }, (_, index) => baseMs + index * 1_000);
      for (let index = 0; index < 4_000; index++) {
        const values = times.map((_, step) => index * 1_000 + step / 7);
        yield `{"metric":{"__name__":"big","index":"${index}"},"values":[${values}],"timestamps":[${times}]}\n`;
      }
    })();
    await importLines(store.url, lines, forever);
    await fetch(`${store.url}/internal/force_flush`);
    const reader = readerOf(store.url);
    const request = raw({ selector: "big", window: { fromMs: baseMs - 1, toMs: baseMs + 600_000 } });
    let seen = 0;
    const killing: ReadConsumer = {
      onSeries: () => {
        if (seen++ === 0) store.signal("SIGKILL");
      },
    };
    const outcome = await reader.read(request, killing, forever);
    expect(seen).toBeGreaterThan(0);
    expect(outcome).toMatchObject({
      kind: "failed",
      reason: expect.stringMatching(/connection_lost|incomplete_body/),
    });
    const again = await readAll(reader, request);
    expect(again.outcome).toMatchObject({ kind: "failed", reason: "unreachable" });
    await store.restart();
    // The store may lose the samples of its last seconds; only a complete response matters.
    expect((await readAll(reader, request)).outcome).toMatchObject({ kind: "complete" });
  });

  test("unreachable from the start", async () => {
    const reader = readerOf(`http://127.0.0.1:${await freePort()}`);
    const { outcome } = await readAll(reader, { selector: "x", window: { fromMs: 0, toMs: 1 } });
    expect(outcome).toMatchObject({ kind: "failed", reason: "unreachable" });
  });
});

test("the store behind an address changes: found out again", async () => {
  const port = await freePort();
  const reader = readerOf(`http://127.0.0.1:${port}`);
  const request = { selector: "up", window: { fromMs: 0, toMs: 1 } };
  // Not at 1970: newer VictoriaMetrics evaluates nothing before it.
  const evaluation = { selector: "up default 1", window: { fromMs: baseMs, toMs: baseMs + 15_000 } };
  {
    await using _prometheus = await startPrometheus({ port });
    expect((await readAll(reader, request)).outcome).toMatchObject({ kind: "complete" });
    expect((await readAll(reader, evaluation)).outcome).toMatchObject({ reason: "unsupported_selector" });
  }
  await using _store = await startVictoriaMetrics({ port });
  expect((await readAll(reader, request)).outcome).toMatchObject({ kind: "complete" });
  expect((await readAll(reader, evaluation)).outcome).toMatchObject({ kind: "complete" });
});

describe("a store that responds oddly", () => {
  let server: Server;
  let url: string;
  let respond: Parameters<typeof createServer>[1];

  beforeAll(async () => {
    server = createServer((request, response) => {
      if (request.url === "/api/v1/status/buildinfo") {
        response.setHeader("x-server-hostname", "test");
        response.end('{"status":"success","data":{}}');
        return;
      }
      respond?.(request, response);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const line = '{"metric":{"__name__":"x","project":"web"},"values":[1],"timestamps":[1000]}\n';
  const request = raw({ selector: "x", window: { fromMs: 0, toMs: 5_000 } });

  test.each([
    [503, { "retry-after": "7" }, { reason: "overloaded", retryAfterMs: 7_000 }],
    [429, {}, { reason: "overloaded" }],
    [500, {}, { reason: "server_error" }],
    [422, {}, { reason: "bad_request" }],
    [401, {}, { reason: "unauthorized" }],
    [404, {}, { reason: "not_found" }],
    [302, { location: "http://elsewhere/" }, { reason: "redirected" }],
    [504, {}, { reason: "timeout" }],
  ])("status %i", async (status, headers, expected) => {
    respond = (_, response) => {
      response.writeHead(status, headers);
      response.end("the store's words");
    };
    const { outcome } = await readAll(readerOf(url), request);
    expect(outcome).toMatchObject({ kind: "failed", ...expected });
    if (status !== 302)
      expect(outcome).toMatchObject({ message: expect.stringContaining("the store's words") });
  });

  test.each([
    [
      "an error after the lines",
      `${line}remoteAddr: "1.2.3.4"; cannot fetch: timeout exceeded\n`,
      "store_error",
    ],
    ["an error without an end", `${line}cannot fetch`, "store_error"],
    ["an error as JSON", `${line}{"status":"error","error":"timeout exceeded"}\n`, "store_error"],
    ["half a line", line + line.slice(0, 40), "incomplete_body"],
    [
      "a line that is none",
      `${line}{"metric":{"a":"b"},"values":[1,2],"timestamps":[1]}\n`,
      "malformed_line",
    ],
  ])("status 200 and %s", async (_, body, reason) => {
    respond = (_, response) => response.end(body);
    const { outcome, series } = await readAll(readerOf(url), request);
    expect(outcome).toMatchObject({ kind: "failed", reason });
    expect(series).toHaveLength(1);
  });

  test("a body without length or chunks is not taken for whole", async () => {
    respond = (_, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${line}`);
    };
    expect((await readAll(readerOf(url), request)).outcome).toMatchObject({ reason: "unframed_body" });
  });

  test("a body that stalls is aborted", async () => {
    respond = (_, response) => {
      response.write(line);
    };
    const { outcome, series } = await readAll(readerOf(url, {}, { readMs: 300 }), request);
    expect(outcome).toMatchObject({ kind: "failed", reason: "timeout" });
    expect(series).toHaveLength(1);
  });

  test("a series without the tenant's label fails the read, and nothing of it is passed on", async () => {
    respond = (_, response) => response.end(line + line.replace("web", "shop") + line);
    const tenant = { label: "project", value: "web" };
    const { outcome, series } = await readAll(readerOf(url), { ...request, tenant });
    expect(outcome).toMatchObject({ kind: "failed", reason: "tenant_violation" });
    expect(series).toHaveLength(1);
  });

  test("when all have left, the response is cut off at once", async () => {
    let closed = false;
    respond = (_, response) => {
      response.on("close", () => {
        closed = true;
      });
      response.write(line);
    };
    const collector = new Collector();
    collector.onSeries = () => collector.handle?.detach();
    expect(await readerOf(url).read(request, collector, forever)).toEqual({ kind: "detached" });
    await until("the store sees the connection closed", () => closed, 5_000);
  });

  test("what the store is asked: a form, the credentials, the user agent, no compression on this host", async () => {
    const asked: { form: URLSearchParams; headers: Record<string, unknown> }[] = [];
    respond = (message, response) => {
      let body = "";
      message.on("data", (chunk) => {
        body += String(chunk);
      });
      message.on("end", () => {
        // Its flags are read, too.
        if (body !== "") asked.push({ form: new URLSearchParams(body), headers: message.headers });
        response.end();
      });
    };
    const reader = readerOf(url, { headers: { "X-Scope-OrgID": "acme" } });
    await readAll(reader, {
      selector: 'x{a="b"}',
      tenant: { label: "project", value: 'q"' },
      window: { fromMs: 1_790_000_000_000, toMs: 1_790_000_300_007 },
    });
    const [{ form, headers } = { form: new URLSearchParams(), headers: {} }] = asked;
    expect(Object.fromEntries(form)).toEqual({
      "match[]": 'x{a="b",project="q\\""}',
      start: "1790000000.001",
      end: "1790000300.007",
      timeout: "120s",
      "extra_filters[]": '{project="q\\""}',
    });
    expect(headers).toMatchObject({
      "x-scope-orgid": "acme",
      "user-agent": expect.stringMatching(/^telemetryd\//),
    });
    expect(headers["accept-encoding"]).toBeUndefined();
  });
});
