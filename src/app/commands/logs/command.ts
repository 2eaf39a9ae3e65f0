import type { Command } from "commander";
import { type CommandContext, wholeNumber } from "../command.ts";
import type { LogsOptions } from "./logs.ts";

/** Registers `logs`. */
export function registerLogs(program: Command, { stdout, log, stopSignal }: CommandContext): void {
  program
    .command("logs")
    .description("print the log of an Instance, from the control plane of a kubeconfig")
    .argument("<instance>")
    .option("-c, --container <name>", "of an Instance with several containers")
    .option("-f, --follow", "go on with what is written, until Ctrl-C")
    .option("--tail <lines>", "only so many lines of the end", wholeNumber)
    .option("--since <duration>", "only lines of the last 5s, 2m or 3h")
    .option("--timestamps", "the time of each line before it")
    .option("-n, --namespace <namespace>", "default: that of the kubeconfig's context")
    .option("--kubeconfig <file>", "default: the first of KUBECONFIG, or ~/.kube/config")
    .action(async (instance: string, options: Omit<LogsOptions, "instance">) => {
      const { printLogs } = await import("./logs.ts");
      await printLogs({ ...options, instance }, process.env, log, stdout, stopSignal());
    });
}
