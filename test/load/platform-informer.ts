import { setTimeout as delay } from "node:timers/promises";
import { CoreV1Api, KubeConfig, makeInformer, type V1ConfigMap } from "@kubernetes/client-node";
import { numberOption, readOptions } from "../../scripts/run/options.ts";
import { httpsRequest, organizationBase, startTestPlatform } from "../support/plane/platform.ts";
import { until } from "../support/until.ts";

export interface InformerResult {
  readonly writes: number;
  readonly restarts: number;
  /** Number of errors after which the informer was restarted, as its documentation requires. */
  readonly errors: number;
  readonly objects: number;
  /** Final differences between the informer's state and the server's. */
  readonly differences: readonly string[];
}

/**
 * Runs an informer of the Kubernetes client library under random writes while the server is restarted and its
 * change log compacted, then compares its state with the server's.
 */
export async function runInformer(durationMs: number, restartEveryMs: number): Promise<InformerResult> {
  const platform = await startTestPlatform({
    limits: { requestsPerSecondPerToken: 100_000 },
    changeLogMs: 1_000,
    bookmarkMs: 2_000,
  });
  try {
    const bearer = await platform.exchange(platform.token);
    const path = `${organizationBase("acme")}/api/v1/namespaces/default/configmaps`;
    const config = new KubeConfig();
    config.loadFromClusterAndUser(
      { name: "test", server: `${platform.url}${organizationBase("acme")}`, skipTLSVerify: true },
      { name: "test", token: bearer },
    );
    const api = config.makeApiClient(CoreV1Api);
    const list = () => api.listNamespacedConfigMap({ namespace: "default" });
    const informer = makeInformer(config, "/api/v1/namespaces/default/configmaps", list);
    let errors = 0;
    let isStopping = false;
    informer.on("error", () => {
      errors++;
      setTimeout(() => {
        if (!isStopping) void informer.start().catch(() => undefined);
      }, 200);
    });
    const state = new Map<string, string>();
    const note = (map: V1ConfigMap) => {
      state.set(map.metadata?.name ?? "", map.metadata?.resourceVersion ?? "");
    };
    informer.on("add", note);
    informer.on("update", note);
    informer.on("delete", (map) => void state.delete(map.metadata?.name ?? ""));
    await informer.start();

    const deadlineMs = performance.now() + durationMs;
    let nextRestartMs = performance.now() + restartEveryMs;
    let writes = 0;
    let restarts = 0;
    while (performance.now() < deadlineMs) {
      const name = `map-${Math.floor(Math.random() * 40)}`;
      const kind = Math.random();
      const method = kind < 0.4 ? "POST" : kind < 0.75 ? "PATCH" : "DELETE";
      await httpsRequest(`${platform.url}${path}${method === "POST" ? "" : `/${name}`}`, {
        method,
        bearer,
        body: method === "POST" ? { metadata: { name } } : { data: { count: String(writes) } },
        headers: method === "PATCH" ? { "content-type": "application/merge-patch+json" } : {},
      });
      writes++;
      if (performance.now() >= nextRestartMs) {
        await platform.restart();
        restarts++;
        nextRestartMs = performance.now() + restartEveryMs;
      }
      await delay(Math.random() * 20);
    }

    const truth = async (): Promise<Map<string, string>> => {
      const { json } = await httpsRequest(`${platform.url}${path}`, { bearer });
      const items = json.items as V1ConfigMap[];
      return new Map(items.map(({ metadata }) => [metadata?.name ?? "", metadata?.resourceVersion ?? ""]));
    };
    const compare = async (): Promise<string[]> => {
      const server = await truth();
      const held = new Map(
        informer.list().map(({ metadata }) => [metadata?.name ?? "", metadata?.resourceVersion ?? ""]),
      );
      const names = new Set([...server.keys(), ...held.keys(), ...state.keys()]);
      return [...names]
        .filter((name) => server.get(name) !== held.get(name) || server.get(name) !== state.get(name))
        .map(
          (name) => `${name}: server ${server.get(name)}, list ${held.get(name)}, events ${state.get(name)}`,
        );
    };
    let differences = await compare();
    await until("the informer has caught up", async () => {
      differences = await compare();
      return differences.length === 0;
    }).catch(() => undefined);
    isStopping = true;
    await informer.stop();
    return { writes, restarts, errors, objects: (await truth()).size, differences };
  } finally {
    await platform.stop();
  }
}

/** `npm run prove -- informer`: runs for three minutes. */
if (process.argv[1]?.endsWith("platform-informer.ts") === true) {
  const about = "Compares an informer's cache with the server's objects after random writes and restarts.";
  const { seconds } = readOptions("npm run prove -- informer", about, {
    seconds: numberOption(180, "how long"),
  });
  const result = await runInformer(seconds * 1000, 10_000);
  process.stdout.write(`${JSON.stringify(result, undefined, 2)}\n`);
  process.exitCode = result.differences.length === 0 && result.writes > 0 ? 0 : 1;
}
