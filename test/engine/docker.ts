import { runInNetworkNamespace } from "../support/provider/network-namespace.ts";

/**
 * The tests of real containers with Docker instead of Podman: `npm run prove -- docker [FILE] [OPTIONS OF VITEST]`.
 * Docker takes over the forwarding of the machine that it runs on, so they run in a network namespace of their own.
 */
const options = process.argv.slice(2);
const hasFile = options.some((option) => option.endsWith(".test.ts"));
// The others take long and have little of the engine in them.
const files = ["engine-runtime", "isolation", "compute-engine"].map((name) => `test/engine/${name}.test.ts`);
const vitest = ["vitest", "run", "--config", "test/engine/vitest.config.ts"];
process.exitCode = await runInNetworkNamespace([...vitest, ...(hasFile ? [] : files), ...options], {
  TELEMETRYD_TEST_ENGINE: "docker",
});
