import { afterEach, expect, test } from "vitest";
import { type Receiver, type ReceiverResponse, startReceiver } from "../support/receiver/receiver.ts";
import { flushVictoriaMetrics, readPrometheus, readVictoriaMetrics } from "../support/samples.ts";
import { startPrometheus, startVictoriaMetrics } from "../support/servers.ts";
import { startSink, type TestSink, testStartMs } from "../support/sink/sink.ts";

/** `retry.order: newestFirst`, through outages of a scripted receiver, and into real ones. */

const minuteMs = 60_000;
const names = ["a", "b", "c", "d"];
const retry = { maxAttempts: 1, backoffMs: 1_000, order: "newestFirst" } as const;
const never = new AbortController().signal;
const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each[Symbol.asyncDispose]();
});

async function start(endpoint: string): Promise<TestSink> {
  const sink = await startSink({ endpoint, plan: { retry }, settings: { maxWindowMs: 4 * minuteMs } });
  open.push(sink);
  return sink;
}

/** A scrape every 15 s, and a cycle after each. */
async function pass(sink: TestSink, minutes: number): Promise<void> {
  for (let turn = 0; turn < minutes * 4; turn++) {
    sink.store.write(names, 1, sink.clock.wallMs + 15_000);
    await sink.cycle(15_000);
  }
}

function timesOf(receiver: Receiver): number[] {
  return [...receiver.samples().series.values()].flatMap(({ timestampsMs }) => timestampsMs);
}

/** Times of the samples that can have arrived. */
function dueTimes({ store, clock }: TestSink): number[] {
  return store.samples.filter(({ ms }) => ms <= clock.wallMs - 10_000).map(({ ms }) => ms);
}

test.each<[string, ReceiverResponse]>([
  ["that responds with 503", { status: 503 }],
  ["that breaks connections", { fault: "reset" }],
])(
  "after an hour of a receiver %s: the newest, then the past, each once; the lag is the past's",
  async (_, fault) => {
    const receiver = await startReceiver();
    open.push(receiver);
    const sink = await start(receiver.url);
    await sink.cycle();
    await pass(sink, 5);
    const beganMs = sink.clock.wallMs;
    receiver.respond(() => fault);
    await pass(sink, 60);
    const endedMs = sink.clock.wallMs;

    // The receiver is back, and takes a little of what is sent at first.
    let requests = 0;
    receiver.respond(() => (++requests > 3 ? { status: 503 } : undefined));
    await pass(sink, 6);
    const first = timesOf(receiver).filter((ms) => ms > beganMs);
    expect(first.length).toBeGreaterThan(0);
    expect(Math.min(...first)).toBeGreaterThan(endedMs - 11 * minuteMs);
    const { lagMs, sources } = sink.exporter.snapshot();
    expect(lagMs).toBeGreaterThan(60 * minuteMs);
    expect(sources[0]?.checkpointMs).toBeLessThan(beganMs + minuteMs);

    receiver.respond(() => undefined);
    await pass(sink, 10);
    expect(sink.exporter.snapshot().lagMs).toBeLessThan(minuteMs);
    expect(sink.condition()).toMatchObject({ status: "True", reason: "UpToDate" });
    expect(timesOf(receiver).sort()).toEqual(dueTimes(sink).sort());
    expect(sink.exporter.snapshot().stats).toMatchObject({ rejected: 0, dropped: 0, repeated: 0 });
  },
);

test("a short outage is caught up in the order of time", async () => {
  const receiver = await startReceiver();
  open.push(receiver);
  const sink = await start(receiver.url);
  await sink.cycle();
  await pass(sink, 5);
  receiver.respond(() => ({ status: 503 }));
  await pass(sink, 4);
  receiver.respond(() => undefined);
  await pass(sink, 6);
  expect(timesOf(receiver).sort()).toEqual(dueTimes(sink).sort());
  for (const samples of receiver.arrivals().values()) {
    const times = samples.map(({ timestampMs }) => timestampMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  }
});

test("an edit to oldestFirst in between loses and repeats nothing", async () => {
  const receiver = await startReceiver();
  open.push(receiver);
  const sink = await start(receiver.url);
  await sink.cycle();
  receiver.respond(() => ({ status: 503 }));
  await pass(sink, 40);
  let requests = 0;
  receiver.respond(() => (++requests > 3 ? { status: 503 } : undefined));
  await pass(sink, 6);
  expect(requests).toBeGreaterThan(3);
  sink.exporter.change(sink.plan({ retry: { maxAttempts: 1, backoffMs: 1_000 } }));
  receiver.respond(() => undefined);
  await pass(sink, 10);
  expect(timesOf(receiver).sort()).toEqual(dueTimes(sink).sort());
});

const receivers = {
  Prometheus: async () => {
    const server = await startPrometheus({ outOfOrderWindow: "4h" });
    open.push(server);
    return { url: server.url, read: readPrometheus };
  },
  VictoriaMetrics: async () => {
    const server = await startVictoriaMetrics();
    open.push(server);
    const read: typeof readPrometheus = async (url, span, signal) => {
      await flushVictoriaMetrics(url, signal);
      return readVictoriaMetrics(url, span, signal);
    };
    return { url: server.url, read };
  },
};

test.each(Object.entries(receivers))("%s holds each sample once", async (_, startReal) => {
  const { url, read } = await startReal();
  const sink = await start(`${url}/api/v1/write`);
  sink.clock.advance(Date.now() - 90 * minuteMs - testStartMs);
  await sink.cycle();
  await pass(sink, 2);
  const fromMs = sink.clock.wallMs - 5 * minuteMs;
  // No cycle runs for an hour.
  for (let turn = 0; turn < 60 * 4; turn++) {
    sink.clock.advance(15_000);
    sink.store.write(names, 1, sink.clock.wallMs);
  }
  await pass(sink, 2);
  expect(sink.exporter.snapshot().lagMs).toBeLessThan(minuteMs);
  const matchers = [{ name: "__name__", type: "=~", value: "a|b|c|d" } as const];
  const held = await read(url, { matchers, fromMs, toMs: sink.clock.wallMs }, never);
  const times = [...held.series.values()].flatMap(({ timestampsMs }) => timestampsMs);
  expect(times.sort()).toEqual(dueTimes(sink).sort());
  expect(sink.exporter.snapshot().stats).toMatchObject({ rejected: 0, dropped: 0, repeated: 0 });
});
