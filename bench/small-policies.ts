import { numberOptions } from "./support/options.ts";
import { runSmallPolicies } from "./support/small-policies.ts";
import { megabytes, print, printVerdicts, round } from "./support/verdict.ts";

/**
 * 10,000 policies of 10 series each, every 30 s: processor time, memory, and how evenly their cycles are
 * spread.
 */
const { policies, series, interval, intervals } = numberOptions({
  policies: 10_000,
  series: 10,
  interval: 30,
  intervals: 2,
});
const run = await runSmallPolicies({ policies, seriesEach: series, intervalSeconds: interval, intervals });
print(
  `${policies} policies: ${run.requests} requests, ${round(run.cpuMsPerCycle)} ms of CPU a cycle; the store took ${round(run.storeCpuShare)} of a core (the writing of the samples included)`,
);
process.exitCode = printVerdicts([
  { what: "CPU", figure: run.cpuShare, unit: "of one core", atMost: 1 },
  { what: "peak memory", figure: megabytes(run.peakBytes), unit: "MB", atMost: 400 },
  { what: "requests in the busiest second", figure: run.unevenness, unit: "times the mean", atMost: 1.5 },
]);
