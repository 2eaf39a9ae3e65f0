import type { Clock } from "../../../base/core/clock.ts";
import type { ObjectStore } from "../../../kube-server/store/object-store.ts";
import type { StoredPrograms } from "../../routing/program-store.ts";
import { wakeGateways } from "./gateway-work.ts";

export interface GatewayWatchOptions {
  readonly programs: Pick<StoredPrograms, "running" | "all">;
  /** `gateway.domain`; undefined if no gateway is to run. */
  readonly gatewayDomain: string | undefined;
  readonly store: Pick<ObjectStore, "addWork">;
  readonly clock: Clock;
}

const lookEveryMs = 5_000;
/** A restart takes less. */
const goneAfterMs = 15_000;

/**
 * Notices that the last gateway is gone, which nothing else reports: every Gateway then says so. A gateway
 * that starts wakes the controllers itself.
 *
 * @returns a tick of a loop; it returns the pause, ms
 */
export function createGatewayWatch(options: GatewayWatchOptions): () => Promise<number> {
  const { programs, gatewayDomain, store, clock } = options;
  let seenAtMs = clock.monotonicMs();
  let isTold = false;
  return async () => {
    const nowMs = clock.monotonicMs();
    if (gatewayDomain !== undefined && (await programs.running()) > 0) {
      seenAtMs = nowMs;
      isTold = false;
    } else if (!isTold && nowMs - seenAtMs >= goneAfterMs) {
      for await (const part of programs.all()) await wakeGateways(store, part, clock.nowMs());
      isTold = true;
    }
    return lookEveryMs;
  };
}
