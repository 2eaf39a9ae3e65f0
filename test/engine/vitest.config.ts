import { defineConfig } from "vitest/config";

/** Tests that run containers, with an engine of their own: `npm run prove -- engine` and `docker`. */
export default defineConfig({
  test: {
    root: new URL("../..", import.meta.url).pathname,
    include: ["test/engine/**/*.test.ts"],
    setupFiles: ["test/support/leak-check.ts"],
    // Each file has an engine of its own, for which it waits most of the time. Two of Docker would change the same
    // firewall: they share a network namespace.
    maxWorkers: process.env["TELEMETRYD_TEST_ENGINE"] === "docker" ? 1 : 2,
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
