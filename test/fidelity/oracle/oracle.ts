import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { exportPolicyCrd } from "../../../scripts/crd/export-policy-crd.ts";
import { startChild, waitUntilReady } from "../../../scripts/servers/child.ts";
import { freePort } from "../../../scripts/servers/free-port.ts";
import { buildGoSource } from "../../support/go-source.ts";
import { groupDomain } from "../../support/plane/platform.ts";
import { until } from "../../support/until.ts";
import { sendTo } from "../platform-api.ts";
import type { SendRequest } from "../replay.ts";

/**
 * A real Kubernetes API server for custom resources (`apiextensions-apiserver`) with the project's CRD. It is
 * built once with Go from main.go, into `.servers`; it is not part of the program.
 */
export interface Oracle {
  readonly send: SendRequest;
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const modules = ["k8s.io/apiextensions-apiserver@v0.35.0", "go.etcd.io/etcd/server/v3@v3.6.5"];
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const readyLimitMs = 60_000;

export async function startOracle(signal: AbortSignal): Promise<Oracle> {
  const source = fileURLToPath(new URL("main.go", import.meta.url));
  const program = await buildGoSource({ name: "kubernetes-oracle", source, modules }, signal);
  const directory = await mkdtemp(join(tmpdir(), "telemetryd-oracle-"));
  const kubeconfig = join(directory, "kubeconfig");
  await writeFile(kubeconfig, JSON.stringify(noServer));
  const [port, etcdPort, peerPort] = await Promise.all([freePort(), freePort(), freePort()]);
  const args = [directory, ...[port, etcdPort, peerPort].map(String), kubeconfig];
  const child = await startChild({ name: "oracle", program, args });
  const stop = async (): Promise<void> => {
    await child.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const url = `https://127.0.0.1:${port}`;
    const send = sendTo(url);
    const isReady = async (): Promise<boolean> => {
      // `/readyz` waits for a core API server.
      const { code } = await send({ method: "GET", path: definitions }).catch(() => ({ code: 0 }));
      return code === 200;
    };
    await waitUntilReady("oracle", child, isReady, readyLimitMs, signal);
    await install(send);
    return { send, url, pid: child.pid, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The informers of a core API server are never needed. */
const noServer = {
  apiVersion: "v1",
  kind: "Config",
  clusters: [{ name: "none", cluster: { server: "http://127.0.0.1:1" } }],
  users: [{ name: "none", user: {} }],
  contexts: [{ name: "none", context: { cluster: "none", user: "none" } }],
  "current-context": "none",
};

/** Waits until the CRD is served, published in OpenAPI, and its storage is open. */
async function install(send: SendRequest): Promise<void> {
  const body = JSON.parse(JSON.stringify(exportPolicyCrd(groupDomain)));
  const { code, text } = await send({ method: "POST", path: definitions, body });
  if (code !== 201) throw new Error(`the CRD is refused: ${code} ${text}`);
  const group = `/apis/telemetry.${groupDomain}/v1alpha1`;
  for (const served of [`${group}/exportpolicies`, `/openapi/v3${group}`]) {
    await until(`${served} is served`, async () => {
      const response = await send({ method: "GET", path: served });
      return response.code === 200 && response.text !== "";
    });
  }
  await until("OpenAPI v2 has the kind", async () => {
    return (await send({ method: "GET", path: "/openapi/v2" })).text.includes("ExportPolicy");
  });
}
