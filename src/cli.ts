#!/usr/bin/env node
import { Command, CommanderError, Option } from "commander";
import { runExport } from "./commands/export.ts";
import { runStatus } from "./commands/status.ts";
import { runValidate } from "./commands/validate.ts";
import { describeError, TelemetrydError } from "./core/errors.ts";
import { redact } from "./core/redact.ts";
import { version } from "./core/version.ts";
import { runUntilStopped } from "./main.ts";

/** The command line. The only place that ends the process; exit statuses are in docs/errors.md. */
const program = new Command("telemetryd")
  .description(
    "Exports every raw sample of a metrics store to Prometheus remote-write receivers, as ExportPolicies declare.",
  )
  .version(version, "-V, --version", "print the version")
  .helpOption("-h, --help", "show help")
  .showHelpAfterError("(telemetryd --help lists the commands and their options)")
  .exitOverride()
  .configureOutput({ writeErr: (text) => process.stderr.write(redact(text)) });

const configOption = new Option("--config <file>", "configuration file (YAML)").makeOptionMandatory();
const setOption = new Option(
  "--set <key=value>",
  "override a configuration key, such as metrics.interval=5s; repeatable",
)
  .argParser((value: string, previous: string[]) => [...previous, value])
  .default([], "none");
const outputOption = new Option("--output <format>", "how to print")
  .choices(["text", "json"])
  .default("text");

program
  .command("run")
  .description("run the daemon until SIGTERM or Ctrl-C; SIGHUP reads the configuration again")
  .addOption(configOption)
  .addOption(setOption)
  .action(async (options: { config: string; set: string[] }) => {
    await runUntilStopped({ file: options.config, overrides: options.set }, stopSignal());
  });

program
  .command("validate")
  .description("check configuration files and policy manifests, offline")
  .argument("<path...>", "files, or directories of policy manifests")
  .addOption(outputOption)
  .action(async (paths: string[], options: { output: "text" | "json" }) => {
    const { text, exitStatus } = await runValidate(paths, options.output);
    process.stdout.write(text);
    process.exitCode = exitStatus;
  });

program
  .command("export")
  .description("export one span of time and exit; the daemon's checkpoints are neither used nor moved")
  .addOption(configOption)
  .addOption(setOption)
  .requiredOption(
    "--from <time>",
    "start of the span: RFC 3339, Unix seconds, or a duration before now such as 6h",
  )
  .requiredOption("--to <time>", "end of the span (inclusive), in the same forms")
  .option("--policy <namespace/name>", "only this policy")
  .option("--sink <name>", "only sinks of this name")
  .action(
    async (options: {
      config: string;
      set: string[];
      from: string;
      to: string;
      policy?: string;
      sink?: string;
    }) => {
      await runExport(options, process.stderr, stopSignal());
    },
  );

program
  .command("status")
  .description("show what the running daemon does")
  .option("--address <url>", "the daemon's ops address", "http://127.0.0.1:9464")
  .addOption(
    new Option("--output <format>", "how to print").choices(["table", "wide", "json"]).default("table"),
  )
  .action(async (options: { address: string; output: "table" | "wide" | "json" }) => {
    process.stdout.write(await runStatus(options, stopSignal()));
  });

/** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const [name, exitStatus] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.on(name, () => {
      if (controller.signal.aborted) process.exit(exitStatus);
      controller.abort(new Error(`stopped by ${name}`));
    });
  }
  return controller.signal;
}

/** Prints what went wrong for the person at the terminal, and gives the exit status. Never a stack trace. */
function report(error: unknown): number {
  // Commander has printed its own message, or what was asked for.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const isKnown = error instanceof TelemetrydError;
  const prefix = isKnown ? "telemetryd: " : "telemetryd: internal error: ";
  process.stderr.write(`${redact(prefix + (isKnown ? error.message : describeError(error)))}\n`);
  return isKnown ? error.exitStatus : 70;
}

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
