import { basename } from "node:path";
import { type Option, readOptions } from "../../scripts/run/options.ts";

/**
 * The numeric command-line options of a benchmark, each with its default: `--series 50000`. An invalid one
 * ends the program with a list of the options.
 */
export function numberOptions<Name extends string>(defaults: Record<Name, number>): Record<Name, number> {
  const options = Object.entries<number>(defaults).map(([name, preset]) => [name, positive(preset)] as const);
  const name = basename(process.argv[1] ?? "", ".ts");
  const values = readOptions(`npm run bench -- ${name}`, "Numbers:", Object.fromEntries(options));
  return values as Record<Name, number>;
}

function positive(preset: number): Option<number> {
  return {
    ...{ value: "N", about: "", preset, rule: "a number above 0" },
    parse(text) {
      const number = Number(text);
      // 0 is allowed only where it is the default: a switch that is off.
      return number > 0 || (number === 0 && preset === 0) ? number : undefined;
    },
  };
}
