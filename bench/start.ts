import { startVictoriaMetrics } from "../test/support/servers.ts";
import { startCountingReceiver } from "./support/counting-receiver.ts";
import { startBenchDaemon } from "./support/daemon.ts";
import { backlogOf, loadSelector, writeBacklog } from "./support/load.ts";
import { numberOptions } from "./support/options.ts";
import { print, printVerdicts } from "./support/verdict.ts";

/**
 * Time from the start of the process to the receiver's response to the first request, with a backlog pending.
 */
const { runs, series } = numberOptions({ runs: 5, series: 50_000 });
await using source = await startVictoriaMetrics();
await writeBacklog(
  source.url,
  backlogOf(series, 20, 15_000, Date.now() - 5_000),
  new AbortController().signal,
);

const tookMs: number[] = [];
for (let run = 0; run < runs; run++) {
  await using receiver = await startCountingReceiver();
  await using daemon = await startBenchDaemon({
    sourceUrl: source.url,
    policies: [{ name: "load", selector: loadSelector, endpoints: [receiver.endpoint] }],
    delivery: "startFrom: 30m",
  });
  tookMs.push((await receiver.first) - daemon.startedAtMs);
}
tookMs.sort((a, b) => a - b);
print(`start to first delivered samples, ms: ${tookMs.map(Math.round).join(" ")}`);
// Other work on the machine only makes it longer.
process.exitCode = printVerdicts([
  {
    what: "start to first delivered samples",
    figure: Math.round(tookMs[0] ?? Number.NaN),
    unit: "ms",
    atMost: 1_000,
  },
]);
