import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Tests of how long something takes, or of a whole system: nothing else may run beside them. */
const alone = ["leak-check", "remote-write-delivery"].map((name) => `test/integration/${name}.test.ts`);

/** Proofs that take long: `npm test` leaves them to `npm run test:slow`. */
const slowAlone = ["fairness", "gateway/noisy-tenant", "gateway/reload", "redis-outage"].map(
  (name) => `test/integration/${name}.test.ts`,
);
/** The longest ones first, which is the order in which they begin. */
const slow = [
  "e2e/kubectl-delivery",
  "integration/receivers-that-refuse",
  "integration/fleet-schedule",
  "integration/daemon-faults",
  "integration/thinned-sources",
  "integration/gateway-hostnames",
  "integration/demo",
  "integration/gateway/plain-programs",
  "integration/roadmap-webhooks",
  "integration/compute-faults",
  "integration/gateway-flows",
  "integration/platform-backup",
  "integration/compute-quotas",
  "integration/compute-networks",
  "integration/platform-upgrade",
  "integration/platform-replicas",
  "integration/fault-alerts",
  "integration/helm-chart",
  "integration/plan",
  "integration/tenants",
  "e2e/page-accessibility",
  "integration/completion",
  "integration/newest-first",
  "integration/doctor",
  "integration/platform-watch",
  "e2e/kubectl-in-use",
  "integration/platform-slow-watches",
  "e2e/kubectl-compute-verbs",
  "integration/gateway/mirrors",
  "integration/sample-counts",
  "integration/gateway/retries",
  "integration/gateway/weights",
  "integration/gateway/quoting.property",
  "integration/gateway/request-costs",
  "integration/gateway/memory-shares",
  "integration/gateway/restart",
].map((name) => `test/${name}.test.ts`);

/** A long file that begins last would run alone in the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const found = slow.findIndex((name) => moduleId.endsWith(name));
      return found < 0 ? slow.length : found;
    };
    return (await super.sort(files)).sort((one, other) => place(one) - place(other));
  }
}

/** Files that the slow run repeats, with more random cases. */
const repeated = ["src/app/daemon/stores.property.test.ts", "test/integration/external-labels.test.ts"];
const manyCases = { TELEMETRYD_TEST_READS: "10000", TELEMETRYD_TEST_SELECTORS: "2000" };

const withServers = {
  setupFiles: ["test/support/leak-check.ts"],
  // Only what hangs shall meet the limits, also on a machine that is many times slower than usual.
  testTimeout: 180_000,
  hookTimeout: 180_000,
};

/**
 * `unit` needs nothing but Node; `integration` starts real servers and drives kubectl and Chromium, five files at a time, since
 * they wait most of the time; `slow` are those of them that take long; `alone` and `slow-alone` do the same one file at a time.
 */
export default defineConfig({
  test: {
    // The projects share what they transform, and the next run has it.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "scripts/**/*.test.ts", "test/unit/**/*.test.ts"],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          // They share nothing that any of them changes: a process for each of two hundred files takes as long as the tests.
          isolate: false,
          maxWorkers: 2,
        },
      },
      {
        test: {
          ...withServers,
          name: "integration",
          include: ["test/{contract,integration,e2e}/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...alone, ...slow, ...slowAlone],
          // Each file would load the whole program again.
          isolate: false,
          maxWorkers: 5,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...withServers,
          name: "slow",
          include: [...slow, ...repeated],
          env: manyCases,
          isolate: false,
          // They take less than half of two cores when four run at a time.
          maxWorkers: 6,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...withServers,
          name: "alone",
          include: alone,
          maxWorkers: 1,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          ...withServers,
          name: "slow-alone",
          include: slowAlone,
          maxWorkers: 1,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
