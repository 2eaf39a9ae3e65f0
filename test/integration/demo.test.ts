import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Child, startChild } from "../../scripts/servers/child.ts";
import { isRunning } from "../../scripts/servers/process-table.ts";
import { until } from "../support/until.ts";

/** Signals to a running demo. The correctness of its comparison is tested by `npm run demo` itself. */

const root = resolve(import.meta.dirname, "../..");
let folder: string;
let demos: Child[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telemetryd-demo-"));
  demos = [];
});

afterEach(async () => {
  for (const demo of demos) await demo.kill();
  const [demo, ...servers] = allNotedPids();
  if (demo !== undefined && isRunning(demo)) process.kill(demo, "SIGKILL");
  for (const pid of servers) if (isRunning(pid)) process.kill(-pid, "SIGKILL");
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
});

async function startDemo(): Promise<Child> {
  const demo = await startChild({
    name: "demo",
    program: process.execPath,
    args: ["--import", "tsx", join(root, "scripts/demo.ts")],
    cwd: root,
    env: { DEMO_DIRECTORY: folder, DEMO_INSTANCES: "emulated" },
  });
  demos.push(demo);
  return demo;
}

/** Pids of the demo's processes by its own notes, the demo itself first. */
function allNotedPids(): number[] {
  try {
    const notes = JSON.parse(readFileSync(join(folder, "processes.json"), "utf8")) as { pid: number }[];
    return notes.map(({ pid }) => pid);
  } catch {
    return [];
  }
}

function notedPids(): number[] {
  return allNotedPids().slice(1);
}

const startLimitMs = 120_000;
const runs = (demo: Child) =>
  until("the demo runs", () => demo.log().includes("The demo runs"), startLimitMs);

it("Ctrl-C ends everything in order, also when npm passes it on a second time", async () => {
  const demo = await startDemo();
  await runs(demo);
  const pids = notedPids();
  expect(pids).toHaveLength(5);
  demo.signal("SIGINT");
  demo.signal("SIGINT");
  expect(await demo.exited).toEqual({ code: 0, signal: null });
  expect(pids.filter(isRunning)).toEqual([]);
  expect(demo.log()).toContain("ending");
  expect(readFileSync(join(folder, "logs/telemetryd.log"), "utf8")).toMatch(/stopped|stopping/i);
});

it("Ctrl-C while it starts ends what was started", async () => {
  const demo = await startDemo();
  await until("the first server was started", () => notedPids().length > 0);
  const pids = notedPids();
  demo.signal("SIGINT");
  expect(await demo.exited).toEqual({ code: 0, signal: null });
  expect(pids.filter(isRunning)).toEqual([]);
});

it.each(["SIGTERM", "SIGKILL"] as const)("npm alone gets %s, and everything ends", async (signal) => {
  const npm = await startChild({
    name: "npm",
    program: "npm",
    args: ["run", "demo"],
    cwd: root,
    env: { DEMO_DIRECTORY: folder, DEMO_INSTANCES: "emulated" },
  });
  demos.push(npm);
  await runs(npm);
  const pids = allNotedPids();
  expect(pids).toHaveLength(6);
  process.kill(npm.pid, signal);
  await until("everything has ended", () => pids.filter(isRunning).length === 0, 60_000);
  expect(readFileSync(join(folder, "logs/telemetryd.log"), "utf8")).toContain("telemetryd has stopped");
  expect(notedPids()).toEqual([]);
});

it("a second demo is refused while one runs; what a killed one left is ended by the next", async () => {
  const first = await startDemo();
  await runs(first);
  const second = await startDemo();
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.log()).toContain(`another demo is running here: process ${first.pid}`);

  const left = notedPids();
  await first.kill();
  expect(left.filter(isRunning)).toEqual(left);
  const third = await startDemo();
  await runs(third);
  expect(third.log()).toContain("ending what an earlier demo left");
  expect(left.filter(isRunning)).toEqual([]);
  const pids = notedPids();
  third.signal("SIGINT");
  // Later than npm's forwarded signal: the user wants the demo to end at once.
  setTimeout(() => third.signal("SIGINT"), 700);
  await third.exited;
  expect(pids.filter(isRunning)).toEqual([]);
});
