import { defineConfig } from "vitest/config";

/**
 * Three projects: `unit` needs nothing but Node; `integration` starts real servers (one file at a time, since the
 * machine has few cores); `e2e` drives kubectl and Chromium.
 */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "scripts/**/*.test.ts", "test/unit/**/*.test.ts"],
          exclude: ["**/node_modules/**"],
          // Only what hangs shall meet the limit, also on a machine that is many times slower than usual.
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: "integration",
          include: ["test/{contract,integration,e2e}/**/*.test.ts"],
          setupFiles: ["test/support/leak-check.ts"],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
