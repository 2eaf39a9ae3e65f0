import { expect } from "vitest";

/** Eight times the input makes a linear algorithm take eight times as long, a quadratic one 64 times. */
const factor = 8;
/** Between the two, as memory gets slower with size, too. */
const maxRatio = 28;
const maxAttempts = 6;
const runsOfEach = 3;

/**
 * Fails when the work grows faster than its input. What counts is the processor's time, of the best of
 * several runs, and what is compared takes about equally long, so that a busy machine spoils neither side
 * alone; several attempts are made, since it cannot make a quadratic algorithm look linear.
 *
 * @param prepare makes the work for an input of a size; what it does itself is not measured
 * @param size large enough that what is proportional to it outweighs everything else
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
