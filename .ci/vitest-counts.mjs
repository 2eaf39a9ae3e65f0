// Prints "PASSED FAILED SKIPPED" from a report of vitest's JSON reporter.
import { readFileSync } from "node:fs";

const report = JSON.parse(readFileSync(process.argv[2], "utf8"));
// A file that cannot be loaded has no test that could fail.
const brokenFiles = report.testResults.filter(
  ({ status, assertionResults }) =>
    status === "failed" && !assertionResults.some((test) => test.status === "failed"),
).length;
const skipped = report.numPendingTests + (report.numTodoTests ?? 0);
console.log(report.numPassedTests, report.numFailedTests + brokenFiles, skipped);
