import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { StoreClient } from "../../src/exporter/metrics-store/client/store-client.ts";
import { ReadLimits } from "../../src/exporter/metrics-store/read-limits.ts";
import { StoreReader } from "../../src/exporter/metrics-store/store-reader.ts";
import { randomInteger, seededRandom } from "../support/random.ts";
import { seriesKey, type WrittenSeries, writeByRemoteWrite } from "../support/samples.ts";
import { type RunningServer, startPrometheus } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { closeReaders, readAll, readerOf } from "../support/store/store-reads.ts";

/** Filters on the external labels of a Prometheus, which remote read adds after it has matched. */
/** The slow run of this file has more: see vitest.config.ts. */
const selectorCount = Number(process.env["TELEMETRYD_TEST_SELECTORS"] ?? 200);
const forever = new AbortController().signal;
const stepMs = 15_000;
const baseMs = Math.floor((Date.now() - 1_800_000) / stepMs) * stepMs;
const window = { fromMs: baseMs, toMs: baseMs + 4 * stepMs };
const external = { role: "remote", region: "eu" };
const random = seededRandom(33);
const names = ["up", "down", "up:rate5m", "requests_total"];
const values = ["", "remote", "eu", "x", "a.b", "REMOTE", 'q"\\', "ü€"];
/** Matched as a whole; some match the missing label, too. */
const patterns = [
  ...[
    "rem.+",
    ".*",
    ".+",
    "|x",
    "remote|us",
    "[a-r].*",
    "a\\.b",
    "a.b",
    "(?i)remote",
    "rem(ote)?",
    "x*",
    "^eu$",
  ],
  ...["(eu|us)|remote", "[^x]+", 'q"\\\\', "ü.", "\\w+", "r.{4}e", "()", "(?:)|eu", "e", "mote"],
];
const namePatterns = ["up|down", "up.*", ".+", ".*", "|up", "[dr].+", "u", "up:.+", "(?i)UP", "[^u].*"];

const fixture: Record<string, string>[] = Array.from({ length: 200 }, (_, index) => ({
  __name__: pick(names),
  i: String(index),
  ...present({ role: pick(["", "", "", "remote", "x"]), region: pick(["", "", "eu", "us"]) }),
  ...present({ job: pick(values) }),
}));

let store: RunningServer;
/** The same series with the external labels, in a Prometheus that adds none. */
let oracle: RunningServer;

setUpAll(async ({ keep, onEnd }) => {
  onEnd(closeReaders);
  const scrapeConfig = "global: { external_labels: { role: remote, region: eu } }\n";
  [store, oracle] = await Promise.all([keep(startPrometheus({ scrapeConfig })), keep(startPrometheus())]);
  await writeByRemoteWrite(`${store.url}/api/v1/write`, fixture.map(written), forever);
  await writeByRemoteWrite(
    `${oracle.url}/api/v1/write`,
    fixture.map((labels) => written({ ...external, ...labels })),
    forever,
  );
});
test("random selectors export and count what a Prometheus with these labels selects", async () => {
  const reader = readerOf(store.url);
  const found = new Set<number>();
  const check = async (selector: string, isCounted: boolean): Promise<void> => {
    const wanted = await selectedBy(selector);
    found.add(wanted.length);
    const { outcome, series } = await readAll(reader, { selector, window });
    expect(outcome, selector).toMatchObject({ kind: "complete", series: wanted.length });
    expect(series.map(({ labels }) => keyOf(labels)).sort(), selector).toEqual(wanted);
    if (!isCounted) return;
    const request = { selector, window, stepMs, of: "samples", owner: "" } as const;
    const counts = [1, 1, 0, 0].map((n) => n * wanted.length);
    expect(await reader.counter.count(request, forever), selector).toMatchObject({ kind: "counts", counts });
  };
  for (let round = 0; round < selectorCount; round += 10) {
    const selectors = Array.from({ length: 10 }, randomSelector);
    await Promise.all(selectors.map((selector, index) => check(selector, index % 5 === 0)));
  }
  // Selections of all sizes: a test of selectors that match nothing, or everything, would show little.
  expect(found.size).toBeGreaterThan(Math.min(60, selectorCount / 8));
});

