import { parseArgs } from "node:util";

export interface ComputeFaultArguments {
  /** Duration of the random steps and kills. */
  readonly seconds: number;
  /** Seed of every random choice. */
  readonly seed: number;
  readonly provider: "engine" | "emulated";
  /** The container engine is not killed: Podman 4 may not recover from it without an operator. */
  readonly sparesEngine: boolean;
}

export const usage = `Usage: npm run prove -- compute-faults [OPTIONS]

Declares workloads in some projects and changes them at random while the daemon, its provider, the container engine and
Redis are killed with kill -9. Then compares what is declared with what runs, removes everything, and looks for leftovers.
  --seconds N   how long (300)
  --seed N      repeats the random choices of an earlier run
  --provider P  engine (containers of Podman; needs root) or emulated (engine)
  --spare-engine  does not kill the container engine, which Podman 4 may not recover from by itself`;

/** @throws an Error with a message for the user when an argument is invalid */
export function parseArguments(args: readonly string[], randomSeed: number): ComputeFaultArguments | "help" {
  const option = { type: "string" } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...{ seconds: option, seed: option, provider: option },
      "spare-engine": { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) return "help";
  const { provider = "engine" } = values;
  if (provider !== "engine" && provider !== "emulated")
    throw new Error(`--provider ${provider}: must be engine or emulated`);
  const number = (name: "seconds" | "seed", preset: number): number => {
    const text = values[name];
    const value = text === undefined ? preset : Number(text);
    if (!Number.isInteger(value) || value < 1)
      throw new Error(`--${name} ${text}: must be a whole number from 1`);
    return value;
  };
  return {
    seconds: number("seconds", 300),
    seed: number("seed", randomSeed),
    provider,
    sparesEngine: values["spare-engine"] === true,
  };
}
