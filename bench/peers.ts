import { sleep } from "../src/base/core/clock.ts";
import { hasZstd } from "../src/exporter/remote-write/encoding/compression.ts";
import { startVictoriaMetrics } from "../test/support/servers.ts";
import { runCatchUp } from "./support/catch-up.ts";
import { cpuRatio, type LiveRun, liveTable, runLive } from "./support/live-run.ts";
import { backlogOf, writeBacklog, writeLive } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { processUsage } from "./support/process-usage.ts";
import { prometheusAgent, telemetryd, vmagent } from "./support/senders.ts";
import { megabytes, print, printVerdicts, round, type Verdict } from "./support/verdict.ts";

/**
 * telemetryd compared with vmagent and the Prometheus agent: the same live series of one VictoriaMetrics, one
 * sender after another for the same time, each with a new VictoriaMetrics that counts the samples received.
 * The peers can only scrape `/federate`, the newest sample of each series; telemetryd sends every raw sample.
 * A catch-up with 20 samples per line comes first; the peers have no equivalent.
 *
 * `--together 1`: runs all senders at the same time, for a machine whose speed varies from minute to minute;
 * the store's own work is then not attributed to a sender. `--warm`: seconds that a sender runs before it is
 * measured. V8 compiles code that runs every 15 s only after minutes, which is irrelevant to a daemon that
 * runs for weeks.
 *
 * With a Node.js that has zstd (22.15 and newer), telemetryd is measured with `compression: zstd` too: wire bytes
 * are judged beside those of a vmagent that sends zstd (1.88 and newer).
 *
 * `TELEMETRYD_EARLIER_CLI`: `dist/cli.js` of another build, which runs beside this one with batches of 500; its
 * CPU a sample is then the one that counts, since it had the same minute.
 */
const options = numberOptions({
  series: 50_000,
  seconds: 60,
  interval: 15,
  backlog: 100,
  warm: 300,
  together: 0,
  /** 1: no figure is judged, only that every sender delivers. */
  unjudged: 0,
});
const { series, seconds, interval } = options;
const largestBatch = 5_000;
const usualBatch = 500;

await using source = await startVictoriaMetrics();
const { signal } = new AbortController();
const backlog = backlogOf(series, options.backlog, interval * 1_000, Date.now() - 5_000);
print(`catching up ${options.backlog} samples of each of ${series} series`);
await writeBacklog(source.url, backlog, signal);
const caughtUp = await runCatchUp({ source, backlog, maxSize: usualBatch });

const over = new AbortController();
const writing = writeLive(source.url, series, interval * 1_000, over.signal);
await sleep(2 * interval * 1_000, signal);
const idleBeforeMs = processUsage(source.pid).cpuMs;
await sleep(2 * interval * 1_000, signal);
const idleStoreMs = ((processUsage(source.pid).cpuMs - idleBeforeMs) * seconds) / (2 * interval);

const live = { source, series, seconds, intervalSeconds: interval, warmSeconds: options.warm };
const earlier = process.env["TELEMETRYD_EARLIER_CLI"];
const zstdSender = telemetryd(largestBatch, { compression: "zstd" });
const senders = [
  ...[vmagent, telemetryd(usualBatch), telemetryd(largestBatch), prometheusAgent],
  ...(!hasZstd ? [] : [telemetryd(usualBatch, { compression: "zstd" }), zstdSender]),
  ...(earlier === undefined ? [] : [telemetryd(usualBatch, { earlier })]),
];
const runs: LiveRun[] = [];
if (options.together === 1) {
  print(`running ${senders.map(({ name }) => name).join(", ")}`);
  runs.push(...(await Promise.all(senders.map((sender) => runLive(sender, live)))));
} else {
  for (const sender of senders) {
    print(`running ${sender.name}`);
    runs.push(await runLive(sender, live));
  }
}
over.abort();
await writing;

console.table(liveTable(runs, idleStoreMs, vmagent.name));
const [agent, ours, oursLarge] = runs;
if (agent === undefined || ours === undefined || oursLarge === undefined) throw new Error("a run is missing");
const agentMicros = (agent.cpuMs * 1_000) / agent.samples;
const caughtUpMicros = (caughtUp.cpuMs * 1_000) / caughtUp.samples;
print(
  `catch-up: ${caughtUp.samples} samples, ${round(caughtUpMicros)} us of CPU each, ${round(caughtUp.wireBytes / caughtUp.samples)} wire bytes each, peak ${megabytes(caughtUp.peakBytes)} MB`,
);
const ofZstd = runs.find(({ name }) => name === zstdSender.name);
if (options.unjudged === 0) {
  process.exitCode = printVerdicts([
    ...(ofZstd === undefined ? [] : zstdVerdicts(ofZstd, agent)),
    {
      what: "CPU per sample, batches of 500",
      figure: cpuRatio(ours, agent),
      unit: "of vmagent's",
      atMost: 0.33,
    },
    {
      what: "CPU per sample, batches of 5,000",
      figure: cpuRatio(oursLarge, agent),
      unit: "of vmagent's",
      atMost: 0.33,
    },
    {
      what: "CPU per sample while catching up",
      figure: caughtUpMicros / agentMicros,
      unit: "of vmagent's",
      atMost: 0.15,
    },
    {
      what: "peak memory",
      figure: megabytes(Math.max(ours.peakBytes, oursLarge.peakBytes)),
      unit: "MB",
      atMost: megabytes(agent.peakBytes),
    },
  ]);
}

function zstdVerdicts(run: LiveRun, agent: LiveRun): Verdict[] {
  const wireBytes = run.wireBytes / run.samples / (agent.wireBytes / agent.samples);
  return [
    { what: "wire bytes per sample, zstd", figure: wireBytes, unit: "of vmagent's", atMost: 1.05 },
    { what: "CPU per sample, zstd", figure: cpuRatio(run, agent), unit: "of vmagent's", atMost: 0.5 },
  ];
}
