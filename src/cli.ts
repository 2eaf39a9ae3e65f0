#!/usr/bin/env node
import "./app/daemon/heap-flags.ts";
import { basename } from "node:path";
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import type { Shell } from "./app/commands/completion/scripts.ts";
import type { QueryOptions } from "./app/commands/query/query.ts";
import type { StatusOptions } from "./app/commands/status/status.ts";
import { intervalRule, parseInterval } from "./app/commands/status/watch/interval.ts";
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

interface ConfigOptions {
  readonly config: string;
  readonly set: readonly string[];
}

/** A command that uses the configuration. */
function configured(command: Command): Command {
  return command
    .requiredOption("--config <file>", "configuration file (YAML)")
    .option("--set <key=value>", "override a key, such as metrics.interval=5s; repeatable", collect, []);
}

function collect(value: string, previous: readonly string[]): string[] {
  return [...previous, value];
}

function access({ config, set }: ConfigOptions) {
  return { file: config, overrides: set, environment: process.env };
}

const asTextOrJson = () =>
  new Option("-o, --output <format>", "how to print").choices(["text", "json"]).default("text");
const asTableOrJson = () =>
  new Option("-o, --output <format>", "how to print").choices(["table", "json"]).default("table");
/** The output option for functions that print a table by default: omitted unless `json`. */
const jsonOnly = ({ output }: { readonly output: string }) =>
  output === "json" ? { output: "json" as const } : {};

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

program
  .command("validate")
  .description("check configuration files and policy manifests, offline")
  .argument("<path...>", "files, or directories of them")
  .addOption(asTextOrJson())
  .action(async (paths: string[], { output }: { output: "text" | "json" }) => {
    const { validate } = await import("./app/commands/validate.ts");
    finish(await validate(paths, { output, environment: process.env }, stopSignal()));
  });

configured(program.command("export"))
  .description("export one span of time and end; the daemon's checkpoints are neither used nor moved")
  .requiredOption("--from <time>", "start (exclusive): RFC 3339, Unix seconds, or a duration before now (6h)")
  .requiredOption("--to <time>", "end (inclusive), in the same forms")
  .option("--policy <namespace/name>", "only this policy")
  .option("--sink <name>", "only sinks of this name")
  .action(async (options: ConfigOptions & { from: string; to: string; policy?: string; sink?: string }) => {
    const { exportSpan } = await import("./app/commands/export.ts");
    await exportSpan({ ...options, ...access(options) }, stderr, log, stopSignal());
  });

program
  .command("status")
  .description("show what a running daemon does")
  .option("--address <url>", "the daemon's ops address", "http://127.0.0.1:9464")
  .addOption(
    new Option("-o, --output <format>", "how to print").choices(["table", "wide", "json"]).default("table"),
  )
  .addOption(
    new Option(
      "--sort <order>",
      "how to order a table: by name (default), the largest lag first, or the worst state first",
    ).choices(["name", "lag", "state"]),
  )
  .option("-w, --watch", "keep showing it: a live table on a terminal, elsewhere a line for each change")
  .option("--interval <duration>", "pause between two refreshes of --watch (default: 2s)", interval)
  .action(async (options: StatusOptions) => {
    if (options.watch === true) {
      const { watchAndShow } = await import("./app/commands/status/watch/show-watch.ts");
      const isScreen = stdout.isTTY && process.env["TERM"] !== "dumb";
      return watchAndShow(options, { out: stdout, warnings: stderr, isScreen, job: process }, stopSignal());
    }
    const { showStatus } = await import("./app/commands/status/status.ts");
    await showStatus(options, stdout, stderr, Date.now(), stopSignal());
  });

