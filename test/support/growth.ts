import { expect } from "vitest";

/** Eight times the input makes a linear algorithm take eight times as long, a quadratic one 64 times. */
const factor = 8;
/** Between the two: memory gets slower with size, too. */
const maxRatio = 28;
const maxAttempts = 4;

/**
 * Fails when the work grows faster than its input. The best of several runs counts, and several attempts are made:
 * a busy machine makes single runs slow, but does not make a quadratic algorithm look linear.
 *
 * @param prepare makes the work for an input of a size; what it does itself is not measured
 * @param size large enough that what is proportional to it outweighs everything else
 */
export function expectLinear(prepare: (size: number) => () => unknown, size: number): void {
  let ratio = Number.POSITIVE_INFINITY;
  for (let attempt = 1; attempt <= maxAttempts && ratio > maxRatio; attempt++) {
    const small = bestMs(prepare(size), 7);
    const large = bestMs(prepare(size * factor), 3);
    ratio = Math.min(ratio, large / Math.max(small, 0.02));
  }
  expect(ratio, `${factor} times the input took ${ratio.toFixed(1)} times as long`).toBeLessThan(maxRatio);
}

function bestMs(work: () => unknown, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    work();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
