import { sleep } from "../src/base/core/clock.ts";
import { startVictoriaMetrics } from "../test/support/servers.ts";
import { startBenchDaemon } from "./support/daemon.ts";
import { numberOptions } from "./support/options.ts";
import { processUsage } from "./support/process-usage.ts";
import { megabytes, printVerdicts } from "./support/verdict.ts";

/** A daemon with default settings and one policy, which selects nothing. */
const { seconds } = numberOptions({ seconds: 60 });
const { signal } = new AbortController();
await using source = await startVictoriaMetrics();
await using daemon = await startBenchDaemon({
  sourceUrl: source.url,
  policies: [{ name: "nothing", selector: '{job="there-is-none"}', endpoints: ["http://127.0.0.1:9/write"] }],
});
await sleep(10_000, signal);
const before = processUsage(daemon.pid);
await sleep(seconds * 1_000, signal);
const after = processUsage(daemon.pid);
process.exitCode = printVerdicts([
  { what: "idle CPU", figure: (after.cpuMs - before.cpuMs) / (seconds * 10), unit: "% of a core", atMost: 1 },
  { what: "idle memory (resident)", figure: megabytes(after.residentBytes), unit: "MB", atMost: 90 },
]);
