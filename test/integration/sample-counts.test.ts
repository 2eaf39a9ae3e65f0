import { describe, expect, test } from "vitest";
import type { CountOutcome, CountRequest } from "../../src/exporter/metrics-store/ports/sample-counter.ts";
import { type WrittenSeries, writeByRemoteWrite, writeToVictoriaMetrics } from "../support/samples.ts";
import { freePort, type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { closeReaders, readAll, readerOf } from "../support/store/store-reads.ts";

const forever = new AbortController().signal;
const stepMs = 15_000;
/** A border of steps, half an hour ago. */
const baseMs = Math.floor((Date.now() - 1_800_000) / stepMs) * stepMs;
const window = { fromMs: baseMs, toMs: baseMs + 4 * stepMs };

function written(
  labels: Record<string, string>,
  samples: readonly (readonly [offsetMs: number, value: number])[],
): WrittenSeries {
  return {
    labels: Object.entries(labels).map(([name, value]) => ({ name, value })),
    samples: samples.map(([offsetMs, value]) => ({ timestampMs: baseMs + offsetMs, value })),
  };
}

const fixture = [
  // On each border, and a ms before and after it.
  written(
    { __name__: "border" },
    [0, 1, 2, 3, 4].flatMap((step) => [-1, 0, 1].map((ms) => [step * stepMs + ms, step] as const)),
  ),
  written({ __name__: "only_start" }, [[0, 1]]),
  written({ __name__: "only_end" }, [[4 * stepMs, 1]]),
  ...["twin_a", "twin_b"].map((name) =>
    written({ __name__: name, job: "twins" }, [
      [1_000, 1],
      [stepMs, 1],
      [stepMs + 1, 1],
    ]),
  ),
  written({ __name__: "twin_b", job: "twins", more: "1" }, [[3 * stepMs, 1]]),
  written({ __name__: "marked", job: "m" }, [
    [1_000, 1],
    [stepMs, Number.NaN],
    [stepMs + 1, Number.NaN],
    [3 * stepMs, 2],
  ]),
  written({ __name__: "only_marked" }, [[stepMs + 1, Number.NaN]]),
  written({ __name__: "owned", project: "shop" }, [[1_000, 1]]),
  written({ __name__: "owned", project: "shop", zone: "b" }, [[2_000, 1]]),
  written({ __name__: "owned", project: 'we"b\\' }, [[stepMs + 1, 1]]),
  written({ __name__: "owned" }, [[2 * stepMs + 1, 1]]),
  ...Array.from({ length: 5_200 }, (_, index) =>
    written({ __name__: `name_${index}`, set: "names" }, [[1_000 + index, index]]),
  ),
  ...Array.from({ length: 1_000 }, (_, index) =>
    written({ __name__: "many", index: String(index) }, [
      [index, index],
      [3 * stepMs + 1 + index, index],
    ]),
  ),
];

type Request = Pick<CountRequest, "selector"> & Partial<CountRequest>;
const shop = { label: "project", value: "shop" };

const stores: Record<string, RunningServer> = {};

setUpAll(async ({ keep, onEnd }) => {
  onEnd(closeReaders);
  const [victoriaMetrics, prometheus] = await Promise.all([
    keep(startVictoriaMetrics()),
    keep(startPrometheus()),
  ]);
  Object.assign(stores, { VictoriaMetrics: victoriaMetrics, Prometheus: prometheus });
  await writeToVictoriaMetrics(victoriaMetrics.url, fixture, forever);
  await writeByRemoteWrite(`${prometheus.url}/api/v1/write`, fixture, forever);
});

function countAt(url: string, request: Request): Promise<CountOutcome> {
  const whole: CountRequest = { window, stepMs, of: "samples", owner: "shop", ...request };
  return readerOf(url).counter.count(whole, forever);
}

describe.each(["VictoriaMetrics", "Prometheus"])("counts of %s", (name) => {
  async function counts(request: Request): Promise<readonly number[]> {
    const outcome = await countAt(stores[name]?.url ?? "", request);
    if (outcome.kind !== "counts") throw new Error(JSON.stringify(outcome));
    return outcome.counts;
  }

  test.each<[string, Request, number[]]>([
    ["steps hold their end, not their start", { selector: "border" }, [3, 3, 3, 3]],
    ["a sample at the window's start is not in it", { selector: "only_start" }, [0, 0, 0, 0]],
    ["one at its end is", { selector: "only_end" }, [0, 0, 0, 1]],
    ["one metric name", { selector: "twin_a" }, [2, 1, 0, 0]],
    ["a name as a matcher", { selector: '{__name__="twin_b"}' }, [2, 1, 1, 0]],
    ["names that differ in nothing else, by a label", { selector: '{job="twins"}' }, [4, 2, 1, 0]],
    ["the same by an expression", { selector: '{__name__=~"twin_.*"}' }, [4, 2, 1, 0]],
    ["more names than fit many queries", { selector: '{set="names"}' }, [5_200, 0, 0, 0]],
    ["many series of a name", { selector: "many" }, [999, 0, 0, 1_000]],
    ["staleness markers are left out", { selector: '{__name__=~"marked|only_marked"}' }, [1, 0, 1, 0]],
    ["a series of nothing but markers", { selector: "only_marked" }, [0, 0, 0, 0]],
    ["a tenant's", { selector: "owned", tenant: shop }, [2, 0, 0, 0]],
    ["a tenant's, without a name", { selector: '{zone=~".*"}', tenant: shop }, [2, 0, 0, 0]],
    [
      "a tenant's of an odd name",
      { selector: "owned", tenant: { label: "project", value: 'we"b\\' } },
      [0, 1, 0, 0],
    ],
    [
      "a tenant's that says it is another's",
      { selector: 'owned{project="web"}', tenant: shop },
      [0, 0, 0, 0],
    ],
    ["nothing", { selector: "absent" }, [0, 0, 0, 0]],
    ["nothing, without a name", { selector: '{absent="1"}' }, [0, 0, 0, 0]],
    [
      "a single step",
      { selector: "border", window: { fromMs: baseMs + stepMs, toMs: baseMs + 2 * stepMs } },
      [3],
    ],
    [
      "before there is anything",
      { selector: "many", window: { fromMs: baseMs - 2 * stepMs, toMs: baseMs } },
      [0, 1],
    ],
    ["other steps", { selector: "border", stepMs: 2 * stepMs }, [6, 6]],
  ])("%s", async (_, request, expected) => {
    expect(await counts(request)).toEqual(expected);
  });

  test("a day of steps of a minute", async () => {
    const minute = 60_000;
    const toMs = Math.ceil((baseMs + 4 * stepMs + 1) / minute) * minute;
    const list = await counts({
      selector: "border",
      stepMs: minute,
      window: { fromMs: toMs - 1_440 * minute, toMs },
    });
    expect(list.length).toBe(1_440);
    expect(list.reduce((sum, count) => sum + count, 0)).toBe(15);
  });

  test("as many as a reading gives, but for markers", async () => {
    const reader = readerOf(stores[name]?.url ?? "");
    for (const selector of ['{__name__!=""}', "border", '{job="twins"}']) {
      const { series } = await readAll(reader, { selector, window });
      const read = series.flatMap(({ values }) => values.filter((value) => !Number.isNaN(value))).length;
      const sum = (await counts({ selector })).reduce((all, count) => all + count, 0);
      expect([selector, sum]).toEqual([selector, read]);
    }
  });
});

describe.each(["VictoriaMetrics", "Prometheus"])("alternatives, at %s", (name) => {
  test.each<[string, string, number[]]>([
    ["of names", '{__name__="twin_a" or __name__="twin_b"}', [4, 2, 1, 0]],
    ["of which one matches nothing", '{__name__="twin_a" or __name__="absent"}', [2, 1, 0, 0]],
    ["that match the same series", 'twin_b{job="twins" or more="1"}', [2, 1, 1, 0]],
    ["without names, that match the same series", '{job="twins" or more="1"}', [4, 2, 1, 0]],
    ["a name with another filter of it", 'twin_a{__name__!="x"}', [2, 1, 0, 0]],
    ["with and without a name", '{__name__="twin_a" or job="twins"}', [4, 2, 1, 0]],
  ])("%s", async (_, selector, expected) => {
    expect(await countAt(stores[name]?.url ?? "", { selector })).toMatchObject({
      kind: "counts",
      counts: expected,
    });
  });
});

describe("staleness markers", () => {
  test("are counted by VictoriaMetrics, at their steps", async () => {
    const request = { selector: '{__name__=~"marked|only_marked|border"}', of: "staleMarkers" } as const;
    expect(await countAt(stores["VictoriaMetrics"]?.url ?? "", request)).toMatchObject({
      kind: "counts",
      counts: [1, 2, 0, 0],
    });
  });

  test("are not counted by Prometheus", async () => {
    const request = { selector: "marked", of: "staleMarkers" } as const;
    expect(await countAt(stores["Prometheus"]?.url ?? "", request)).toEqual({ kind: "unsupported" });
  });
});

test.each(["samples", "staleMarkers"] as const)(
  "a store that is unavailable has no count of %s",
  async (of) => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await countAt(url, { selector: "up", of })).toMatchObject({ kind: "failed" });
  },
);

test.each(["sum(up)", "up{", ""])("%j is no selector", async (selector) => {
  expect(await countAt(stores["Prometheus"]?.url ?? "", { selector })).toMatchObject({
    kind: "failed",
    reason: "unsupported_selector",
  });
});

test("equal requests share a response, and one that is aborted leaves it to the other", async () => {
  const { counter } = readerOf(stores["VictoriaMetrics"]?.url ?? "");
  const request: CountRequest = { selector: "border", window, stepMs, of: "samples", owner: "shop" };
  const given = new AbortController();
  const first = counter.count(request, given.signal);
  const second = counter.count({ ...request, selector: '{__name__="border"}', owner: "web" }, forever);
  given.abort(new Error("given up"));
  await expect(first).rejects.toThrow("given up");
  const outcome = await second;
  expect(outcome).toMatchObject({ kind: "counts", counts: [3, 3, 3, 3] });
  expect(await counter.count(request, forever)).toBe(outcome);
});
