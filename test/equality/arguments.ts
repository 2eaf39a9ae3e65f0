import { parseArgs } from "node:util";
import type { SourceKind } from "./writer.ts";

export interface EqualityArguments {
  readonly series: number;
  /** Duration of the writes and kills. */
  readonly seconds: number;
  /** Seconds between two samples of a series. */
  readonly every: number;
  /** Seed of every random choice: the times of kills, and the edits. */
  readonly seed: number;
}

export interface EqualityRun extends EqualityArguments {
  /** The store that samples are written to and exported from. */
  readonly source: SourceKind;
  /** Percentage of samples that reach the store late, by up to half of the run; 0 for none. */
  readonly late: number;
  /** How many of the series are native histograms; only from Prometheus. */
  readonly histograms: number;
}

export const usage = `Usage: npm run prove -- equality [OPTIONS]

Writes samples into a VictoriaMetrics while telemetryd exports them to three receivers, is killed with kill -9 at random
and has its policy edited; then compares what source and receivers hold.
  --series N    series of 11 labels each (4000)
  --seconds N   how long (120)
  --every N     seconds between two samples of a series (3)
  --seed N      repeats the random choices of an earlier run
  --source S    victoria-metrics or prometheus (victoria-metrics)
  --late P      percentage of the samples that reach the store late, by up to half of the run (0)
  --histograms N  further series that are native histograms, from Prometheus only (0)
The full form: --series 50000 --seconds 600 --every 15`;

/** @throws an Error with a message for the user when an argument is invalid */
export function parseArguments(args: readonly string[], randomSeed: number): EqualityRun | "help" {
  const at = args.indexOf("--source");
  const source = at < 0 ? "victoria-metrics" : args[at + 1];
  if (source !== "victoria-metrics" && source !== "prometheus")
    throw new Error(`--source ${source ?? ""}: must be victoria-metrics or prometheus`);
  const others = at < 0 ? [...args] : args.toSpliced(at, 2);
  const late = takeNumber(others, "--late", 50);
  const histograms = takeNumber(others, "--histograms", 100_000);
  if (histograms > 0 && source !== "prometheus") throw new Error("--histograms: needs --source prometheus");
  const numbers = parseNumbers(others, { series: 4000, seconds: 120, every: 3, seed: randomSeed });
  return numbers === "help" ? numbers : { ...numbers, source, late, histograms };
}

/** Takes an option with a number from 0 to `most` out of the arguments; 0 without it. */
function takeNumber(args: string[], option: string, most: number): number {
  const at = args.indexOf(option);
  if (at < 0) return 0;
  const [, text] = args.splice(at, 2);
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > most) {
    throw new Error(`${option}: must be from 0 to ${most}`);
  }
  return value;
}

/** @throws an Error with a message for the user when an argument is invalid */
export function parseNumbers(
  args: readonly string[],
  presets: EqualityArguments,
): EqualityArguments | "help" {
  const option = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      series: option,
      seconds: option,
      every: option,
      seed: option,
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return "help";
  const number = (name: keyof EqualityArguments): number => {
    const text = values[name];
    if (text === undefined) return presets[name];
    const value = Number(text);
    if (!Number.isInteger(value) || value < 1)
      throw new Error(`--${name} ${text}: must be a whole number from 1`);
    return value;
  };
  return {
    series: number("series"),
    seconds: number("seconds"),
    every: number("every"),
    seed: number("seed"),
  };
}
