import { defineConfig } from "vitest/config";

/** Tests that take minutes and are not part of `npm test`; each has its own npm script. */
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
