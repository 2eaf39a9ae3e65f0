/**
 * A daemon with one policy for each way in which receivers refuse samples, fail at some, or break connections;
 * it is killed once and restarted once meanwhile. What arrived, what was given up, the conditions on the way,
 * and the number of requests. Real servers where they behave so.
 */
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ensureBuilt } from "../../scripts/daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../../scripts/daemon/daemon.ts";
import { sleep } from "../../src/base/core/clock.ts";
import type { SinkView } from "../../src/exporter/policy/status/status-view.ts";
import { listRejected } from "../../src/exporter/remote-write/rejected/rejected-store.ts";
import { type ReceivedRequest, type ReceiverResponse, startReceiver } from "../support/receiver/receiver.ts";
import {
  flushVictoriaMetrics,
  importLines,
  readPrometheus,
  readVictoriaMetrics,
  writeByRemoteWrite,
} from "../support/samples.ts";
import { freePort, type RunningServer, startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { until } from "../support/until.ts";

const seriesCount = 20;
/** What fails is searched after two minutes without a restart. */
const writeForMs = 190_000;
const killAfterMs = 12_000;
const restartAfterMs = 24_000;
const refusesForMs = 36_000;
const drainMs = 60_000;
/** Longer than VictoriaMetrics takes to make a sample visible on a busy machine. */
const delayMs = 15_000;
/** Of the writing; what a receiver does later is timed by it. */
let startMs = Infinity;
const never = new AbortController().signal;

/** `series@ms` of everything that a receiver has. */
type Arrived = ReadonlySet<string>;

interface RunningReceiver {
  readonly url: string;
  arrived(): Arrived | Promise<Arrived>;
  /** Undefined for a real server. */
  requests?(): number;
  stop(): Promise<void>;
}

interface Row {
  readonly title: string;
  readonly start: (job: string) => Promise<RunningReceiver>;
  /** Series of which the receiver takes no sample; none by default. */
  readonly bad?: readonly number[];
  /** Conditions that are seen before the end, as `status reason`. */
  readonly seen?: readonly string[];
  /** Nothing arrives, and no condition is True, until the policy has this path after `refusesForMs`. */
  readonly pathAfter?: string;
  /** The same with a receiver that then takes everything. */
  readonly isClosedAtFirst?: boolean;
}

function isOpen(): boolean {
  return Date.now() - startMs > refusesForMs;
}

function samplesOf(request: ReceivedRequest): { series: number; text: string }[] {
  return request.series.flatMap(({ labels, samples }) => {
    const series = Number(labels.find(({ name }) => name === "series")?.value);
    return samples.map(({ timestampMs }) => ({ series, text: `${series}@${timestampMs}` }));
  });
}

/** A receiver that responds so, and takes the rest; `takes` says what it stores of a request it refuses. */
const scripted =
  (
    refuse: (request: ReceivedRequest, series: ReadonlySet<number>) => ReceiverResponse | undefined,
    takes: (series: number) => boolean = () => false,
  ) =>
  async (): Promise<RunningReceiver> => {
    const receiver = await startReceiver();
    const arrived = new Set<string>();
    receiver.respond((request) => {
      const samples = samplesOf(request);
      const response = refuse(request, new Set(samples.map(({ series }) => series)));
      for (const { series, text } of samples) if (response === undefined || takes(series)) arrived.add(text);
      return response;
    });
    return {
      url: receiver.url,
      arrived: () => arrived,
      requests: () => receiver.requests.length,
      stop: () => receiver[Symbol.asyncDispose](),
    };
  };

const real =
  (
    server: () => Promise<RunningServer>,
    read: typeof readPrometheus,
    { path = "/api/v1/write", prepare = async (_url: string, _job: string): Promise<void> => undefined } = {},
  ) =>
  async (job: string): Promise<RunningReceiver> => {
    const running = await server();
    await prepare(running.url, job);
    return {
      url: `${running.url}${path}`,
      stop: () => running[Symbol.asyncDispose](),
      arrived: async () => {
        const matchers = [{ name: "job", type: "=" as const, value: job }];
        const found = await read(running.url, { matchers, fromMs: startMs - 1, toMs: Date.now() }, never);
        const texts = [...found.series].flatMap(([key, { timestampsMs }]) => {
          const series = /series="(\d+)"/.exec(key)?.[1];
          return timestampsMs.map((ms) => `${series}@${ms}`);
        });
        return new Set(texts);
      },
    };
  };

/** What was accepted a moment before is not visible without the flush. */
const readFlushed: typeof readPrometheus = async (url, span, signal) => {
  await flushVictoriaMetrics(url, signal);
  return await readVictoriaMetrics(url, span, signal);
};

const failsAt = (status: number) =>
  scripted((_, series) => (series.has(7) ? { status, body: "this one is too much" } : undefined));

const rows: readonly Row[] = [
  {
    title: "VictoriaMetrics, and a mistyped path",
    start: real(startVictoriaMetrics, readFlushed, { path: "/api/v1/wrote" }),
    seen: ["False Suspended", "True UpToDate"],
    pathAfter: "/api/v1/write",
  },
  {
    title: "a gateway whose tenant is not configured",
    start: scripted(() => (isOpen() ? undefined : { status: 400, body: "tenant is not configured" })),
    seen: ["False Suspended", "True UpToDate"],
    isClosedAtFirst: true,
  },
  {
    title: "VictoriaMetrics with -maxInsertRequestSize",
    start: real(() => startVictoriaMetrics({ maxInsertRequestBytes: 600 }), readFlushed),
    seen: ["True UpToDate"],
  },
  {
    title: "413 to everything for a while",
    start: scripted(() => (isOpen() ? undefined : { status: 413, body: "too large" })),
    seen: ["True UpToDate"],
    isClosedAtFirst: true,
  },
  { title: "503 for one series", start: failsAt(503), bad: [7], seen: ["False Retrying"] },
  { title: "429 for one series", start: failsAt(429), bad: [7], seen: ["False Retrying"] },
  {
    title: "connections that are reset where the body is large",
    start: scripted(({ body }) => (body.length > 300 ? { fault: "reset" } : undefined)),
    seen: ["True UpToDate"],
  },
  {
    title: "400, although the valid part is stored",
    start: scripted(
      (_, series) => (series.has(3) ? { status: 400, body: "out of bounds" } : undefined),
      (series) => series !== 3,
    ),
    bad: [3],
    seen: ["True UpToDate"],
  },
  {
    title: "10 % bad series",
    start: scripted((_, series) => (series.has(0) || series.has(11) ? { status: 422 } : undefined)),
    bad: [0, 11],
    seen: ["True UpToDate"],
  },
  {
    title: "a Prometheus, and a series that another sender writes, too",
    start: real(startPrometheus, readPrometheus, {
      prepare: async (url, job) => {
        const labels = labelsOf(job, 5);
        const samples = [{ timestampMs: Date.now() + 600_000, value: 1 }];
        await writeByRemoteWrite(`${url}/api/v1/write`, [{ labels, samples }], never);
      },
    }),
    bad: [5],
    seen: ["True UpToDate"],
  },
];

function labelsOf(job: string, series: number): { name: string; value: string }[] {
  return [
    { name: "__name__", value: "refused" },
    { name: "job", value: job },
    { name: "series", value: String(series) },
  ];
}

const jobs = rows.map((_, index) => `row-${index}`);
const receivers: RunningReceiver[] = [];
const written: string[] = [];
/** Of each row: `status reason`, in order, without repeats in a row. */
const seen: string[][] = rows.map(() => []);
/** The same, and the delivery, before `refusesForMs`. */
let seenEarly: string[][] = [];
const early: SinkView[] = [];
let store: RunningServer;
let folder: string;
let daemon: RunningDaemon;

async function writePolicy(index: number, url: string): Promise<void> {
  const policy = {
    apiVersion: "telemetry.platformapis/v1alpha1",
    kind: "ExportPolicy",
    metadata: { name: jobs[index], namespace: "default" },
    spec: {
      sources: [{ name: "all", metrics: { metricsql: `{job="${jobs[index]}"}` } }],
      sinks: [
        {
          name: "sink",
          sources: ["all"],
          target: {
            prometheusRemoteWrite: {
              endpoint: url,
              batch: { timeout: "1s", maxSize: 1_000 },
              retry: { maxAttempts: 2, backoffDuration: "200ms" },
            },
          },
        },
      ],
    },
  };
  const file = join(folder, "policies", `${jobs[index]}.json`);
  await writeFile(`${file}.new`, JSON.stringify(policy));
  await rename(`${file}.new`, file);
}

async function start(): Promise<void> {
  daemon = await startDaemon({
    configFile: join(folder, "telemetryd.yaml"),
    opsPort: await freePort(),
    logFile: join(folder, "telemetryd.log"),
    signal: never,
  });
}

async function look(): Promise<SinkView[]> {
  const { policies } = await daemon.status(never);
  const sinks = jobs.map((job) => policies.find(({ name }) => name === job)?.sinks[0]);
  return sinks.map((sink, index) => {
    if (sink === undefined) throw new Error(`no sink of ${jobs[index]}`);
    const { status, reason } = sink.conditions.find(({ type }) => type === "Delivering") ?? {};
    const text = `${status} ${reason}`;
    if (seen[index]?.at(-1) !== text) seen[index]?.push(text);
    return sink;
  });
}

async function writeTick(timestamp = Date.now()): Promise<void> {
  const lines = jobs.flatMap((job) =>
    Array.from({ length: seriesCount }, (_, series) => {
      const metric = Object.fromEntries(labelsOf(job, series).map(({ name, value }) => [name, value]));
      return `${JSON.stringify({ metric, values: [series], timestamps: [timestamp] })}\n`;
    }),
  );
  await importLines(store.url, lines, never);
  for (let series = 0; series < seriesCount; series++) written.push(`${series}@${timestamp}`);
}

async function writeAll(): Promise<void> {
  while (Date.now() - startMs < writeForMs) {
    await writeTick();
    await sleep(1_000, never);
  }
}

async function watch(end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    // Not while it is restarted.
    await look().catch(() => undefined);
    await sleep(300, never);
  }
}

