import "./app/daemon/heap-flags.ts";
import { basename } from "node:path";
import { Command, CommanderError } from "commander";
import { registerBackup } from "./app/commands/backup/command.ts";
import {
  type CommandContext,
  type CommandResult,
  type ConfigOptions,
  configured,
} from "./app/commands/command.ts";
import { registerCompletion } from "./app/commands/completion/command.ts";
import { registerDoctor } from "./app/commands/doctor/command.ts";
import { registerLogLevel } from "./app/commands/log-level.ts";
import { registerLogs } from "./app/commands/logs/command.ts";
import { registerPlan } from "./app/commands/plan/command.ts";
import { registerPlatform } from "./app/commands/platform/command.ts";
import { registerPolicies } from "./app/commands/policies/command.ts";
import { registerQuery } from "./app/commands/query/command.ts";
import { registerRejected } from "./app/commands/rejected/command.ts";
import { registerStatus } from "./app/commands/status/command.ts";
import { registerTap } from "./app/commands/tap/command.ts";
import { describeError, TelemetrydError } from "./base/core/errors.ts";
import { FaultsError } from "./base/core/fault.ts";
import { version } from "./base/core/version.ts";
import { createLogger } from "./base/log/log.ts";
import { redact } from "./base/log/redact.ts";

/**
 * The command line; the only module that ends the process. Exit statuses are in docs/errors.md. Each command
 * is loaded when it is called, so the daemon does not carry the others' modules.
 */

/** kubectl runs its plugins, and the programs that complete their arguments, by these names. */
const pluginName = "kubectl-telemetryd";
const pluginCompletionName = "kubectl_complete-telemetryd";
const calledAs = basename(process.argv[1] ?? "");

/** npm forwards a terminal's Ctrl-C to a process that already has it: a signal this soon is a duplicate. */
const sameKeystrokeMs = 500;

const { stdout, stderr } = process;
const log = createLogger("warn", stderr, stderr.isTTY);

/** Aborts at the first SIGINT or SIGTERM; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const controller = new AbortController();
  let firstAtMs = 0;
  for (const [name, exitStatus] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.on(name, () => {
      if (!controller.signal.aborted) {
        firstAtMs = performance.now();
        controller.abort(new Interrupted(name, exitStatus));
      } else if (performance.now() - firstAtMs > sameKeystrokeMs) process.exit(exitStatus);
    });
  }
  return controller.signal;
}

class Interrupted extends Error {
  readonly exitStatus: number;

  constructor(signalName: string, exitStatus: number) {
    super(`interrupted by ${signalName}`);
    this.exitStatus = exitStatus;
  }
}

const program = new Command(calledAs === pluginName ? "kubectl telemetryd" : "telemetryd")
  .description(
    "Exports every raw sample of a metrics store to remote-write receivers, as ExportPolicies declare.",
  )
  .version(version, "-V, --version", "print the version")
  .helpOption("-h, --help", "show help")
  .showHelpAfterError("(--help lists commands and options)")
  .exitOverride()
  .configureOutput({ writeErr: (text) => stderr.write(redact(text)) });

const context: CommandContext = { stdout, stderr, log, stopSignal, finish };

configured(program.command("run"))
  .description("run the daemon until SIGTERM or Ctrl-C; SIGHUP reads the configuration again")
  .action(async (options: ConfigOptions) => {
    const { run } = await import("./run.ts");
    const sources = { file: options.config, flags: options.set, environment: process.env };
    const onReload = (listener: () => void) => {
      process.on("SIGHUP", listener);
      return () => process.off("SIGHUP", listener);
    };
    const onWarning = (listener: (warning: Error) => void) => {
      // Node.js prints them by a listener of its own.
      const printing = process.listeners("warning");
      process.removeAllListeners("warning").on("warning", listener);
      return () => {
        process.removeAllListeners("warning");
        for (const each of printing) process.on("warning", each);
      };
    };
    await run({ sources, out: stdout, onReload, onWarning }, stopSignal());
  });

registerLogLevel(program, context);
registerPolicies(program, context);
registerStatus(program, context);
registerQuery(program, context);
registerPlan(program, context);
registerRejected(program, context);
registerTap(program, context);
registerDoctor(program, context);
registerPlatform(program, context);
registerBackup(program, context);
registerLogs(program, context);
registerCompletion(program, context);

function finish({ text, exitStatus }: CommandResult): void {
  stdout.write(text);
  process.exitCode = exitStatus;
}

/** Prints an error for the person at the terminal and returns the exit status. Never prints a stack trace. */
function report(error: unknown): number {
  // Commander has printed its own message, or the requested help or version.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof Interrupted) return error.exitStatus;
  const isKnown = error instanceof TelemetrydError;
  const text = isKnown ? error.message : `internal error: ${describeError(error)}`;
  // Faults are prefixed with their files, as in a compiler's output.
  const prefix = error instanceof FaultsError ? "" : "telemetryd: ";
  stderr.write(`${redact(prefix + text)}\n`);
  return isKnown ? error.exitStatus : 70;
}

// A reader that closes early (`| head`) is not an error.
stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 70));

try {
  const args = process.argv.slice(2);
  const completed = calledAs === pluginCompletionName ? ["__complete", "--", ...args] : args;
  await program.parseAsync(completed, { from: "user" });
} catch (error) {
  process.exitCode = report(error);
}
// Exit explicitly: a pending handle must not keep the process alive.
process.exit();
