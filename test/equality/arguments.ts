import { parseArgs } from "node:util";
import type { SourceKind } from "./writer.ts";

export interface EqualityArguments {
  readonly series: number;
  /** How long samples are written and the daemon is killed. */
  readonly seconds: number;
  /** Between two samples of a series, in seconds. */
  readonly every: number;
  /** Of every random choice: when the daemon dies, and what is edited. */
  readonly seed: number;
}

export interface EqualityRun extends EqualityArguments {
  /** What the samples are written to and exported from. */
  readonly source: SourceKind;
}

export const usage = `Usage: npm run test:equality [-- OPTIONS]

Writes samples into a VictoriaMetrics while telemetryd exports them to three receivers, is killed with kill -9 at random
and has its policy edited; then compares what source and receivers hold.
  --series N    series of 11 labels each (4000)
  --seconds N   how long (120)
  --every N     seconds between two samples of a series (3)
  --seed N      repeats the random choices of an earlier run
  --source S    victoria-metrics or prometheus (victoria-metrics)
The full form: --series 50000 --seconds 600 --every 15`;

/** @throws an Error for a person when an argument cannot be used */
export function parseArguments(args: readonly string[], randomSeed: number): EqualityRun | "help" {
  const at = args.indexOf("--source");
  const source = at < 0 ? "victoria-metrics" : args[at + 1];
  if (source !== "victoria-metrics" && source !== "prometheus")
    throw new Error(`--source ${source ?? ""}: must be victoria-metrics or prometheus`);
  const others = at < 0 ? args : args.toSpliced(at, 2);
  const numbers = parseNumbers(others, { series: 4000, seconds: 120, every: 3, seed: randomSeed });
  return numbers === "help" ? numbers : { ...numbers, source };
}

/** @throws an Error for a person when an argument cannot be used */
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
