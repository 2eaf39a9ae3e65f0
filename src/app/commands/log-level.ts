import { TelemetrydError } from "../../base/core/errors.ts";
import type { LineSink } from "../../base/log/log.ts";
import { askDaemon, opsUrl } from "./ops-address.ts";
import { printable } from "./table.ts";

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
