import { defineConfig } from "vitest/config";

/** Tests that run containers, with an engine of their own: `npm run prove -- engine` and `docker`. */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/engine/**/*.test.ts"],
    setupFiles: ["test/support/leak-check.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 60_000,
  },
});
