import type { Argument, Command, Option } from "commander";

/** What may be typed at the cursor. */
export interface Completions {
  readonly candidates: readonly Candidate[];
  /** Whether a path may be typed. */
  readonly files: boolean;
}

export interface Candidate {
  readonly value: string;
  readonly description: string;
}

const nothing: Completions = { candidates: [], files: false };

/**
 * What can complete the last of `words`, the command line after the program's name: subcommands, options, and
 * values with a fixed choice, as the program's own description lists them. Paths are expected where a value's
 * placeholder is `file` or `path`. Candidates of `--option=` are its values alone.
 */
export function completionsFor(program: Command, words: readonly string[]): Completions {
  const typed = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  const place = placeAfter(program, typed);
  if (place.pending !== undefined) return valuesOf(place.pending, last);
  if (place.onlyOperands) return valuesOfArgument(place, last);
  const [flag = "", value] = splitOnce(last, "=");
  if (flag.startsWith("--") && value !== undefined) {
    const option = findOption(place.command, flag);
    return option === undefined ? nothing : valuesOf(option, value);
  }
  if (last.startsWith("-")) return { candidates: matching(optionsAt(place), last), files: false };
  const commands = subcommands(place.command);
  if (commands.length > 0) {
    return place.operands > 0 ? nothing : { candidates: matching(commands, last), files: false };
  }
  if (argumentAt(place) !== undefined) return valuesOfArgument(place, last);
  return { candidates: matching(optionsAt(place), last), files: false };
}

/** The form that cobra's programs print, kubectl among them: a line each, then whether paths are expected. */
export function printedCompletions({ candidates, files }: Completions): string {
  const lines = candidates.map(({ value, description }) =>
    description === "" ? value : `${value}\t${description}`,
  );
  // 4 is "no files" (ShellCompDirectiveNoFileComp).
  return [...lines, files ? ":0" : ":4", ""].join("\n");
}

/** Where in the program's commands the cursor is. */
interface Place {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly pending?: Option;
  readonly operands: number;
  /** Options that were given. */
  readonly given: ReadonlySet<Option>;
  /** Whether `--` was typed. */
  readonly onlyOperands: boolean;
}

function placeAfter(program: Command, words: readonly string[]): Place {
  let place: Place = { command: program, operands: 0, given: new Set(), onlyOperands: false };
  for (const word of words) place = step(place, word);
  return place;
}

function step(place: Place, word: string): Place {
  const { pending, ...rest } = place;
  if (pending !== undefined) return rest;
  if (place.onlyOperands) return { ...rest, operands: rest.operands + 1 };
  if (word === "--") return { ...rest, onlyOperands: true };
  if (word.startsWith("-") && word !== "-") {
    const [flag = "", value] = splitOnce(word, "=");
    const option = findOption(place.command, flag);
    if (option === undefined) return rest;
    const given = new Set([...rest.given, option]);
    return { ...rest, given, ...(takesValue(option) && value === undefined ? { pending: option } : {}) };
  }
  const command =
    place.operands === 0 ? subcommandsOf(place.command).find((each) => each.name() === word) : undefined;
  // After `help` comes a command, as if it were not there.
  if (command?.name() === "help") return rest;
  if (command !== undefined) return { ...rest, command, given: new Set() };
  return { ...rest, operands: rest.operands + 1 };
}

function valuesOf({ argChoices, flags }: Option, typed: string): Completions {
  return values(argChoices, /<(.+)>/.exec(flags)?.[1] ?? "", typed);
}

function valuesOfArgument(place: Place, typed: string): Completions {
  const argument = argumentAt(place);
  return argument === undefined ? nothing : values(argument.argChoices, argument.name(), typed);
}

function argumentAt({ command: { registeredArguments }, operands }: Place): Argument | undefined {
  const last = registeredArguments.at(-1);
  return registeredArguments[operands] ?? (last?.variadic === true ? last : undefined);
}

function values(choices: readonly string[] | undefined, placeholder: string, typed: string): Completions {
  if (choices === undefined) return { candidates: [], files: ["file", "path"].includes(placeholder) };
  const candidates = choices.map((value) => ({ value, description: "" }));
  return { candidates: matching(candidates, typed), files: false };
}

/** Options of a command that can still be given. */
function optionsAt({ command, given }: Place): Candidate[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .filter((option) => !given.has(option) || Array.isArray(option.defaultValue))
    .map(({ long, short, description }) => ({ value: long ?? short ?? "", description }));
}

function subcommands(command: Command): Candidate[] {
  return subcommandsOf(command).map((each) => ({ value: each.name(), description: each.description() }));
}

function subcommandsOf(command: Command): readonly Command[] {
  return command.createHelp().visibleCommands(command);
}

function findOption(command: Command, flag: string): Option | undefined {
  return command.options.find(({ long, short }) => flag === long || flag === short);
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function matching(candidates: readonly Candidate[], typed: string): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed));
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
