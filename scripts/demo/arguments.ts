import { parseDuration } from "../../src/base/core/duration.ts";

export interface DemoArguments {
  /** Run time; undefined: runs until Ctrl-C. */
  readonly forMs: number | undefined;
}

export const usage = `Usage: npm run demo [-- --for DURATION]

Starts the real servers and telemetryd, and shows samples arriving at two receivers.
  --for DURATION   ends by itself after that long (60s, 2m), compares what the receivers hold with the source,
                   and exits 0 only if they agree; without it the demo runs until Ctrl-C
  --help           shows this`;

/** Parses the arguments after the script's name. @returns a message for the user when they are invalid */
export function parseArguments(args: readonly string[]): DemoArguments | "help" | { readonly fault: string } {
  let forMs: number | undefined;
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    if (arg === "--help" || arg === "-h") return "help";
    const match = /^--for(?:=(.*))?$/.exec(arg);
    if (match === null) return { fault: `unknown argument ${arg}` };
    const text = match[1] ?? args[++index] ?? "";
    forMs = parseDuration(text);
    if (forMs === undefined || forMs <= 0) {
      return { fault: `--for ${text}: not a duration; it is written like 60s or 2m` };
    }
  }
  return { forMs };
}
