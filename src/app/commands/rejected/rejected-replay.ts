import { systemClock } from "../../../base/core/clock.ts";
import type { LineSink, Logger } from "../../../base/log/log.ts";
import { SinkStates } from "../../../exporter/delivery/state/sink-states.ts";
import { sinkKey } from "../../../exporter/policy/spec/types.ts";
import type { Sender } from "../../../exporter/remote-write/send/outcome.ts";
import { createExportTools, rejectedDirectory } from "../../daemon/export-tools.ts";
import { type ConfigCommandOptions, loadCommandConfig } from "../command-config.ts";
import { exportingConfig, plansInDirectory } from "../policies/directory-plans.ts";
import { replayRejectedEntries } from "./rejected.ts";

/**
 * `telemetryd rejected replay`: uses the sinks' current endpoints, credentials and settings.
 *
 * @throws see {@link replayRejectedEntries}
 */
export async function replayRejected(
  options: ConfigCommandOptions & { readonly ids: readonly string[] },
  out: LineSink,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const config = exportingConfig(await loadCommandConfig(options, signal));
  const plans = await plansInDirectory(config, log, signal);
  const tools = createExportTools({ config, state: new SinkStates(), clock: systemClock, log });
  const senderFor = ({ sink }: { readonly sink: string }): Sender | undefined => {
    const plan = plans.find(({ policy, name }) => sinkKey(policy, name) === sink);
    const destination = plan && tools.deps.destinationOf(plan, { interrupt: () => signal });
    return destination?.kind === "destination" ? destination.sender : undefined;
  };
  try {
    await replayRejectedEntries(rejectedDirectory(config), options.ids, senderFor, out, signal);
  } finally {
    await tools.close();
  }
}
