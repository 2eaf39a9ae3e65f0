import { expect } from "vitest";

/** With eight times the input, a linear algorithm takes eight times as long, a quadratic one 64 times. */
const factor = 8;
/** Between the two, since larger data is also slower to access. */
const maxRatio = 28;
const maxAttempts = 6;
/** The first run of each compiles the code. */
const runsOfEach = 2;

/**
 * Fails when the work grows faster than its input. Compares processor times, each the better of two runs of
 * about equal length, so that a busy machine affects both sides. Makes several attempts, since noise cannot
 * make a quadratic algorithm look linear.
 *
 * @param prepare creates the work for an input of a size; its own time is not measured
 * @param size large enough that the work proportional to it dominates
 */
export function expectLinear(prepare: (size: number) => () => unknown, size: number): void {
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= maxAttempts && ratio > maxRatio; attempt++) {
    const [small, large] = [prepare(size), prepare(size * factor)];
    let [smallUs, largeUs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (let run = 0; run < runsOfEach; run++) {
      smallUs = Math.min(smallUs, cpuUs(small, factor));
      largeUs = Math.min(largeUs, cpuUs(large, 1));
    }
    ratio = Math.min(ratio, (largeUs / Math.max(smallUs, 100)) * factor);
  }
  expect(ratio, `${factor} times the input took ${ratio.toFixed(1)} times as long`).toBeLessThan(maxRatio);
}

function cpuUs(work: () => unknown, times: number): number {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time++) work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
