import { sleep } from "../src/base/core/clock.ts";
import { numberOptions } from "./support/options.ts";
import { type BenchPlatform, startBenchPlatform } from "./support/platform.ts";
import { processUsage } from "./support/process-usage.ts";
import { megabytes, print, printVerdicts } from "./support/verdict.ts";

/**
 * Workloads with the emulated provider, in the daemon: many of them at once, then nothing to do, then one
 * project's many instances beside another project's only one. With `--daemons 2`, the provider has a daemon of
 * its own; figures of a process are those of the server's.
 */
const { projects, workloads, replicas, idle, instances, step, daemons } = numberOptions({
  projects: 20,
  workloads: 1_000,
  replicas: 3,
  idle: 60,
  instances: 10_000,
  step: 100,
  daemons: 1,
});
const { signal } = new AbortController();
const limitMs = 600_000;
/** Of the busy project's workloads. */
const busyReplicas = 1_000;

await using platform = await startBenchPlatform({ stepMs: step, isApart: daemons > 1 });
const allAvailableMs = await deployAll(platform);
const afterAll = processUsage(platform.pid);
print(`${workloads} workloads: ${Math.round(afterAll.cpuMs)} ms of CPU so far`);

// What was created settles: reports of the last instances, the provider's first looks.
await sleep(10_000, signal);
const before = processUsage(platform.pid);
await sleep(idle * 1_000, signal);
const after = processUsage(platform.pid);

const aloneMs = await single(platform, "alone");
const busy = await platform.project("busy");
for (let index = 0; index * busyReplicas < instances; index++) await busy.deploy(`w-${index}`, busyReplicas);
const besideMs: number[] = [];
for (let turn = 0; turn < 3; turn++) {
  besideMs.push(await single(platform, `beside-${turn}`));
  print(
    `beside ${await busy.instances()} instances: ${Math.round(besideMs[turn] ?? 0)} ms; alone ${Math.round(aloneMs)} ms`,
  );
  await sleep(5_000, signal);
}
process.exitCode = printVerdicts([
  { what: `${workloads} workloads Available`, figure: allAvailableMs / 1_000, unit: "s", atMost: 60 },
  { what: "idle CPU", figure: (after.cpuMs - before.cpuMs) / (idle * 10), unit: "% of a core", atMost: 2 },
  { what: "peak memory", figure: megabytes(after.peakBytes), unit: "MB", atMost: 400 },
  {
    what: "delay of a workload beside a project that creates many instances",
    figure: Math.max(0, ...besideMs.map((each) => (each - aloneMs) / 1_000)),
    unit: "s",
    atMost: 2,
  },
  {
    what: "peak memory while one project's instances are created",
    figure: megabytes(processUsage(platform.pid).peakBytes),
    unit: "MB",
    atMost: 400,
  },
]);

/** Deploys the workloads of all projects. @returns ms until the last is Available */
async function deployAll(platform: BenchPlatform): Promise<number> {
  const names = Array.from({ length: projects }, (_, index) => `project-${index}`);
  const all = await Promise.all(names.map((name) => platform.project(name)));
  const followed = all.map((project) => project.follow());
  const startedMs = performance.now();
  await Promise.all(
    all.map(async (project, index) => {
      for (let each = index; each < workloads; each += projects) await project.deploy(`w-${each}`, replicas);
    }),
  );
  print(`created after ${Math.round(performance.now() - startedMs)} ms`);
  const available = () => followed.reduce((sum, { availableMs }) => sum + availableMs.size, 0);
  let shown = 0;
  while (available() < workloads && performance.now() - startedMs < limitMs) {
    await sleep(200, signal);
    if (performance.now() - startedMs > (shown + 1) * 10_000)
      print(`${++shown * 10} s: ${available()} Available`);
  }
  for (const each of followed) each.stop();
  if (available() < workloads) return Number.POSITIVE_INFINITY;
  return Math.max(...followed.flatMap(({ availableMs }) => [...availableMs.values()])) - startedMs;
}

/** Ms from the creation of a project's only workload until it is Available. */
async function single(platform: BenchPlatform, name: string): Promise<number> {
  const project = await platform.project(name);
  const followed = project.follow();
  const startedMs = performance.now();
  await project.deploy("only", 1);
  while (followed.availableMs.size === 0 && performance.now() - startedMs < limitMs) await sleep(20, signal);
  followed.stop();
  return (followed.availableMs.get("only") ?? Number.POSITIVE_INFINITY) - startedMs;
}
