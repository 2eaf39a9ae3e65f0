import { expect, test } from "vitest";
import { silentLogger } from "../../src/base/log/log.ts";
import { StoreClient } from "../../src/exporter/metrics-store/client/store-client.ts";
import { MetricMetadataCache } from "../../src/exporter/metrics-store/samples/metric-metadata.ts";
import { freePort, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { TestClock } from "../support/test-clock.ts";
import { until } from "../support/until.ts";

const forever = new AbortController().signal;

function cacheOf(url: string) {
  const client = new StoreClient({ url, flavor: "auto", concurrency: 2 });
  const clock = new TestClock(0);
  return { client, clock, cache: new MetricMetadataCache({ client, clock, log: silentLogger }) };
}

test("a Prometheus that scrapes itself returns types and help, of a family's series too", async () => {
  const port = await freePort();
  const scrapeConfig = `scrape_configs:\n  - job_name: self\n    scrape_interval: 1s\n    static_configs: [{ targets: ["127.0.0.1:${port}"] }]\n`;
  await using server = await startPrometheus({ port, scrapeConfig });
  const { client, clock, cache } = cacheOf(server.url);
  // Its request counters exist from the first response on, possibly after its first scrape.
  const told = [
    "go_goroutines",
    "prometheus_http_request_duration_seconds_bucket",
    "prometheus_http_requests_total",
  ];
  await until("it knows itself", async () => {
    await cache.tick(forever);
    clock.advance(600_000);
    return told.every((name) => cache.lookup(name) !== undefined);
  });
  expect(cache.lookup("go_goroutines")).toEqual({
    family: "go_goroutines",
    type: "gauge",
    help: "Number of goroutines that currently exist.",
    unit: "",
  });
  expect(cache.lookup("prometheus_http_request_duration_seconds_bucket")).toMatchObject({
    family: "prometheus_http_request_duration_seconds",
    type: "histogram",
  });
  expect(cache.lookup("prometheus_http_requests_total")?.type).toBe("counter");
  expect(cache.lookup("nothing_of_that_name")).toBeUndefined();
  await client.close();
});

test("a store without metadata has none, and that is no fault", async () => {
  await using server = await startVictoriaMetrics();
  const { client, cache } = cacheOf(server.url);
  expect(await cache.tick(forever)).toBeGreaterThan(0);
  expect(cache.lookup("up")).toBeUndefined();
  await client.close();
});
