import { expect, it } from "vitest";
import { allProcesses, isRunning, parseStat, readProcess } from "./process-table.ts";

it("reads a stat line whose name holds spaces and parentheses", () => {
  const rest = "S 10 20 30 0 -1 4194560 1 0 0 0 5 6 0 0 20 0 11 0 4711 100 200";
  expect(parseStat(`42 (a) b) ${rest}`, "")).toEqual({
    pid: 42,
    parentPid: 10,
    groupId: 20,
    isZombie: false,
    startTicks: 4711,
    command: "a) b",
  });
  expect(parseStat(`42 (x) ${rest.replace("S", "Z")}`, "x -f y")).toMatchObject({
    isZombie: true,
    command: "x -f y",
  });
  expect(parseStat("", "")).toBeUndefined();
});

it("finds this process, and not one that cannot be", () => {
  expect(readProcess(process.pid)).toMatchObject({ pid: process.pid, parentPid: process.ppid });
  expect(allProcesses().map((entry) => entry.pid)).toContain(process.pid);
  expect(isRunning(process.pid)).toBe(true);
  expect(isRunning(2 ** 22 + 1)).toBe(false);
});
