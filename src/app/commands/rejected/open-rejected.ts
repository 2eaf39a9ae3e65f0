import { systemClock } from "../../../base/core/clock.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { Logger } from "../../../base/log/log.ts";
import { SinkStates } from "../../../exporter/delivery/state/sink-states.ts";
import {
  type RejectedAccess,
  rejectedFolder,
} from "../../../exporter/remote-write/rejected/rejected-access.ts";
import { createExportTools, rejectedAccess, rejectedDirectory } from "../../daemon/export-tools.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { exportingConfig, plansInDirectory } from "../policies/directory-plans.ts";
import { opsRejected } from "./ops-rejected.ts";

/** Where a command finds the rejected store: in the folder of a configuration's state, or through a daemon. */
export interface RejectedPlace {
  readonly config?: string | undefined;
  readonly set: readonly string[];
  readonly address: string;
}

/**
 * Calls `work` with the rejected store of a place.
 *
 * @param sends whether entries are sent: with a configuration, to the sinks that its policies declare
 * @throws INVALID_ARGUMENT, INVALID_CONFIGURATION, FILE_UNREADABLE, UNREACHABLE; what `work` throws
 */
export async function withRejected(
  { config: file, set, address }: RejectedPlace,
  sends: boolean,
  work: (access: RejectedAccess) => Promise<void>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  if (file === undefined) {
    if (set.length === 0) return work(opsRejected(address));
    throw new TelemetrydError("INVALID_ARGUMENT", "--set needs --config; a running daemon has its own");
  }
  const options: ConfigCommandOptions = { file, overrides: set };
  const loaded = await loadCommandConfig(options, signal);
  if (!sends) return work(rejectedFolder(rejectedDirectory(loaded), () => undefined));
  const config = exportingConfig(loaded);
  const plans = await plansInDirectory(config, log, signal);
  const tools = createExportTools({ config, state: new SinkStates(), clock: systemClock, log });
  try {
    await work(rejectedAccess(config, tools.deps, () => plans));
  } finally {
    await tools.close();
  }
}