configured(program.command("query"))
  .description("evaluate MetricsQL at the metrics store, confined as the exporter would confine it")
  .argument("<query>", "MetricsQL")
  .option(
    "--time <time>",
    "at one time: RFC 3339, Unix seconds, or a duration before now (6h); now by default",
  )
  .option("--from <time>", "over a span: its start")
  .option("--to <time>", "its end")
  .option("--step <duration>", "between two points of the span")
  .option("--project <name>", "confined to this project")
  .addOption(asTableOrJson())
  .action(async (text: string, options: ConfigOptions & Omit<QueryOptions, "file" | "query">) => {
    const { query } = await import("./app/commands/query/query.ts");
    finish(await query({ ...options, ...access(options), query: text }, stopSignal()));
  });

program
  .command("explain")
  .description("say what a MetricsQL query is: its tree, its kind, how it is confined to a project; offline")
  .argument("<query>", "MetricsQL")
  .addOption(asTextOrJson())
  .action(async (text: string, { output }: { output: "text" | "json" }) => {
    const { explain } = await import("./app/commands/query/explain.ts");
    finish(explain(text, { output }));
  });

const rejected = program.command("rejected").description("inspect and resend permanently rejected samples");

configured(rejected.command("list"))
  .description("list what is kept, oldest first")
  .addOption(asTableOrJson())
  .action(async (options: ConfigOptions & { output: string }) => {
    const { showRejectedList } = await import("./app/commands/rejected.ts");
    await showRejectedList(await rejectedFolder(options), jsonOnly(options), stdout, Date.now());
  });

configured(rejected.command("show"))
  .description("show an entry and its first samples")
  .argument("<id>")
  .option("--limit <samples>", "how many samples", wholeNumber, 20)
  .addOption(asTableOrJson())
  .action(async (id: string, options: ConfigOptions & { output: string; limit: number }) => {
    const { showRejected } = await import("./app/commands/rejected.ts");
    const { limit } = options;
    await showRejected(await rejectedFolder(options), id, { ...jsonOnly(options), limit }, stdout);
  });

configured(rejected.command("replay"))
  .description("send entries once more, out of order by nature; those that are delivered are deleted")
  .argument("<id...>")
  .action(async (ids: string[], options: ConfigOptions) => {
    const { replayRejected } = await import("./app/commands/rejected-replay.ts");
    await replayRejected({ ...access(options), ids }, stdout, log, stopSignal());
  });

configured(rejected.command("delete"))
  .description("delete entries")
  .argument("<id...>")
  .action(async (ids: string[], options: ConfigOptions) => {
    const { deleteRejectedEntries } = await import("./app/commands/rejected.ts");
    await deleteRejectedEntries(await rejectedFolder(options), ids, stdout);
  });

async function rejectedFolder(options: ConfigOptions): Promise<string> {
  const { loadCommandConfig } = await import("./app/commands/command-config.ts");
  const { rejectedDirectory } = await import("./app/daemon/exporting.ts");
  return rejectedDirectory(await loadCommandConfig(access(options), stopSignal()));
}

const organization = program
  .command("organization")
  .description("organizations of the platform that runs here");

configured(organization.command("create"))
  .description("create an organization")
  .argument("<name>")
  .action(async (name: string, options: ConfigOptions) => {
    const { createOrganization } = await import("./app/commands/platform/organization.ts");
    await createOrganization({ ...access(options), name }, stdout, stopSignal());
  });

configured(organization.command("add-member"))
  .description("make a user a member of an organization, or change a member's role")
  .argument("<name>")
  .requiredOption("--user <user>", "the user")
  .addOption(
    new Option("--role <role>", "provider: also writes the statuses of what it provides")
      .choices(["member", "provider"])
      .default("member"),
  )
  .action(async (name: string, options: ConfigOptions & { user: string; role: "member" | "provider" }) => {
    const { addMember } = await import("./app/commands/platform/organization.ts");
    const { user, role } = options;
    await addMember({ ...access(options), name, user, role }, stdout, stopSignal());
  });

configured(organization.command("show"))
  .description("show members and quota usage")
  .argument("<name>")
  .addOption(asTableOrJson())
  .action(async (name: string, options: ConfigOptions & { output: "table" | "json" }) => {
    const { showOrganization } = await import("./app/commands/platform/organization.ts");
    await showOrganization({ ...access(options), name, output: options.output }, stdout, stopSignal());
  });