const ended = new AbortController();
let watching = Promise.resolve();
let final: SinkView[] = [];

beforeAll(async () => {
  await ensureBuilt(never, () => undefined);
  folder = await mkdtemp(join(tmpdir(), "telemetryd-refusing-"));
  await mkdir(join(folder, "policies"));
  store = await startVictoriaMetrics();
  for (const [index, row] of rows.entries()) receivers.push(await row.start(jobs[index] ?? ""));
  for (const [index, { url }] of receivers.entries()) await writePolicy(index, url);
  const config = [
    "policies: { directory: ./policies }",
    `metrics: { url: "${store.url}", interval: 1s, delay: ${delayMs}ms }`,
    "state: { directory: ./state }",
  ];
  await writeFile(join(folder, "telemetryd.yaml"), config.join("\n"));
  // VictoriaMetrics shows new series late.
  await writeTick(Date.now() - 60_000);
  written.length = 0;
  await flushVictoriaMetrics(store.url, never);
  await start();
  // An export begins with the sink's first cycle.
  await until("every sink has begun", async () =>
    (await look()).every((sink) => sink.checkpoint !== undefined),
  );
  startMs = Date.now();
  const writing = writeAll();
  watching = watch(ended.signal);
  await sleep(Math.max(0, startMs + killAfterMs - Date.now()), never);
  await daemon.child.kill();
  await start();
  await sleep(Math.max(0, startMs + restartAfterMs - Date.now()), never);
  await daemon.child.stop();
  await start();
  await sleep(Math.max(0, startMs + refusesForMs - 2_000 - Date.now()), never);
  early.push(...(await look()));
  seenEarly = seen.map((conditions) => [...conditions]);
  for (const [index, { pathAfter }] of rows.entries()) {
    if (pathAfter !== undefined) await writePolicy(index, new URL(pathAfter, receivers[index]?.url).href);
  }
  await writing;
  const lastMs = Number(written.at(-1)?.split("@")[1]);
  const isDelivered = ({ checkpoint = "" }: SinkView) => Date.parse(checkpoint) > lastMs;
  await until("the status is complete", async () => {
    final = await look();
    return final.length === rows.length;
  });
  // Those that are behind say so in a test of their own.
  for (let left = drainMs; left > 0 && !final.every(isDelivered); left -= 500) {
    await sleep(500, never);
    final = await look();
  }
}, 600_000);

