import { sleep } from "../../src/base/core/clock.ts";
import { findKubectl, runKubectl } from "./kubectl.ts";

/** Uses a control plane as its users do. */
export interface PlaneHand {
  /** Applies a file of manifests. */
  apply(file: string, signal: AbortSignal): Promise<void>;
  /**
   * Waits until an object has a condition with status True.
   * @param resource for example `project/web`
   */
  waitFor(condition: string, resource: string, signal: AbortSignal): Promise<void>;
  /** @param resource for example `instance/web-0` */
  get(resource: string, signal: AbortSignal): Promise<unknown>;
}

export interface PlaneAccess {
  /** The kubeconfig file; it contains the control plane's address. */
  readonly kubeconfig: string;
  readonly apiUrl: string;
  readonly accessToken: string;
}

export const readyLimitMs = 60_000;
const applyLimitMs = 30_000;
const applyPauseMs = 1_000;

/** kubectl where it is installed; else the program's own client, with the same behavior. */
export async function createPlaneHand(access: PlaneAccess): Promise<PlaneHand> {
  const kubectl = findKubectl();
  if (kubectl === undefined) return (await import("./own-client.ts")).createOwnClient(access);
  return withKubectl(kubectl, access.kubeconfig);
}

/**
 * Retries apply, which is idempotent: on a busy machine the response may be late although the work was done.
 */
export async function applyPatiently(hand: PlaneHand, file: string, signal: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + applyLimitMs;
  for (;;) {
    try {
      return await hand.apply(file, signal);
    } catch (error) {
      if (signal.aborted || performance.now() > deadlineMs) throw error;
      await sleep(applyPauseMs, signal);
    }
  }
}

function withKubectl(binary: string, kubeconfig: string): PlaneHand {
  return {
    async apply(file, signal) {
      await runKubectl(binary, kubeconfig, ["apply", "--filename", file], signal);
    },
    async waitFor(condition, resource, signal) {
      const limit = `--timeout=${readyLimitMs / 1000}s`;
      await runKubectl(binary, kubeconfig, ["wait", `--for=condition=${condition}`, limit, resource], signal);
    },
    async get(resource, signal) {
      return JSON.parse(await runKubectl(binary, kubeconfig, ["get", resource, "--output=json"], signal));
    },
  };
}
