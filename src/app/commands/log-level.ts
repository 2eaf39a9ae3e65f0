import { Argument, type Command } from "commander";
import { TelemetrydError } from "../../base/core/errors.ts";
import { type LineSink, logLevels } from "../../base/log/log.ts";
import type { CommandContext } from "./command.ts";
import { askDaemon, opsAddressOption, opsUrl } from "./ops-address.ts";
import { printable } from "./table.ts";

/** Registers `log-level`. */
export function registerLogLevel(program: Command, { stdout, stopSignal }: CommandContext): void {
  program
    .command("log-level")
    .description("show a running daemon's log level, or set it until the configuration is read again")
    .addArgument(new Argument("[level]").choices(logLevels))
    .addOption(opsAddressOption())
    .action(async (level: string | undefined, options: { readonly address: string }) => {
      await logLevel(options.address, level, stdout, stopSignal());
    });
}

/**
 * `telemetryd log-level`: prints a running daemon's log level, or sets it.
 *
 * @throws INVALID_ARGUMENT for an address or a level that does not exist, UNREACHABLE
 */
export async function logLevel(
  address: string,
  level: string | undefined,
  out: LineSink,
  signal: AbortSignal,
): Promise<void> {
  const url = opsUrl(address, "debug/log-level");
  if (level !== undefined) url.searchParams.set("level", level);
  const response = await askDaemon(url, level === undefined ? "GET" : "PUT", signal);
  const text = printable((await response.text()).slice(0, 500).trim());
  if (response.status === 400) throw new TelemetrydError("INVALID_ARGUMENT", text);
  if (!response.ok) {
    throw new TelemetrydError("UNREACHABLE", `${url.origin} responds with HTTP ${response.status} (${text})`);
  }
  out.write(
    level === undefined ? `${text}\n` : `${level} (was ${text}), until the configuration is read again\n`,
  );
}
