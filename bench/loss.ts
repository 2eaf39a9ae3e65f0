import { sameUpToRounding } from "../scripts/samples/sample-set.ts";
import { sleep } from "../src/base/core/clock.ts";
import { Releasers } from "../src/base/core/service.ts";
import { type FaultProxy, startFaultProxy } from "../test/support/net/fault-proxy.ts";
import { seededRandom } from "../test/support/random.ts";
import {
  diffSamples,
  flushVictoriaMetrics,
  readVictoriaMetrics,
  type SampleSet,
} from "../test/support/samples.ts";
import { type RunningServer, startVictoriaMetrics } from "../test/support/servers.ts";
import type { BenchDaemon } from "./support/daemon.ts";
import { LateWriter } from "./support/late-writer.ts";
import { loadSelector } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import {
  prometheusAgent,
  type RestartableSender,
  type Sender,
  telemetryd,
  vmagent,
} from "./support/senders.ts";
import { UsageMeter } from "./support/usage-meter.ts";
import { megabytes, print, printVerdicts, round } from "./support/verdict.ts";

/**
 * What arrives: telemetryd, vmagent and the Prometheus agent send the same series of one VictoriaMetrics for
 * the same ten minutes with the same troubles, each to a VictoriaMetrics of its own. The peers scrape
 * `/federate`, which is how they read from a store; none of them reads its API or remote read.
 *
 * Every receiver is away for three minutes and slow for a minute and a half, every sender is killed twice
 * (`kill -9`) and started again after five seconds, the store is restarted once, and some of the samples reach
 * it late. In the end, the samples of each receiver are compared with those of the store, one by one.
 */
const options = numberOptions({
  series: 2_000,
  seconds: 600,
  interval: 15,
  /** Percent of the samples that reach the store late, by up to half of the time. */
  late: 5,
  /**
   * How long the receivers must be quiet before they count as complete, and how long that is waited for.
   * telemetryd looks for late samples every 330 s.
   */
  quiet: 360,
  drain: 900,
  seed: 1,
});
const { series, seconds, interval } = options;
const { signal } = new AbortController();
const restartMs = 5_000;
const slowMs = 1_000;
const ofLoad = [{ name: "job", type: "=", value: "node-exporter" }] as const;

interface Contender<Running extends RestartableSender = RestartableSender> {
  readonly name: string;
  readonly sender: Running;
  readonly receiver: RunningServer;
  readonly proxy: FaultProxy;
  readonly meter: UsageMeter;
}

const releasers = new Releasers();
try {
  process.exitCode = await compare();
} finally {
  await releasers.releaseAll();
}

async function compare(): Promise<number> {
  const source = await started(startVictoriaMetrics());
  const fromMs = Date.now();
  const writer = new LateWriter(source.url, {
    ...{ series, everyMs: interval * 1_000, latePercent: options.late, maxLateMs: seconds * 500 },
    random: seededRandom(options.seed),
  });
  const ours = await contend(telemetryd(500), source);
  const contenders: readonly Contender[] = [
    ours,
    await contend(vmagent, source),
    await contend(prometheusAgent, source),
  ];
  const over = new AbortController();
  const writing = writer.run(over.signal);
  // A failure of the writer ends the wait, too.
  await Promise.race([writing, cause(contenders, source, writer)]);
  over.abort();
  await writing;
  print(`written: ${writer.written} samples, ${writer.late} of them late`);

  await untilQuiet(contenders);
  print(`${ours.name}: found ${await lateFoundBy(ours.sender)} late samples after it had read their time`);
  const held = await samplesOf(source, fromMs);
  const rows: Record<string, object> = {};
  let lostByUs = 0;
  for (const { name, receiver, meter } of contenders) {
    const { cpuMs, peakBytes, diskBytes } = meter.stop();
    const received = await samplesOf(receiver, fromMs);
    const diff = diffSamples(held, received, sameUpToRounding);
    const wrong = diff.extra.size + diff.different.size;
    if (receiver === ours.receiver) {
      lostByUs = diff.missing.size + wrong;
      if (lostByUs > 0) print(`${name}: lost by second of their time: ${bySecond(diff.missing, fromMs)}`);
    }
    rows[name] = {
      "at the source": held.size,
      received: received.size,
      lost: diff.missing.size,
      "lost %": round((diff.missing.size * 100) / held.size),
      repeated: diff.repeated.size,
      "not the source's": wrong,
      "CPU s": round(cpuMs / 1_000),
      "peak MB": megabytes(peakBytes),
      "disk MB": round(diskBytes / 1e6),
    };
  }
  console.table(rows);
  return printVerdicts([{ what: "lost by telemetryd", figure: lostByUs, unit: "samples", atMost: 0 }]);
}

