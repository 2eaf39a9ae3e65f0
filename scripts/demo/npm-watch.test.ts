import { expect, test } from "vitest";
import type { ProcessEntry } from "../servers/process-table.ts";
import { npmAncestors } from "./npm-watch.ts";

function entry(pid: number, parentPid: number, command: string): ProcessEntry {
  return { pid, parentPid, groupId: pid, isZombie: false, startTicks: pid, command };
}

const shell = entry(20, 10, "sh -c node --import tsx scripts/demo.ts");
const byNpm = { npm_lifecycle_event: "demo" };

test.each<[string, Record<string, string>, readonly ProcessEntry[], readonly number[]]>([
  ["npm and its shell", byNpm, [entry(10, 5, "npm run demo"), shell], [20, 10]],
  ["npm as it starts", byNpm, [entry(10, 5, "node /usr/bin/npm run demo"), shell], [20, 10]],
  [
    "npm alone, its shell became the script",
    byNpm,
    [entry(20, 5, "npm run demo"), entry(5, 1, "npm test")],
    [20],
  ],
  ["another tool's shell", byNpm, [entry(10, 5, "bash"), shell], [20]],
  ["a person's shell", {}, [entry(20, 5, "bash")], []],
])("%s", (_, environment, processes, expected) => {
  const find = (pid: number) => processes.find((one) => one.pid === pid);
  expect(npmAncestors(environment, 20, find).map(({ pid }) => pid)).toEqual(expected);
});
