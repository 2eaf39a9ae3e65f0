import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { until } from "../../test/support/until.ts";
import { startChild } from "../servers/child.ts";
import { allProcesses, isRunning } from "../servers/process-table.ts";
import { endLeftovers, openNotes, runningLeftovers } from "./leftovers.ts";

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "telemetryd-leftovers-"));
  file = join(folder, "deep", "processes.json");
});

afterEach(() => rmSync(folder, { recursive: true }));

const sleeper = () => startChild({ name: "sleeper", program: "/bin/sleep", args: ["60"], ownGroup: true });

it("finds and ends what an earlier demo left running", async () => {
  const child = await sleeper();
  openNotes(file).add("sleeper", child.pid);
  const names = runningLeftovers(file).map(({ name }) => name);
  expect(names).toEqual(["demo", "sleeper"]);
  endLeftovers(runningLeftovers(file).filter(({ name }) => name === "sleeper"));
  expect(await child.exited).toEqual({ code: null, signal: "SIGKILL" });
  expect(runningLeftovers(file).map(({ name }) => name)).toEqual(["demo"]);
});

it("ends what a process has started in a group of its own", async () => {
  const script = "setsid sleep 60 & wait";
  const args = ["-c", script];
  const child = await startChild({ name: "parent", program: "/bin/sh", args, ownGroup: true });
  openNotes(file).add("parent", child.pid);
  const grandchild = () => allProcesses().find(({ parentPid }) => parentPid === child.pid);
  await until("setsid runs", () => grandchild()?.command.startsWith("sleep") === true);
  const { pid = 0 } = grandchild() ?? {};
  endLeftovers(runningLeftovers(file).filter(({ name }) => name === "parent"));
  await child.exited;
  await until("the grandchild has ended", () => !isRunning(pid));
});

it("leaves a process alone that only has the same id", async () => {
  const child = await sleeper();
  openNotes(file).add("sleeper", child.pid);
  writeFileSync(file, readFileSync(file, "utf8").replace(/"startTicks": \d+/g, '"startTicks": 7'));
  expect(runningLeftovers(file)).toEqual([]);
  await child.kill();
});

it("has nothing to end without notes, or with notes that were cut off", () => {
  expect(runningLeftovers(file)).toEqual([]);
  openNotes(file);
  writeFileSync(file, '[{"name": "de');
  expect(runningLeftovers(file)).toEqual([]);
});
