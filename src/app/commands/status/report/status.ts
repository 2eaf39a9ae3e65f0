import { TelemetrydError } from "../../../../base/core/errors.ts";
import type { LineSink } from "../../../../base/log/log.ts";
import { lateRejectedAdvice } from "../../../../exporter/policy/status/status-view.ts";
import { printedJson } from "../../printed-json.ts";
import { printable } from "../../table.ts";
import { fetchStatus } from "./fetch-status.ts";
import type { StatusOrder } from "./status-rows.ts";
import { statusTable } from "./status-table.ts";
import { statusWarnings } from "./status-warnings.ts";

export type StatusOutput = "table" | "wide" | "json";

export interface StatusOptions {
  /** The ops address of the daemon: a URL, or host:port. */
  readonly address: string;
  readonly output: StatusOutput;
  /** The order of a table's rows; `name` by default. */
  readonly sort?: StatusOrder;
  readonly watch?: boolean;
  /** Between two refreshes of a watch, in ms. */
  readonly interval?: number;
}

/**
 * `telemetryd status`: fetches a running daemon's status and prints a kubectl-style table, warnings
 * separately; `wide` adds what to do about refused late samples.
 *
 * @throws INVALID_ARGUMENT for invalid options, UNREACHABLE when no daemon responds at the address
 */
export async function showStatus(
  options: StatusOptions,
  out: LineSink,
  warnings: LineSink,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { output, sort = "name" } = options;
  checkStatusOptions(options);
  const status = await fetchStatus(options.address, signal);
  if (output === "json") {
    out.write(printedJson(status));
    return;
  }
  for (const warning of statusWarnings(status)) warnings.write(`Warning: ${printable(warning)}\n`);
  if (status.policies.length === 0) warnings.write("No policies found.\n");
  else out.write(statusTable(status, { wide: output === "wide", sort }, nowMs));
  const advice = lateRejectedAdvice(status.policies.flatMap(({ sinks }) => sinks));
  if (output === "wide" && advice !== undefined) warnings.write(`Note: ${advice}\n`);
}

/** @throws INVALID_ARGUMENT for options that contradict each other */
export function checkStatusOptions({ output, sort, watch, interval }: StatusOptions): void {
  if (output === "json" && sort !== undefined) {
    throw new TelemetrydError(
      "INVALID_ARGUMENT",
      "--sort orders a table; it cannot be used with --output json",
    );
  }
  if (interval !== undefined && watch !== true) {
    throw new TelemetrydError(
      "INVALID_ARGUMENT",
      "--interval is the pause between refreshes of --watch; add --watch",
    );
  }
}
