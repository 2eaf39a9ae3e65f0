import { ensureBuilt } from "../scripts/daemon/build.ts";
import { type RunningServer, startPrometheus, startVictoriaMetrics } from "../test/support/servers.ts";
import { until } from "../test/support/until.ts";
import type { CommandUsage } from "./support/command.ts";
import {
  type Backlog,
  backlogOf,
  samplesOf,
  writeBacklog,
  writeBacklogByRemoteWrite,
} from "./support/load.ts";
import { type Mover, telemetryd, vmctlFromPrometheus, vmctlFromVictoriaMetrics } from "./support/movers.ts";
import { numberOptions } from "./support/options.ts";
import { ReceivingStore } from "./support/receiving-store.ts";
import { print, printVerdicts, round } from "./support/verdict.ts";

/**
 * Moves a span of samples to a VictoriaMetrics with `telemetryd export` and with vmctl (`VMCTL_BIN`), from a
 * Prometheus (`PROMETHEUS_BIN`) and from a VictoriaMetrics. Measures elapsed and processor time, start
 * included. The movers run in turn in each round, each with a new store; the best round counts.
 */
const options = numberOptions({ series: 5_000, samples: 400, rounds: 3 });
const { signal } = new AbortController();
await ensureBuilt(signal, () => print("building telemetryd"));
const backlog = backlogOf(options.series, options.samples, 15_000, Date.now() - 60_000);
const movers = (peers: readonly Mover[]) => [telemetryd(500), telemetryd(5_000), ...peers];
process.exitCode = Math.max(await compareFromPrometheus(), await compareFromVictoriaMetrics());

async function compareFromPrometheus(): Promise<number> {
  await using source = await startPrometheus({ flags: ["--web.enable-admin-api"] });
  await writeBacklogByRemoteWrite(`${source.url}/api/v1/write`, backlog, signal);
  print(`${samplesOf(backlog)} samples from Prometheus`);
  const best = await compare(source, movers(await vmctlFromPrometheus()));
  const peers = [...best].filter(([name]) => name.startsWith("vmctl")).map(([, usage]) => usage);
  const ours = [...best].filter(([name]) => name.startsWith("telemetryd")).map(([, usage]) => usage);
  return printVerdicts([
    {
      what: "time from Prometheus",
      figure: least(ours, "wallMs") / least(peers, "wallMs"),
      unit: "of vmctl's",
      atMost: 1,
    },
    {
      what: "CPU from Prometheus",
      figure: least(ours, "cpuMs") / least(peers, "cpuMs"),
      unit: "of vmctl's",
      atMost: 1,
    },
  ]);
}

/** No target: vmctl passes the bytes on without decoding them. */
async function compareFromVictoriaMetrics(): Promise<number> {
  await using source = await startVictoriaMetrics();
  await writeBacklog(source.url, backlog, signal);
  print(`${samplesOf(backlog)} samples from VictoriaMetrics`);
  await compare(source, movers([await vmctlFromVictoriaMetrics()]));
  return 0;
}

async function compare(source: RunningServer, all: readonly Mover[]): Promise<Map<string, CommandUsage>> {
  const best = new Map<string, CommandUsage>();
  for (let turn = 0; turn < options.rounds; turn++) {
    for (const mover of all) {
      const usage = await moveOnce(mover, source, backlog);
      const before = best.get(mover.name) ?? usage;
      best.set(mover.name, {
        wallMs: Math.min(before.wallMs, usage.wallMs),
        cpuMs: Math.min(before.cpuMs, usage.cpuMs),
      });
    }
  }
  console.table(
    Object.fromEntries(
      [...best].map(([name, { wallMs, cpuMs }]) => [
        name,
        { "wall s": round(wallMs / 1_000), "CPU us a sample": round((cpuMs * 1_000) / samplesOf(backlog)) },
      ]),
    ),
  );
  return best;
}

async function moveOnce(mover: Mover, source: RunningServer, moved: Backlog): Promise<CommandUsage> {
  await using receiver = await ReceivingStore.start();
  const usage = await mover.run({ source, backlog: moved, receiverUrl: receiver.url });
  // vmctl's remote read omits the newest sample of each series.
  const rows = samplesOf(moved) - (mover.name.startsWith("vmctl") ? moved.series : 0);
  await until(`${mover.name} has moved everything`, async () => (await receiver.rows()) >= rows);
  return usage;
}

function least(usages: readonly CommandUsage[], what: keyof CommandUsage): number {
  return Math.min(...usages.map((usage) => usage[what]));
}