const token = program.command("token").description("Personal Access Tokens of the platform that runs here");

configured(token.command("create"))
  .description("create a token; it is shown only once")
  .requiredOption("--user <user>", "whose it is")
  .action(async (options: ConfigOptions & { user: string }) => {
    const { createToken } = await import("./app/commands/platform/token.ts");
    await createToken({ ...access(options), user: options.user }, stdout, stopSignal());
  });

configured(token.command("list"))
  .description("list tokens by their ids")
  .addOption(asTableOrJson())
  .action(async (options: ConfigOptions & { output: "table" | "json" }) => {
    const { listTokens } = await import("./app/commands/platform/token.ts");
    await listTokens({ ...access(options), output: options.output }, stdout, stopSignal());
  });

configured(token.command("revoke"))
  .description("revoke a token")
  .argument("<id>")
  .action(async (id: string, options: ConfigOptions) => {
    const { revokeToken } = await import("./app/commands/platform/token.ts");
    await revokeToken({ ...access(options), id }, stdout, stopSignal());
  });

configured(program.command("kubeconfig"))
  .description("print a kubeconfig for a control plane of the platform")
  .option("--organization <name>", "the control plane of this organization")
  .option("--project <name>", "the control plane of this project")
  .option("--token-file <file>", "file with your token; controlPlane.accessTokenFile by default")
  .option("--api-url <url>", "where the platform is reached")
  .action(
    async (
      options: ConfigOptions & {
        organization?: string;
        project?: string;
        tokenFile?: string;
        apiUrl?: string;
      },
    ) => {
      const { ownCall, printKubeconfig } = await import("./app/commands/platform/kubeconfig.ts");
      const { organization: ofOrganization, project, tokenFile, apiUrl } = options;
      const wanted = { ...access(options), organization: ofOrganization, project, tokenFile, apiUrl };
      await printKubeconfig(wanted, ownCall(), stdout, Date.now(), stopSignal());
    },
  );

program
  .command("credentials")
  .description("kubectl's exec plugin: exchange a token for a bearer token")
  .requiredOption("--api-url <url>", "the platform's address")
  .requiredOption("--token-file <file>", "file with the token")
  .action(async (options: { apiUrl: string; tokenFile: string }) => {
    const { printCredentials } = await import("./app/commands/platform/credentials.ts");
    const execInfo = process.env["KUBERNETES_EXEC_INFO"];
    await printCredentials({ ...options, execInfo }, stdout, stopSignal());
  });

const installationHelp = `
To install it:
  bash   echo 'source <(telemetryd completion bash)' >> ~/.bashrc
  zsh    echo 'source <(telemetryd completion zsh)' >> ~/.zshrc    (after compinit)
  fish   telemetryd completion fish > ~/.config/fish/completions/telemetryd.fish
`;

program
  .command("completion")
  .description("print a script that completes commands, options and values in a shell")
  .addArgument(new Argument("<shell>").choices(["bash", "zsh", "fish"] satisfies Shell[]))
  .addHelpText("after", installationHelp)
  .action(async (shell: Shell) => {
    const { completionScripts } = await import("./app/commands/completion/scripts.ts");
    stdout.write(completionScripts[shell]);
  });

program
  .command("__complete", { hidden: true })
  .argument("[word...]")
  .action(async (words: string[]) => {
    const { completionsFor, printedCompletions } = await import("./app/commands/completion/completions.ts");
    stdout.write(printedCompletions(completionsFor(program, words)));
  });

/** Prints a command's result to stdout and sets the exit status. */
function finish({ text, exitStatus }: { readonly text: string; readonly exitStatus: number }): void {
  stdout.write(text);
  process.exitCode = exitStatus;
}

function wholeNumber(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be a whole number.");
}

function interval(text: string): number {
  const intervalMs = parseInterval(text);
  if (intervalMs !== undefined) return intervalMs;
  throw new InvalidArgumentError(intervalRule);
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
