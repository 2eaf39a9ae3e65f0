import { totalmem } from "node:os";
import { startVictoriaMetrics } from "../test/support/servers.ts";
import { liveTable, runLive } from "./support/live-run.ts";
import { writeLive } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { prometheusAgent, telemetryd } from "./support/senders.ts";
import { megabytes, print, printVerdicts } from "./support/verdict.ts";

/** Peak memory with a million live series, compared with the Prometheus agent's on the same series. */
const { series, interval } = numberOptions({ series: 1_000_000, interval: 60 });
const neededBytes = series * 16_000;
if (totalmem() < neededBytes) {
  print(`skipped: this machine has ${megabytes(totalmem())} MB, and ${megabytes(neededBytes)} MB are needed`);
  process.exit(0);
}
await using source = await startVictoriaMetrics({
  // The default limits are below a million series.
  flags: [
    `-search.maxExportSeries=${2 * series}`,
    `-search.maxFederateSeries=${2 * series}`,
    `-search.maxUniqueTimeseries=${2 * series}`,
  ],
});
const over = new AbortController();
const writing = writeLive(source.url, series, interval * 1_000, over.signal);
const live = { source, series, seconds: 2 * interval, intervalSeconds: interval, warmSeconds: 0 };
const ours = await runLive(telemetryd(5_000, { memoryLimit: "2GiB" }), live);
const agent = await runLive(prometheusAgent, live);
over.abort();
await writing;
console.table(liveTable([ours, agent], 0, agent.name));
process.exitCode = printVerdicts([
  {
    what: `peak memory at ${series} series`,
    figure: megabytes(ours.peakBytes),
    unit: "MB",
    atMost: megabytes(agent.peakBytes / 2),
  },
]);
