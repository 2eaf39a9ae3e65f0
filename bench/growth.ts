import { startVictoriaMetrics } from "../test/support/servers.ts";
import { runCatchUp } from "./support/catch-up.ts";
import { backlogOf, writeBacklog } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { runSmallPolicies } from "./support/small-policies.ts";
import { megabytes, print, printVerdicts, round } from "./support/verdict.ts";

/**
 * Cost per sample by number of series, and per cycle by number of policies. Neither may grow with the number.
 */
const { series: mostSeries, policies: mostPolicies } = numberOptions({ series: 1_000_000, policies: 10_000 });
/** Four samples per line: 75 s apart, windows of 5 minutes. */
const everyMs = 75_000;
const perWindow = 4;

const bySeries: Record<string, { us: number; peakMegabytes: number }> = {};
for (const [series, windows] of [
  [1_000, 250],
  [10_000, 50],
  [100_000, 10],
  [1_000_000, 3],
] as const) {
  if (series > mostSeries) continue;
  await using source = await startVictoriaMetrics({ flags: [`-search.maxExportSeries=${2 * series}`] });
  const backlog = backlogOf(series, windows * perWindow, everyMs, Date.now() - 5_000);
  await writeBacklog(source.url, backlog, new AbortController().signal);
  // Large enough to keep all labels; see docs/sizing.md.
  const delivery = `memoryLimit: ${Math.max(256, Math.ceil(series / 500))}MiB`;
  const run = await runCatchUp({ source, backlog, maxSize: 5_000, delivery });
  bySeries[series] = { us: (run.cpuMs * 1_000) / run.samples, peakMegabytes: megabytes(run.peakBytes) };
}
console.table(
  Object.fromEntries(
    Object.entries(bySeries).map(([series, { us, peakMegabytes }]) => [
      `${series} series`,
      { "CPU us a sample": round(us), "peak MB": peakMegabytes },
    ]),
  ),
);

const byPolicies: Record<string, number> = {};
for (const policies of [10, 100, 1_000, 10_000]) {
  if (policies > mostPolicies) continue;
  // Few policies make few requests, so they run for more intervals.
  const intervals = Math.max(2, Math.min(20, 2_000 / policies));
  const run = await runSmallPolicies({
    policies,
    seriesEach: 10,
    intervalSeconds: policies < 1_000 ? 2 : 30,
    intervals,
  });
  byPolicies[policies] = run.cpuMsPerCycle;
  print(`${policies} policies: ${round(run.cpuMsPerCycle)} ms of CPU a cycle`);
}
const series = Object.values(bySeries).map(({ us }) => us);
const policies = Object.values(byPolicies);
process.exitCode = printVerdicts([
  { what: "growth per sample, from fewest series to most", figure: growth(series), unit: "x", atMost: 3 },
  {
    what: "growth per cycle, from fewest policies to most",
    figure: growth(policies),
    unit: "x",
    atMost: 1.5,
  },
]);

function growth(costs: readonly number[]): number {
  return (costs.at(-1) ?? Number.NaN) / (costs[0] ?? Number.NaN);
}
