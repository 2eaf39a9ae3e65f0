import { startVictoriaMetrics } from "../test/support/servers.ts";
import { readRaw, runCatchUp } from "./support/catch-up.ts";
import { backlogOf, samplesOf, writeBacklog } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { megabytes, print, printVerdicts, round } from "./support/verdict.ts";

/**
 * A backlog of 20 million samples: telemetryd's processor time per sample, and its speed compared with the
 * store's own raw export, whose bytes are only counted.
 */
const { series, samples, batch } = numberOptions({ series: 50_000, samples: 400, batch: 500 });
const everyMs = 15_000;
/** Default of `delivery.maxWindow`: 20 samples per line. */
const windowMs = 300_000;

await using source = await startVictoriaMetrics();
const backlog = backlogOf(series, samples, everyMs, Date.now() - 5_000);
print(`writing ${samplesOf(backlog)} samples`);
await writeBacklog(source.url, backlog, new AbortController().signal);

const raw = await readRaw(source, backlog, windowMs);
const ours = await runCatchUp({ source, backlog, maxSize: batch });
const again = await readRaw(source, backlog, windowMs);
const rawMs = Math.min(raw.wallMs, again.wallMs);
console.table({
  "raw export, only counted": {
    "wall s": round(rawMs / 1_000),
    "store CPU s": round(raw.storeCpuMs / 1_000),
  },
  telemetryd: {
    "wall s": round(ours.wallMs / 1_000),
    "store CPU s": round(ours.storeCpuMs / 1_000),
    "CPU s": round(ours.cpuMs / 1_000),
    "CPU s with its start": round(ours.wholeCpuMs / 1_000),
    "peak MB": megabytes(ours.peakBytes),
    requests: ours.requests,
    "wire bytes a sample": round(ours.wireBytes / ours.samples),
  },
});
process.exitCode = printVerdicts([
  {
    what: "CPU per sample, start of the program included",
    figure: (ours.wholeCpuMs * 1_000) / ours.samples,
    unit: "us",
    atMost: 0.5,
  },
  { what: "time beside the raw export's", figure: ours.wallMs / rawMs, unit: "x", atMost: 1 },
]);
