import { defineConfig } from "vitest/config";

/** Proofs that take minutes, outside of `npm test`: each has an npm script of its own. */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/faults/**/*.test.ts"],
    setupFiles: ["test/support/leak-check.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
