import { decisions } from "./test/mutation/decisions.mjs";

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
export default {
  mutate: Object.values(decisions)
    .flat()
    .map((file) => `${file}.ts`),
  // Most texts are messages for people, which tests do not repeat. Most others belong to a union of types, and the
  // compiler refuses their mutants.
  mutator: { excludedMutations: ["StringLiteral"] },
  testRunner: "vitest",
  // `related` spares the mutants of a file's constants, which concern all tests, those of other files.
  vitest: { configFile: "test/mutation/vitest.config.mjs", related: true },
  coverageAnalysis: "perTest",
  concurrency: 2,
  // A little below what is reached: see "Mutation run" in CONTRIBUTING.md.
  thresholds: { high: 97, low: 95, break: 95 },
  tempDirName: ".stryker-tmp",
  cleanTempDir: "always",
  ignorePatterns: [".demo", ".servers", "data", "dist", "release"],
  reporters: ["clear-text", "html", "json", "progress-append-only"],
  clearTextReporter: { allowColor: false, reportTests: false, logTests: false },
  htmlReporter: { fileName: "reports/mutation/index.html" },
  jsonReporter: { fileName: "reports/mutation/mutants.json" },
};
