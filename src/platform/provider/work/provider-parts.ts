import type { Clock } from "../../../base/core/clock.ts";
import type { Logger } from "../../../base/log/log.ts";
import type { ConfigContents } from "../instance/config-contents.ts";
import type { WorkloadNames } from "../instance/workload-names.ts";
import type { Networks } from "../network/networks.ts";
import type { Hold } from "../plane/object-writer.ts";
import type { PlaneEvents } from "../plane/plane-events.ts";
import type { Served } from "../plane/served.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { RuntimeHealth } from "../runtime/runtime-health.ts";

/** What the work on every kind of object needs. */
export interface ProviderParts {
  readonly runtime: Runtime;
  readonly health: RuntimeHealth;
  readonly served: Served;
  readonly networks: Networks;
  readonly configs: ConfigContents;
  readonly workloads: WorkloadNames;
  readonly events: PlaneEvents;
  readonly groupDomain: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export type Finalizer =
  | "networking/network-provider"
  | "networking/subnet-provider"
  | "compute/instance-provider";

/** A finalizer of this provider, such as `compute.G/instance-provider`. */
export function holdOf(
  { served, groupDomain }: Pick<ProviderParts, "served" | "groupDomain">,
  finalizer: Finalizer,
): Hold {
  const [group, name] = finalizer.split("/");
  return {
    finalizer: `${group}.${groupDomain}/${name}`,
    annotation: served.holderAnnotation,
    holder: served.provider,
  };
}

/** Ends a message of the emulated runtime in " (emulated)". */
export function messageOf(runtime: Runtime, text: string): string {
  return runtime.kind === "emulated" && !text.endsWith("(emulated)") ? `${text} (emulated)` : text;
}

/** What tenants read while the runtime does not respond: the reason is for the operator. */
export const engineUnavailable = {
  reason: "EngineUnavailable",
  message: "the location's engine does not respond; running instances continue",
} as const;