/** How many samples there are of each time, as seconds since the start. */
function bySecond(samples: SampleSet, fromMs: number): string {
  const counts = new Map<number, number>();
  for (const { timestampsMs } of samples.series.values()) {
    for (const timestampMs of timestampsMs) {
      const second = Math.round((timestampMs - fromMs) / 1_000);
      counts.set(second, (counts.get(second) ?? 0) + 1);
    }
  }
  const sorted = [...counts].sort(([one], [other]) => one - other);
  return sorted.map(([second, count]) => `${second} s: ${count}`).join(", ");
}

async function started<Server extends AsyncDisposable>(starting: Promise<Server>): Promise<Server> {
  const server = await starting;
  releasers.push(() => server[Symbol.asyncDispose]());
  return server;
}

async function contend<Running extends RestartableSender>(
  sender: Sender<Running>,
  source: RunningServer,
): Promise<Contender<Running>> {
  const receiver = await started(startVictoriaMetrics());
  const proxy = await started(startFaultProxy(receiver.port));
  const way = { source, endpoint: `${proxy.url}/api/v1/write`, intervalSeconds: interval };
  const running = await started(sender.start(way));
  return { name: sender.name, sender: running, receiver, proxy, meter: new UsageMeter(running) };
}

/** Since the last start of the daemon, which counts no further back. */
async function lateFoundBy({ opsUrl }: BenchDaemon): Promise<number> {
  const text = await (await fetch(`${opsUrl}/metrics`, { signal })).text();
  return Number(/^telemetryd_sink_samples_late_total\{.*\} (\d+)$/m.exec(text)?.[1]);
}

/** Causes all troubles, each at its time; resolves at the end of the time. */
async function cause(all: readonly Contender[], source: RunningServer, writer: LateWriter): Promise<void> {
  const each = (act: (contender: Contender) => Promise<void> | void): Promise<unknown> =>
    Promise.all(all.map(act));
  const kill = async ({ sender }: Contender): Promise<void> => {
    await sender.kill();
    await sleep(restartMs, signal);
    await sender.restart();
  };
  const troubles: readonly (readonly [minute: number, what: string, act: () => Promise<unknown>])[] = [
    [1, "the senders are killed, and started again after 5 s", () => each(kill)],
    [2, "the receivers are away", () => each(({ proxy }) => proxy.down())],
    [3.5, "the senders are killed while the receivers are away", () => each(kill)],
    [5, "the receivers are back", () => each(({ proxy }) => proxy.up())],
    [6.5, "the store is restarted", () => writer.exclusively(() => source.restart())],
    [
      7.5,
      `the receivers take ${slowMs} ms for a request`,
      () => each(({ proxy }) => proxy.plan(() => ({ kind: "late", delayMs: slowMs }))),
    ],
    [9, "the receivers are fast again", () => each(({ proxy }) => proxy.plan(() => ({ kind: "pass" })))],
  ];
  const startMs = performance.now();
  const untilMinute = (minute: number): Promise<void> =>
    sleep(Math.max(0, startMs + minute * (seconds / 10) * 1_000 - performance.now()), signal);
  for (const [minute, what, act] of troubles) {
    await untilMinute(minute);
    print(`${Math.round((performance.now() - startMs) / 1_000)} s: ${what}`);
    await act();
  }
  await untilMinute(10);
}

/** Waits until no receiver has got anything for some time. */
async function untilQuiet(all: readonly Contender[]): Promise<void> {
  const deadlineMs = performance.now() + options.drain * 1_000;
  let last = "";
  let quietFromMs = performance.now();
  while (performance.now() < deadlineMs && performance.now() - quietFromMs < options.quiet * 1_000) {
    await sleep(2_000, signal);
    const now = (await Promise.all(all.map(({ receiver }) => samplesIn(receiver)))).join(" ");
    if (now !== last) quietFromMs = performance.now();
    last = now;
  }
}

/** Samples of the load, as queries count them. */
async function samplesIn({ url }: RunningServer): Promise<number> {
  const query = `sum(count_over_time(${loadSelector}[${seconds + options.drain}s]))`;
  const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query, nocache: "1" })}`);
  const { data } = (await response.json()) as { data: { result: { value: [number, string] }[] } };
  return Number(data.result[0]?.value[1] ?? 0);
}

async function samplesOf({ url }: RunningServer, fromMs: number): Promise<SampleSet> {
  await flushVictoriaMetrics(url, signal);
  return await readVictoriaMetrics(url, { matchers: ofLoad, fromMs, toMs: Date.now() }, signal);
}
