// vitest-counts.mjs REPORT FAILURES: prints "PASSED FAILED SKIPPED" from a report of vitest's JSON reporter,
// and writes what failed into the file FAILURES. A skipped test counts as failed unless skipped-tests.txt
// names it, or its file, with the reason.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";

const [report, failures] = process.argv.slice(2);
const { testResults, ...counts } = JSON.parse(readFileSync(report, "utf8"));
const skips = readFileSync(new URL("skipped-tests.txt", import.meta.url), "utf8");
const mayBeSkipped = new Set(skips.split("\n"));
const filesThatMayBeSkipped = new Set(
  [...skips.matchAll(/^without (\S+): (\S+)$/gm)]
    .filter(([, program]) => !isInstalled(program))
    .map(([, , file]) => file),
);
const lines = [];
let brokenFiles = 0;
let wronglySkipped = 0;
for (const { name, status, message, assertionResults } of testResults) {
  const failed = assertionResults.filter((test) => test.status === "failed");
  const file = relative("", name);
  for (const { fullName, failureMessages } of failed) lines.push(line(file, fullName, failureMessages[0]));
  for (const { fullName, status: state } of assertionResults) {
    if (state === "passed" || state === "failed") continue;
    if (mayBeSkipped.has(`${file}: ${fullName}`) || filesThatMayBeSkipped.has(file)) continue;
    wronglySkipped += 1;
    lines.push(line(file, fullName, "skipped, and not named in .ci/skipped-tests.txt"));
  }
  if (status !== "failed" || failed.length > 0) continue;
  // A file that cannot be loaded has no test that could fail.
  brokenFiles += 1;
  lines.push(line(file, "(the file)", message));
}
if (lines.length > 0) writeFileSync(failures, lines.join(""));
const skipped = counts.numPendingTests + (counts.numTodoTests ?? 0) - wronglySkipped;
console.log(counts.numPassedTests, counts.numFailedTests + brokenFiles + wronglySkipped, skipped);

/** Go's own installer leaves PATH to the user: scripts/servers/go.ts finds it there, too. */
function isInstalled(program) {
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/local/go/bin"];
  return folders.some((folder) => existsSync(join(folder, program)));
}

function line(file, test, message = "") {
  return `  ${file}: ${test}: ${message.split("\n")[0].slice(0, 300)}\n`;
}
