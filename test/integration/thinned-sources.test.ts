import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../scripts/daemon/build.ts";
import { startDaemon } from "../../scripts/daemon/daemon.ts";
import { endOf } from "../support/receiver/delivered-rates.ts";
import { type Receiver, startReceiver } from "../support/receiver/receiver.ts";
import {
  seriesKey,
  type WrittenSeries,
  writeByRemoteWrite,
  writeToVictoriaMetrics,
} from "../support/samples.ts";
import { freePort, type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";

/**
 * `interval` of a source, beside the store's own `last_over_time`: a daemon exports from a store that has
 * samples of the past and of the next minutes, is killed, and goes on.
 */

const forever = new AbortController().signal;
const stepMs = 5_000;
const nowMs = Math.floor(Date.now() / stepMs) * stepMs;
const fromMs = nowMs - 200_000;
const toMs = nowMs + 300_000;

/** Samples every `everyMs`, a millisecond off the points; a gap begins with a marker, or without one. */
function scraped(
  name: string,
  everyMs: number,
  gaps: readonly Gap[] = [],
  valueAt = steadily,
): WrittenSeries {
  const samples: { timestampMs: number; value: number }[] = [];
  for (let ms = fromMs + 1; ms <= toMs; ms += everyMs) {
    const gap = gaps.find(({ startMs, endMs }) => ms > fromMs + startMs && ms <= fromMs + endMs);
    if (gap === undefined) samples.push({ timestampMs: ms, value: valueAt(samples.length) });
    else if (gap.isMarked && samples.at(-1)?.timestampMs === ms - everyMs) {
      samples.push({ timestampMs: ms, value: Number.NaN });
    }
  }
  const labels = [
    { name: "__name__", value: `thin_${name}` },
    { name: "job", value: "web" },
  ];
  return { labels, samples };
}

interface Gap {
  /** After {@link fromMs}. */
  readonly startMs: number;
  readonly endMs: number;
  readonly isMarked: boolean;
}

const steadily = (index: number) => index / 4;
const often = Array.from({ length: 24 }, (_, index) => ({
  startMs: index * 20_000 + 7_000 + index * 100,
  endMs: index * 20_000 + 8_000 + (index % 5) * 3_000,
  isMarked: true,
}));
const fixture = [
  scraped("counter_total", 1_000),
  scraped("often", 1_000, often),
  scraped("gone", 1_000, [{ startMs: 162_000, endMs: 1e9, isMarked: true }]),
  scraped("silent", 1_000, [{ startMs: 162_000, endMs: 190_000, isMarked: false }]),
  scraped("rare", 12_345),
  scraped("infinite", 1_700, [], (index) =>
    index % 3 === 0 ? Infinity : index % 3 === 1 ? -Infinity : index,
  ),
  ...Array.from({ length: 60 }, (_, index) =>
    scraped(`many_${index}`, 1_000 + index * 37, often.slice(index % 7)),
  ),
];

type Points = Map<string, number>;
const pointKey = (key: string, ms: number) => `${key} ${(ms - fromMs) / 1_000}`;

/** Where the store's markers say that a series has ended, and no value follows in the step. */
function expectedMarkers(points: Points, firstMs: number, lastMs: number): Set<string> {
  const markers = new Set<string>();
  for (const { labels, samples } of fixture) {
    for (const { timestampMs, value } of samples) {
      if (!Number.isNaN(value)) continue;
      const own = Math.ceil(timestampMs / stepMs) * stepMs;
      const key = seriesKey(labels);
      const inStep = samples.filter(({ timestampMs: ms }) => ms > own - stepMs && ms <= own);
      const ms = points.has(pointKey(key, own)) ? own + stepMs : own;
      const hasEnded = Number.isNaN(inStep.at(-1)?.value ?? 0);
      if (hasEnded && ms >= firstMs && ms <= lastMs && !points.has(pointKey(key, ms)))
        markers.add(pointKey(key, ms));
    }
  }
  return markers;
}

async function query(url: string, text: string, firstMs: number, lastMs: number): Promise<Points> {
  const form = {
    query: text,
    start: String(firstMs / 1_000),
    end: String(lastMs / 1_000),
    step: `${stepMs}ms`,
    nocache: "1",
  };
  const response = await fetch(`${url}/api/v1/query_range`, {
    method: "POST",
    body: new URLSearchParams(form),
  });
  const { data } = (await response.json()) as {
    data: { result: { metric: Record<string, string>; values: [number, string][] }[] };
  };
  const points: Points = new Map();
  for (const { metric, values } of data.result) {
    const key = seriesKey(Object.entries(metric).map(([name, value]) => ({ name, value })));
    for (const [seconds, value] of values) {
      points.set(pointKey(key, Math.round(seconds * 1_000)), Number(value.replace("Inf", "Infinity")));
    }
  }
  return points;
}

/** Ranges of Prometheus 2 include their start, those of Prometheus 3 and VictoriaMetrics do not. */
async function includesStart(url: string): Promise<boolean> {
  const response = await fetch(`${url}/api/v1/status/buildinfo`);
  const text = await response.text();
  return response.status === 200 && /"version":"2\.\d+\.\d+[^"]*","revision"/.test(text);
}

