import { Agent } from "node:https";
import { sleep } from "../../src/base/core/clock.ts";
import { httpsRequest, projectBase } from "../support/plane/platform.ts";
import { honestProject } from "./scene.ts";

/** A request of the honest member: start (Unix epoch, ms), duration and outcome. */
export interface HonestRequest {
  readonly atMs: number;
  readonly forMs: number;
  /** 0 when the connection ended without a response. */
  readonly code: number;
}

/**
 * Lists, reads and writes in the honest project four times a second, as its members do, until the signal
 * aborts.
 */
export async function honestRequests(
  url: string,
  bearer: string,
  signal: AbortSignal,
): Promise<HonestRequest[]> {
  const base = `${url}${projectBase(honestProject)}`;
  const maps = `${base}/api/v1/namespaces/default/configmaps`;
  const agent = new Agent({ keepAlive: true });
  const requests: HonestRequest[] = [];
  const manifest = (nonce: number) => ({ metadata: { name: "settings" }, data: { nonce: String(nonce) } });
  const calls = [
    () => httpsRequest(`${base}/apis/telemetry.platformapis/v1alpha1/exportpolicies`, { bearer, agent }),
    () => httpsRequest(`${maps}/settings`, { bearer, agent }),
    (nonce: number) =>
      httpsRequest(`${maps}/settings`, {
        ...{ method: "PATCH", bearer, agent, body: manifest(nonce) },
        headers: { "content-type": "application/merge-patch+json" },
      }),
  ];
  await httpsRequest(maps, { method: "POST", bearer, agent, body: manifest(0) });
  for (let count = 1; !signal.aborted; count++) {
    const atMs = Date.now();
    const call = calls[count % calls.length];
    const code = await call?.(count).then(
      (response) => response.code,
      () => 0,
    );
    requests.push({ atMs, forMs: Date.now() - atMs, code: code ?? 0 });
    await sleep(250, signal).catch(() => undefined);
  }
  agent.destroy();
  return requests;
}
