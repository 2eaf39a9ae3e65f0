import { join } from "node:path";
import { sleep } from "../src/base/core/clock.ts";
import { type RunningServer, startVictoriaMetrics } from "../test/support/servers.ts";
import { startCountingReceiver } from "./support/counting-receiver.ts";
import { startBenchDaemon } from "./support/daemon.ts";
import { bytesBelow } from "./support/disk.ts";
import { loadSelector, writeLive } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { processUsage } from "./support/process-usage.ts";
import { megabytes, print, printVerdicts } from "./support/verdict.ts";

/**
 * The cost of `delivery.lateness: 1h` when nothing is late, beside the same with `0s`: processor time of the
 * store and of telemetryd, memory, disk. Three phases on one store that is written to all the time: nobody
 * reads, `0s`, `1h`. A phase is `seconds` long, which should be a multiple of the pause between two checks
 * (330 s), after a minute to get going.
 */
const { series, interval, seconds } = numberOptions({ series: 50_000, interval: 15, seconds: 660 });
const { signal } = new AbortController();
const limit = `${3 * series}`;
await using source = await startVictoriaMetrics({
  flags: [`-search.maxExportSeries=${limit}`, `-search.maxUniqueTimeseries=${limit}`],
});
const over = new AbortController();
const writing = writeLive(source.url, series, interval * 1_000, over.signal);
await sleep(60_000, signal);

const alone = processUsage(source.pid).cpuMs;
await sleep(seconds * 1_000, signal);
const aloneMs = processUsage(source.pid).cpuMs - alone;
const off = await phase("0s", source);
const on = await phase("1h", source);
over.abort();
await writing;

print(`store: ${aloneMs} ms without readers, ${off.storeMs} with 0s, ${on.storeMs} with 1h`);
print(`telemetryd: ${off.ownMs} ms with 0s, ${on.ownMs} with 1h; ${on.checks} checks`);
const blocks = Math.ceil((seconds + 60) / 300);
const share = (one: number, base: number): number => (100 * one) / base;
process.exitCode = printVerdicts([
  {
    what: "the store's processor time for the checks",
    figure: share(on.storeMs - off.storeMs, off.storeMs - aloneMs),
    unit: "% of that for the export",
    atMost: 5,
  },
  {
    what: "telemetryd's own for lateness",
    figure: share(on.ownMs - off.ownMs, off.ownMs),
    unit: "% of that without",
    atMost: 5,
  },
  {
    what: "disk for what was sent",
    figure: on.diskBytes / series / blocks,
    unit: "bytes a series and five minutes",
    atMost: 16,
  },
  {
    what: "memory for what was sent",
    figure: megabytes(on.peakBytes - off.peakBytes),
    unit: "MB",
    // The peak differs by some MB from run to run.
    atMost: 15 + series * 25e-6,
  },
]);

async function phase(lateness: string, { url, pid }: RunningServer) {
  await using receiver = await startCountingReceiver();
  await using daemon = await startBenchDaemon({
    sourceUrl: url,
    metrics: `interval: ${interval}s`,
    delivery: `lateness: ${lateness}`,
    policies: [{ name: "all", selector: loadSelector, endpoints: [receiver.endpoint] }],
  });
  await sleep(60_000, signal);
  const store = processUsage(pid).cpuMs;
  const own = processUsage(daemon.pid).cpuMs;
  await sleep(seconds * 1_000, signal);
  const text = await (await fetch(`${daemon.opsUrl}/metrics`)).text();
  const usage = processUsage(daemon.pid);
  return {
    storeMs: processUsage(pid).cpuMs - store,
    ownMs: usage.cpuMs - own,
    peakBytes: usage.peakBytes,
    diskBytes: lateness === "0s" ? 0 : bytesBelow(join(daemon.dataDir, "sent")),
    checks: Number(/^telemetryd_sink_late_checks_total\{.*\} (\d+)$/m.exec(text)?.[1] ?? 0),
  };
}
