import { parseArgs } from "node:util";
import { parseDuration } from "../../src/base/core/duration.ts";

/** An option of a command line. */
export interface Option<T> {
  /** Stands for the value in the list of options; without it the option takes none. */
  readonly value?: string;
  readonly about: string;
  /** The value without the option. */
  readonly preset: T;
  /** The valid values, in words: "must be ...". */
  readonly rule: string;
  /** @returns undefined when the text is not valid */
  parse(text: string): T | undefined;
}

type Options = Readonly<Record<string, Option<unknown>>>;
/** The values of options, by their names. */
export type ValuesOf<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};

/** A whole number. */
export function numberOption(
  preset: number,
  about: string,
  least = 1,
  most = Number.MAX_SAFE_INTEGER,
): Option<number> {
  return {
    ...{ value: "N", about, preset },
    rule: most === Number.MAX_SAFE_INTEGER ? `a whole number from ${least}` : `from ${least} to ${most}`,
    parse(text) {
      const number = Number(text);
      return text !== "" && Number.isInteger(number) && number >= least && number <= most
        ? number
        : undefined;
    },
  };
}

/** The seed of a run's random choices; each run has its own unless one is given. */
export function seedOption(): Option<number> {
  return numberOption(
    1 + Math.floor(Math.random() * 999_999_999),
    "repeats the random choices of an earlier run",
  );
}

/** One of several words; the first is the preset. */
export function choiceOption<T extends string>(words: readonly [T, ...T[]], about: string): Option<T> {
  const rule = words.join(" or ");
  const parse = (text: string): T | undefined => words.find((word) => word === text);
  return { value: "NAME", about: `${rule}: ${about}`, preset: words[0], rule, parse };
}

export function flagOption(about: string): Option<boolean> {
  return { about, preset: false, rule: "given without a value", parse: () => true };
}

export function textOption(about: string): Option<string | undefined> {
  return { value: "TEXT", about, preset: undefined, rule: "a text", parse: (text) => text };
}

/** Milliseconds, more than 0. */
export function durationOption(about: string): Option<number | undefined> {
  const parse = (text: string): number | undefined => {
    const ms = parseDuration(text);
    return ms === undefined || ms <= 0 ? undefined : ms;
  };
  return { value: "DURATION", about, preset: undefined, rule: "a duration such as 60s or 2m", parse };
}

/** @throws an Error with a message for the user when an argument is invalid */
export function parseOptions<O extends Options>(options: O, args: readonly string[]): ValuesOf<O> | "help" {
  const types = Object.entries(options).map(
    ([name, { value }]) => [name, { type: value === undefined ? "boolean" : "string" }] as const,
  );
  const { values }: { values: Readonly<Record<string, unknown>> } = parseArgs({
    args: [...args],
    options: { ...Object.fromEntries(types), help: { type: "boolean", short: "h" } },
  });
  if (values["help"] === true) return "help";
  const parsed = Object.entries(options).map(([name, { preset, rule, parse }]) => {
    const text = values[name];
    if (text === undefined) return [name, preset];
    const value = parse(String(text));
    if (value === undefined) throw new Error(`--${name} ${text}: must be ${rule}`);
    return [name, value];
  });
  return Object.fromEntries(parsed) as ValuesOf<O>;
}

/** The text of `--help`. @param command such as "npm run demo" */
export function usageOf(command: string, about: string, options: Options): string {
  const rows = Object.entries(options).map(([name, { value = "", about, preset }]): [string, string] => {
    const shown = ["number", "string"].includes(typeof preset) && name !== "seed" ? ` (${preset})` : "";
    return [`--${name} ${value}`, `${about}${shown}`];
  });
  const width = Math.max(...rows.map(([name]) => name.length));
  const list = rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join("");
  const hyphens = command.includes(" -- ") ? "" : "-- ";
  return `Usage: ${command} [${hyphens}OPTIONS]\n\n${about}\n${list}`;
}

/** This process's options. Prints the usage and ends it when that is asked for, or when an argument is invalid. */
export function readOptions<O extends Options>(command: string, about: string, options: O): ValuesOf<O> {
  const usage = usageOf(command, about, options);
  try {
    const values = parseOptions(options, process.argv.slice(2));
    if (values !== "help") return values;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    process.exit(2);
  }
}
