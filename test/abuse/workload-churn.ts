import { Agent } from "node:https";
import { sleep } from "../../src/base/core/clock.ts";
import { httpsRequest, type TestResponse } from "../support/plane/platform.ts";
import { hostileProject } from "./scene.ts";
import type { Tally } from "./tally.ts";
import { type Collection, collectionUrl, instanceOf, networkOf, workloadOf } from "./workloads.ts";

export interface WorkloadAccess {
  /** The platform's address. */
  readonly url: string;
  readonly bearer: string;
}

const churnLanes = 2;
/** Time for a workload to run, and for one to be gone; then the next step begins nevertheless. */
const stepLimitMs = 20_000;

/** Networks and workloads that come and go all the time, until the signal aborts. */
export async function workloadChurn(
  { url, bearer }: WorkloadAccess,
  tally: Tally,
  signal: AbortSignal,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const call = (plural: Collection, method: string, name = "", body?: object) => {
    const collection = collectionUrl(url, hostileProject, plural);
    return httpsRequest(name === "" ? collection : `${collection}/${name}`, { method, bearer, agent, body });
  };
  /** Waits until a response of the API is as it should be. @returns whether it became so */
  const becomes = async (ask: () => Promise<TestResponse>, isDone: (response: TestResponse) => boolean) => {
    const endMs = Date.now() + stepLimitMs;
    while (Date.now() < endMs && !signal.aborted) {
      const response = await ask().catch(() => undefined);
      if (response !== undefined && isDone(response)) return true;
      await sleep(300, signal).catch(() => undefined);
    }
    return false;
  };
  const churn = async (lane: number): Promise<void> => {
    for (let round = 0; !signal.aborted; round++) {
      const name = `churn-${lane}-${round}`;
      await tally.attempt("workloads: a network that comes and goes", async () => {
        await call("networks", "POST", "", networkOf(name));
        await call("workloads", "POST", "", workloadOf(name, ["web"], { network: name }));
        const isUp = await becomes(
          () => call("instances", "GET", instanceOf(name)),
          ({ json }) =>
            json?.status?.conditions?.some((each: { reason: string }) => each.reason === "InstanceIsRunning"),
        );
        await call("workloads", "DELETE", name);
        const isGone = await becomes(
          () => call("instances", "GET", instanceOf(name)),
          ({ code }) => code === 404,
        );
        await call("networks", "DELETE", name);
        if (signal.aborted) return "interrupted";
        return !isUp ? "not running in time" : isGone ? "came and went" : "not gone in time";
      });
    }
  };
  await Promise.all(Array.from({ length: churnLanes }, (_, lane) => churn(lane)));
  agent.destroy();
}