const policy = (url: string, metricsql: string) => ({
  ...{ apiVersion: "telemetry.platformapis/v1alpha1", kind: "ExportPolicy" },
  metadata: { name: "thinned", namespace: "default" },
  spec: {
    sources: [{ name: "thinned", metrics: { metricsql }, interval: "5s" }],
    sinks: [
      {
        name: "main",
        sources: ["thinned"],
        target: { prometheusRemoteWrite: { endpoint: url, batch: { timeout: "1s", maxSize: 50 } } },
      },
    ],
  },
});

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

beforeAll(() => ensureBuilt(forever, () => undefined), 240_000);

describe.each(Object.entries(stores))("from %s", (_, start) => {
  let store: RunningServer;
  let receiver: Receiver;
  let folder: string;
  setUpAll(async ({ keep, newFolder }) => {
    store = await keep(start());
    receiver = await keep(startReceiver());
    folder = await newFolder("thinned");
    await mkdir(join(folder, "policies"));
    const config = {
      policies: { directory: "./policies" },
      metrics: { url: store.url, interval: "1s", delay: "1s", expressionDelay: "1s" },
      delivery: { startFrom: "150s", maxWindow: "20s" },
      state: { directory: "./state" },
    };
    await writeFile(join(folder, "telemetryd.yaml"), JSON.stringify(config));
  });

  /** Runs the daemon until samples up to `untilMs` have arrived, and kills it. */
  async function runUntil(untilMs: number): Promise<void> {
    const daemon = await startDaemon({
      configFile: join(folder, "telemetryd.yaml"),
      opsPort: await freePort(),
      signal: forever,
    });
    try {
      const newest = () => Math.max(0, ...receiver.requests.map((request) => endOf(request) ?? 0));
      await until("the samples have arrived", () => newest() >= untilMs);
    } finally {
      process.kill(-daemon.child.pid, "SIGKILL");
      await daemon.child.kill();
    }
  }

  test("exactly the store's last_over_time at the points, and its markers, through kill -9", async () => {
    await writeFile(
      join(folder, "policies", "policy.json"),
      JSON.stringify(policy(receiver.url, '{__name__=~"thin_.+"}')),
    );
    await runUntil(nowMs - 60_000);
    await runUntil(nowMs);
    await runUntil(Math.ceil(Date.now() / stepMs) * stepMs + 2 * stepMs);

    const values: Points = new Map();
    const markers = new Set<string>();
    let repeated = 0;
    let firstMs = Infinity;
    let newestMs = 0;
    const arrived = receiver.samples();
    for (const [key, { timestampsMs, values: found }] of arrived.series) {
      for (const [index, ms] of timestampsMs.entries()) {
        firstMs = Math.min(firstMs, ms);
        newestMs = Math.max(newestMs, ms);
        const value = Number(found[index]);
        const at = pointKey(key, ms);
        if (markers.has(at) || values.has(at)) repeated++;
        if (Number.isNaN(value)) markers.add(at);
        else {
          expect(values.get(at) ?? value).toBe(value);
          values.set(at, value);
        }
      }
    }
    // Of the last point, some may have been in flight.
    const lastMs = newestMs - stepMs;
    const isCompared = (at: string) => Number(at.slice(at.lastIndexOf(" ") + 1)) * 1_000 + fromMs <= lastMs;
    // A VictoriaMetrics repeats the points before them in place of the last half minute's.
    await until("the store shows the last point", () => Date.now() > lastMs + 31_000);
    const rangeMs = (await includesStart(store.url)) ? stepMs - 1 : stepMs;
    const expected = await query(
      store.url,
      `last_over_time({__name__=~"thin_.+"}[${rangeMs}ms])`,
      firstMs,
      lastMs,
    );
    expect(expected.size).toBeGreaterThan(1_500);
    expect(new Map([...values].filter(([at]) => isCompared(at)).sort())).toEqual(
      new Map([...expected].sort()),
    );
    const expectedEnds = expectedMarkers(expected, firstMs, lastMs);
    expect(expectedEnds.size).toBeGreaterThan(50);
    expect([...markers].filter(isCompared).sort()).toEqual([...expectedEnds].sort());
    // Only what was in flight when it was killed.
    expect(repeated).toBeLessThanOrEqual(2 * 4 * 50);
  });
});
