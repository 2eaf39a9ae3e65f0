import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandContext } from "../command.ts";
import { opsAddressOption } from "../ops-address.ts";
import type { StatusOptions } from "./report/status.ts";
import { intervalRule, parseInterval } from "./watch/interval.ts";

/** Registers `status`. */
export function registerStatus(program: Command, { stdout, stderr, stopSignal }: CommandContext): void {
  program
    .command("status")
    .description("show what a running daemon does")
    .addOption(opsAddressOption())
    .addOption(
      new Option("-o, --output <format>", "output format")
        .choices(["table", "wide", "json"])
        .default("table"),
    )
    .addOption(
      new Option(
        "--sort <order>",
        "how to order a table: by name (default), the largest lag or the worst state first, or by error",
      ).choices(["name", "lag", "state", "error"]),
    )
    .option("-w, --watch", "keep showing it: a live table on a terminal, elsewhere a line for each change")
    .option("--interval <duration>", "pause between two refreshes of --watch (default: 2s)", interval)
    .action(async (options: StatusOptions) => {
      if (options.watch === true) {
        const { watchAndShow } = await import("./watch/show-watch.ts");
        const isScreen = stdout.isTTY && process.env["TERM"] !== "dumb";
        const target = { out: stdout, warnings: stderr, isScreen, job: process };
        return watchAndShow(options, target, stopSignal());
      }
      const { showStatus } = await import("./report/status.ts");
      await showStatus(options, stdout, stderr, Date.now(), stopSignal());
    });
}

function interval(text: string): number {
  const intervalMs = parseInterval(text);
  if (intervalMs !== undefined) return intervalMs;
  throw new InvalidArgumentError(intervalRule);
}
