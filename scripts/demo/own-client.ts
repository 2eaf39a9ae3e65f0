import { readFile } from "node:fs/promises";
import { Agent } from "undici";
import { parseAllDocuments } from "yaml";
import { sleep, systemClock } from "../../src/base/core/clock.ts";
import { exchangeToken } from "../../src/platform/client/api/exchange.ts";
import { readKubeconfig } from "../../src/platform/client/api/kubeconfig.ts";
import { createPlaneClient, type PlaneClient } from "../../src/platform/client/api/plane-client.ts";
import { Throttle } from "../../src/platform/client/api/throttle.ts";
import { type PlaneAccess, type PlaneHand, readyLimitMs } from "./plane-hand.ts";

/** Paths of the demo's kinds, relative to a control plane's base. */
const paths: Readonly<Record<string, string>> = {
  project: "/apis/resourcemanager.platformapis/v1alpha/projects",
  exportpolicy: "/apis/telemetry.platformapis/v1alpha1/namespaces/default/exportpolicies",
  secret: "/api/v1/namespaces/default/secrets",
  configmap: "/api/v1/namespaces/default/configmaps",
  location: "/apis/networking.platformapis/v1alpha/namespaces/default/locations",
  network: "/apis/networking.platformapis/v1alpha/namespaces/default/networks",
  workload: "/apis/compute.platformapis/v1alpha/namespaces/default/workloads",
  instance: "/apis/compute.platformapis/v1alpha/namespaces/default/instances",
};

const pollMs = 200;

/** Uses a control plane through the program's own client, by server-side apply. */
export function createOwnClient(access: PlaneAccess): PlaneHand {
  const withClient = async <T>(
    work: (client: PlaneClient) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> => {
    const kubeconfig = readKubeconfig(await readFile(access.kubeconfig, "utf8"), access.kubeconfig);
    if (!kubeconfig.ok) throw new Error(kubeconfig.message);
    const { server, ca } = kubeconfig.access;
    const trusted = ca !== undefined && "text" in ca ? { ca: ca.text } : {};
    const dispatcher = new Agent({ connect: trusted });
    try {
      const outcome = await exchangeToken(access.apiUrl, access.accessToken, dispatcher, signal);
      if (outcome.outcome !== "exchanged") throw new Error(outcome.message);
      const bearer = {
        token: async () => outcome.bearer.text,
        rejected: () => undefined,
        snapshot: () => ({ state: "valid" as const }),
      };
      const throttle = new Throttle(systemClock);
      const options = { base: server, bearer, dispatcher, throttle, silentMs: readyLimitMs };
      return await work(createPlaneClient(options));
    } finally {
      await dispatcher.destroy();
    }
  };

  return {
    async apply(file, signal) {
      const documents = parseAllDocuments(await readFile(file, "utf8"));
      await withClient(async (client) => {
        for (const document of documents) {
          const body = document.toJS() as { kind: string; metadata: { name: string } };
          const path = `${paths[body.kind.toLowerCase()]}/${body.metadata.name}`;
          const query = { fieldManager: "demo", force: "true" };
          const options = { query, body, contentType: "application/apply-patch+yaml" };
          const response = await client.send("PATCH", path, options, signal);
          if (response.outcome !== "ok") throw new Error(`${path}: ${response.message}`);
        }
      }, signal);
    },
    async get(resource, signal) {
      const [kind = "", name = ""] = resource.split("/");
      return await withClient(async (client) => {
        const response = await client.send("GET", `${paths[kind]}/${name}`, {}, signal);
        if (response.outcome !== "ok") throw new Error(`${resource}: ${response.message}`);
        return response.json;
      }, signal);
    },
    async waitFor(condition, resource, signal) {
      const [kind = "", name = ""] = resource.split("/");
      const deadlineMs = performance.now() + readyLimitMs;
      await withClient(async (client) => {
        for (;;) {
          const response = await client.send("GET", `${paths[kind]}/${name}`, {}, signal);
          if (response.outcome === "ok" && isTrue(response.json, condition)) return;
          if (performance.now() > deadlineMs) throw new Error(`${resource} does not become ${condition}`);
          await sleep(pollMs, signal);
        }
      }, signal);
    },
  };
}

function isTrue(object: Record<string, unknown>, condition: string): boolean {
  const { conditions = [] } = (object["status"] ?? {}) as {
    conditions?: readonly { type: string; status: string }[];
  };
  return conditions.some(({ type, status }) => type === condition && status === "True");
}
