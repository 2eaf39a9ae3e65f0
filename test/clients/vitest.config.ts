import { defineConfig } from "vitest/config";

/** Clients of the Kubernetes API at work on a running platform: `npm run prove -- clients`. */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/clients/**/*.test.ts"],
    setupFiles: ["test/support/leak-check.ts"],
    // Building Go's client takes minutes, once.
    testTimeout: 600_000,
    hookTimeout: 120_000,
    maxConcurrency: 8,
  },
});
