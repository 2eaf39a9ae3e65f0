import { parseArgs } from "node:util";

/**
 * The numeric command-line options of a benchmark, each with its default: `--series 50000`. An unknown option
 * ends the program with a list of the known ones.
 */
export function numberOptions<Name extends string>(defaults: Record<Name, number>): Record<Name, number> {
  const names = Object.keys(defaults) as Name[];
  const options = Object.fromEntries(names.map((name) => [name, { type: "string" as const }]));
  try {
    const { values } = parseArgs({ options });
    return Object.fromEntries(
      names.map((name) => {
        const text = values[name];
        const value = typeof text === "string" ? Number(text) : defaults[name];
        // 0 is allowed only where it is the default: a switch that is off.
        const isAllowed = value > 0 || (value === 0 && defaults[name] === 0);
        if (!isAllowed) throw new Error(`--${name} takes a number above 0, not ${String(text)}`);
        return [name, value];
      }),
    ) as Record<Name, number>;
  } catch (error) {
    const usage = names.map((name) => `--${name} ${defaults[name]}`).join(" ");
    process.stderr.write(`${(error as Error).message}\noptions, with their defaults: ${usage}\n`);
    process.exit(2);
  }
}
