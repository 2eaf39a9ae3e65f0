import { type EqualityArguments, parseNumbers } from "../equality/arguments.ts";

export type FaultArguments = EqualityArguments;

export const usage = `Usage: npm run prove -- faults [OPTIONS]

Writes samples into a VictoriaMetrics while telemetryd exports them to two receivers; telemetryd, store and receivers are
in trouble at random. Then compares what source and receivers hold.
  --series N    series of 11 labels each (1500)
  --seconds N   how long (150)
  --every N     seconds between two samples of a series (3)
  --seed N      repeats the random choices of an earlier run`;

/** @throws an Error with a message for the user when an argument is invalid */
export function parseFaultArguments(args: readonly string[], randomSeed: number): FaultArguments | "help" {
  return parseNumbers(args, { series: 1500, seconds: 150, every: 3, seed: randomSeed });
}
