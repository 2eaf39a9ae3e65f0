import { sleep } from "../../../src/base/core/clock.ts";
import { troubles } from "../schedule.ts";

/** A process that is killed and comes back. */
export interface TroubledProcess {
  readonly name: string;
  kill(): Promise<void>;
  /** Starts it again; resolves when it responds. */
  start(): Promise<void>;
}

export interface ProcessTroublesOptions {
  /** How long it runs between two kills, in ms. */
  readonly pauseMs: readonly [number, number];
  readonly random: () => number;
  print(text: string): void;
}

/** How long it is away, besides its start, in ms. */
const lengthMs = [0, 4_000] as const;

/**
 * Kills a process again and again until the signal; it runs when the promise resolves.
 * @returns the number of kills
 */
export async function troubleProcess(
  process: TroubledProcess,
  { pauseMs, random, print }: ProcessTroublesOptions,
  until: AbortSignal,
): Promise<number> {
  let count = 0;
  for (const { afterMs, forMs } of troubles(["kill"], random, { pauseMs, lengthMs })) {
    await sleep(afterMs, until).catch(() => undefined);
    if (until.aborted) break;
    count++;
    print(`${process.name} killed, for ${(forMs / 1000).toFixed(1)} s`);
    await process.kill();
    await sleep(forMs, until).catch(() => undefined);
    await process.start();
    print(`${process.name} is back`);
  }
  return count;
}
