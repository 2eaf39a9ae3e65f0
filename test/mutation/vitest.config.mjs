import { existsSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { decisions, furtherTests } from "./decisions.mjs";

const beside = Object.values(decisions)
  .flat()
  .map((file) => `${file}.test.ts`)
  .filter((file) => existsSync(file));

/**
 * Stryker counts failed tests, and a test file that cannot be loaded has none: without this, a mutant that breaks
 * one would survive, and the run would start with files missing. @type {import("vitest/reporters").Reporter}
 */
const unloadedFiles = {
  onTestRunEnd(modules) {
    for (const { task: file } of modules) {
      if (file.result?.state !== "fail" || file.tasks.length > 0) continue;
      const { result } = file;
      file.tasks.push({
        type: "test",
        name: "can be loaded",
        id: `${file.id}_loaded`,
        mode: "run",
        file,
        result,
      });
    }
  },
};

/** The unit tests of the mutated files and no others: each of several thousand mutants starts some of them. */
export default defineConfig({
  test: {
    include: [...beside, ...furtherTests],
    isolate: false,
    maxWorkers: 1,
    testTimeout: 60_000,
    reporters: [unloadedFiles],
  },
});
