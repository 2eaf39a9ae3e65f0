import { execFile } from "node:child_process";
import { copyFile, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

/** `.ci/vitest-counts.mjs` on a report with one passed and two skipped tests. */
async function counts(skips: string): Promise<{ readonly printed: string; readonly failures: string }> {
  const folder = await mkdtemp(join(tmpdir(), "vitest-counts-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await copyFile(resolve(".ci/vitest-counts.mjs"), join(folder, "vitest-counts.mjs"));
  await writeFile(join(folder, "skipped-tests.txt"), skips);
  const result = (fullName: string, status: string) => ({ fullName, status, failureMessages: [] });
  const report = {
    ...{ numPassedTests: 1, numFailedTests: 0, numPendingTests: 2 },
    testResults: [
      {
        name: join(folder, "chart.test.ts"),
        status: "passed",
        assertionResults: [result("a", "passed"), result("b", "skipped"), result("c", "skipped")],
      },
    ],
  };
  await writeFile(join(folder, "report.json"), JSON.stringify(report));
  const args = ["vitest-counts.mjs", "report.json", "failures"];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder });
  const failures = await readFile(join(folder, "failures"), "utf8").catch(() => "");
  return { printed: stdout.trim(), failures };
}

test.each<[string, string, string, string[]]>([
  ["no test is named", "", "1 2 0", ["b", "c"]],
  ["one is named", "chart.test.ts: b\n", "1 1 1", ["c"]],
  ["the file is named, for want of a program", "without no-such-program: chart.test.ts\n", "1 0 2", []],
  ["the program is there", "without node: chart.test.ts\n", "1 2 0", ["b", "c"]],
])("skipped tests fail the run: %s", async (_name, skips, printed, failed) => {
  const result = await counts(skips);
  expect(result.printed).toBe(printed);
  expect([...result.failures.matchAll(/chart\.test\.ts: (\w): skipped/g)].map(([, name]) => name)).toEqual(
    failed,
  );
});
