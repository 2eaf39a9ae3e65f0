import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Outcome } from "../../../src/exporter/remote-write/send/outcome.ts";
import { type FleetReplicaOptions, fleetPlan, startFleetReplica } from "./fleet-replica.ts";

export interface FleetProcessOptions extends Omit<FleetReplicaOptions, "deliver"> {
  /** Names of policies with one sink each; see fleetPlan. */
  readonly policies: readonly string[];
}

/** A replica in a separate process, so that it can be killed and frozen. */
export interface FleetProcess {
  readonly child: ChildProcess;
  kill(): Promise<void>;
}

interface Delivery {
  readonly sink: string;
  readonly timesMs: readonly number[];
}

/** @param onDelivery called with the samples that the replica has sent; they have been acknowledged */
export function startFleetProcess(
  options: FleetProcessOptions,
  onDelivery: (sink: string, timesMs: readonly number[]) => void,
): FleetProcess {
  const child = fork(fileURLToPath(import.meta.url), [JSON.stringify(options)], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  child.on("message", (message) => {
    const { sink, timesMs } = message as Delivery;
    onDelivery(sink, timesMs);
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    child,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url) && process.argv[2] !== undefined) {
  const options = JSON.parse(process.argv[2]) as FleetProcessOptions;
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
