import { type Command, InvalidArgumentError, Option } from "commander";
import type { Logger } from "../../base/log/log.ts";

export interface CommandResult {
  readonly text: string;
  readonly exitStatus: number;
}

/** What commands have of the process that runs them. */
export interface CommandContext {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly log: Logger;
  /** Aborts at the first SIGINT or SIGTERM, which no longer end the process at once after its first call. */
  stopSignal(): AbortSignal;
  /** Prints a command's result and sets the exit status. */
  finish(result: CommandResult): void;
}

/** Options of {@link configured} commands. */
export interface ConfigOptions {
  readonly config: string;
  readonly set: readonly string[];
}

/** A command that uses the configuration. */
export function configured(command: Command): Command {
  return overrides(command.requiredOption("--config <file>", "configuration file (YAML)"));
}

export function overrides(command: Command): Command {
  const about = "override a key, such as metrics.interval=5s; repeatable";
  return command.addOption(new Option("--set <key=value>", about).argParser(collect).default([], "none"));
}

function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}

/** A command's options, with where its configuration comes from. */
export function configSources<T extends ConfigOptions>({ config, set, ...rest }: T) {
  return { ...rest, file: config, overrides: set, environment: process.env };
}

export function textOrJson(): Option {
  return new Option("-o, --output <format>", "output format").choices(["text", "json"]).default("text");
}

export function tableOrJson(): Option {
  return new Option("-o, --output <format>", "output format").choices(["table", "json"]).default("table");
}

export function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}