test("a tenant's label may be an external one; nothing of others is exported", async () => {
  const reader = readerOf(store.url);
  const own = await readAll(reader, { selector: "up", window, tenant: { label: "role", value: "x" } });
  const wanted = fixture.filter(({ __name__, role }) => __name__ === "up" && role === "x");
  expect(own.series).toHaveLength(wanted.length);
  expect(new Set(own.series.map(({ labels }) => labels["role"]))).toEqual(new Set(["x"]));
});

test("several servers at one address are noticed", async () => {
  const other = await startPrometheus({
    scrapeConfig: "global: { external_labels: { role: other, region: eu } }\n",
  });
  const front = await startFront([store.url, other.url, other.url, store.url]);
  let skippedMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + skippedMs };
  const url = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  const client = new StoreClient({ url, flavor: "prometheus", concurrency: 1 }, { clock });
  const limits = new ReadLimits({ concurrency: 1, cacheMaxBytes: 2 ** 20, clock });
  const reader = new StoreReader({ client, limits, log: silentLogger, clock });
  try {
    expect(reader.warnings()).toEqual([]);
    for (let read = 0; read < 8; read++) {
      await readAll(reader, { selector: "up", window });
      skippedMs += 11 * 60_000;
    }
    // The clock that skips time is told of, too.
    expect(reader.warnings()).toContainEqual(expect.stringContaining("dropLabels: [role]"));
  } finally {
    client.close();
    reader.close();
    front.closeAllConnections();
    await new Promise((resolve) => front.close(resolve));
    await other[Symbol.asyncDispose]();
  }
});

function present(labels: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ""));
}

function written(labels: Record<string, string>): WrittenSeries {
  return {
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    samples: [1, 2].map((step) => ({ timestampMs: baseMs + step * stepMs - 1, value: step })),
  };
}

function pick<Item>(items: readonly Item[]): Item {
  return items[randomInteger(random, 0, items.length - 1)]!;
}

function keyOf(labels: Record<string, string>): string {
  return seriesKey(Object.entries(labels).map(([name, value]) => ({ name, value })));
}

function randomSelector(): string {
  const filter = (
    labels: readonly string[],
    texts: readonly string[],
    regexps: readonly string[],
  ): string => {
    const op = pick(["=", "!=", "=~", "!~"]);
    const value = pick(op.endsWith("~") ? [...texts, ...regexps].filter(isPattern) : texts);
    return `${pick(labels)}${op}${JSON.stringify(value)}`;
  };
  const group = (): string => {
    const name = () => filter(["__name__"], ["", ...names], namePatterns);
    const other = () =>
      filter(["role", "role", "region", "region", "job", "nope"], ["us", ...values], patterns);
    const ofName = pick([[], [pick(['__name__="up"', '__name__=~"up|down"'])], [name()], [name(), name()]]);
    const others = Array.from({ length: randomInteger(random, 0, 3) }, other);
    const filters = [...ofName, ...others];
    return (filters.length === 0 ? [name()] : filters).join(",");
  };
  const groups = Array.from({ length: pick([1, 1, 2, 3]) }, group);
  return `{${groups.join(" or ")}}`;
}

function isPattern(text: string): boolean {
  return !text.endsWith('"\\');
}

/** The series that the oracle selects, as keys, sorted. PromQL has no `or` within a selector. */
async function selectedBy(selector: string): Promise<string[]> {
  const query = new URLSearchParams();
  for (const group of selector.slice(1, -1).split(" or ")) {
    // Each series has a name; PromQL rejects a selector that matches one without labels.
    query.append("match[]", `{__name__!="",${group}}`);
  }
  const response = await fetch(`${oracle.url}/api/v1/series?${query}`);
  const { data } = (await response.json()) as { data: Record<string, string>[] };
  return data.map((labels) => keyOf(labels)).sort();
}

/** Each request goes to the next of the servers. */
async function startFront(urls: readonly string[]): Promise<Server> {
  let requests = 0;
  const front = createServer((request, response) => {
    const target = new URL(request.url ?? "/", urls[requests++ % urls.length]);
    const { method, headers } = request;
    const forwarded = httpRequest(target, { method, headers }, (found) => {
      response.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(response);
    });
    request.pipe(forwarded);
  });
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  return front;
}
