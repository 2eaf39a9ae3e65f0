import type { Command } from "commander";
import {
  type CommandContext,
  type ConfigOptions,
  configSources,
  configured,
  textOrJson,
} from "../command.ts";

interface ValidateCommandOptions {
  readonly output: "text" | "json";
  readonly relabelTest?: string;
}

interface ExportCommandOptions extends ConfigOptions {
  readonly from: string;
  readonly to: string;
  readonly policy?: string;
  readonly sink?: string;
}

/** Registers `validate` and `export`. */
export function registerPolicies(
  program: Command,
  { stderr, log, stopSignal, finish }: CommandContext,
): void {
  program
    .command("validate")
    .description("check configuration files and policy manifests, offline")
    .argument("<path...>", "files, or directories of them")
    .option("--relabel-test <series>", "also print what this series becomes at each sink: 'up{job=\"web\"}'")
    .addOption(textOrJson())
    .action(async (paths: string[], { output, relabelTest }: ValidateCommandOptions) => {
      const { validate } = await import("./validate.ts");
      finish(await validate(paths, { output, relabelTest, environment: process.env }, stopSignal()));
    });

  configured(program.command("export"))
    .description("export one span of time and end; the daemon's checkpoints are neither used nor moved")
    .requiredOption(
      "--from <time>",
      "start (exclusive): RFC 3339, Unix seconds, or a duration before now (6h)",
    )
    .requiredOption("--to <time>", "end (inclusive), in the same forms")
    .option("--policy <namespace/name>", "only this policy")
    .option("--sink <name>", "only sinks of this name")
    .action(async (options: ExportCommandOptions) => {
      const { exportSpan } = await import("./export.ts");
      await exportSpan(configSources(options), stderr, log, stopSignal());
    });
}
