import type { Outcome } from "../../../src/exporter/remote-write/send/outcome.ts";
import { type ForkedProcess, forkedOptions, startForked } from "../forked-process.ts";
import { type FleetReplicaOptions, fleetPlan, startFleetReplica } from "./fleet-replica.ts";

export interface FleetProcessOptions extends Omit<FleetReplicaOptions, "deliver"> {
  /** Names of policies with one sink each; see fleetPlan. */
  readonly policies: readonly string[];
}

interface Delivery {
  readonly sink: string;
  readonly timesMs: readonly number[];
}

/**
 * A replica in a separate process.
 *
 * @param onDelivery called with the samples that the replica has sent; they have been acknowledged
 */
export function startFleetProcess(
  options: FleetProcessOptions,
  onDelivery: (sink: string, timesMs: readonly number[]) => void,
): ForkedProcess {
  const forked = startForked(import.meta.url, options);
  forked.child.on("message", (message) => {
    const { sink, timesMs } = message as Delivery;
    onDelivery(sink, timesMs);
  });
  return forked;
}

const options = forkedOptions<FleetProcessOptions>(import.meta.url);
if (options !== undefined) {
  const replica = await startFleetReplica({
    ...options,
    deliver: async (sink, timesMs): Promise<Outcome> => {
      process.send?.({ sink, timesMs } satisfies Delivery);
      return { kind: "delivered", status: 204 };
    },
  });
  for (const policy of options.policies) replica.schedule.start(fleetPlan(policy));
  // The parent process may die first.
  process.once("disconnect", () => void replica.stop().then(() => process.exit()));
}
