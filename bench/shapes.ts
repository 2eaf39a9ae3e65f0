import { startVictoriaMetrics } from "../test/support/servers.ts";
import { type CatchUp, runCatchUp } from "./support/catch-up.ts";
import { backlogOf, writeBacklog } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { megabytes, round } from "./support/verdict.ts";

/**
 * The effect of an export's shape on the cost of one backlog: small and large batches, and three sinks that
 * share each read.
 */
const { series, samples } = numberOptions({ series: 50_000, samples: 60 });
await using source = await startVictoriaMetrics();
const backlog = backlogOf(series, samples, 15_000, Date.now() - 5_000);
await writeBacklog(source.url, backlog, new AbortController().signal);

const table: Record<string, object> = {};
for (const { name, maxSize, sinks } of [
  { name: "batches of 500 (the default)", maxSize: 500, sinks: 1 },
  { name: "batches of 5,000 (the most)", maxSize: 5_000, sinks: 1 },
  { name: "three sinks, batches of 500", maxSize: 500, sinks: 3 },
  { name: "three sinks, batches of 5,000", maxSize: 5_000, sinks: 3 },
]) {
  table[name] = row(await runCatchUp({ source, backlog, maxSize, sinks }), sinks);
}
console.table(table);

function row(run: CatchUp, sinks: number): object {
  const read = run.samples / sinks;
  return {
    "CPU us a delivered sample": round((run.cpuMs * 1_000) / run.samples),
    "CPU us a sample read": round((run.cpuMs * 1_000) / read),
    "store CPU us a sample read": round((run.storeCpuMs * 1_000) / read),
    "wire bytes a sample": round(run.wireBytes / run.samples),
    requests: run.requests,
    "peak MB": megabytes(run.peakBytes),
  };
}