afterAll(async () => {
  ended.abort();
  await watching;
  await daemon?.child.stop();
  for (const receiver of receivers) await receiver.stop();
  await store?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

describe.each(rows.map((row, index) => [row.title, row, index] as const))("%s", (_, row, index) => {
  const { bad = [], seen: expected = [], pathAfter, isClosedAtFirst } = row;
  const isBad = (text: string | undefined) => bad.includes(Number(text?.split("@")[0]));

  test("what would be accepted alone arrives, and nothing else is dropped", async () => {
    const arrived = await receivers[index]?.arrived();
    const good = written.filter((text) => !isBad(text));
    expect(good.filter((text) => arrived?.has(text) !== true)).toEqual([]);
    expect([...(arrived ?? [])].filter(isBad).length).toBeLessThanOrEqual(bad.length);
    const kept = (await listRejected(join(folder, "state", "rejected"))).filter(({ sink }) =>
      sink.includes(jobs[index] ?? "-"),
    );
    const given = kept.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
    expect(given).toBe(written.length - good.length);
  });

  test("everything that was written is settled", () => {
    const lastMs = Number(written.at(-1)?.split("@")[1]);
    expect(Date.parse(final[index]?.checkpoint ?? ""), JSON.stringify(final[index])).toBeGreaterThan(lastMs);
  });

  test("the condition says so", () => {
    for (const condition of expected) expect(seen[index]).toContain(condition);
    if (pathAfter === undefined && isClosedAtFirst !== true) return;
    const sink = early[index];
    expect(sink).toMatchObject({ delivered: 0, rejected: 0, dropped: 0, repeated: 0 });
    // Before the first request it may be True.
    const conditions = seenEarly[index] ?? [];
    const firstFalse = conditions.findIndex((text) => text.startsWith("False"));
    expect(firstFalse).toBeGreaterThanOrEqual(0);
    expect(conditions.slice(firstFalse).filter((text) => text.startsWith("True"))).toEqual([]);
    expect(sink?.conditions.find(({ type }) => type === "Delivering")?.status).not.toBe("True");
  });

  test("with as many requests as that takes", () => {
    // A cycle is a second long, and has one request, or two with suspects; a backlog has few.
    const ticks = written.length / seriesCount;
    expect(receivers[index]?.requests?.() ?? 0).toBeLessThan(3 * ticks);
    expect(final[index]?.lagMs).toBeLessThan(60_000);
  });
});
