import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { CoreV1Api, KubeConfig, KubernetesObjectApi, PatchStrategy, Watch } from "@kubernetes/client-node";
import { until } from "../support/until.ts";
import type { ClientObject } from "./objects.ts";

/** `node-client.ts KUBECONFIG OBJECTS`: the JavaScript client at work, as client.py describes it. */

const [kubeconfig = "", objectsFile = ""] = process.argv.slice(2);
const config = new KubeConfig();
config.loadFromFile(kubeconfig);
const api = KubernetesObjectApi.makeApiClient(config);

function pathOf({ manifest, namespaced, plural }: ClientObject): string {
  const { apiVersion } = manifest;
  const group = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespaced ? `${group}/namespaces/default/${plural}` : `${group}/${plural}`;
}

async function work(item: ClientObject): Promise<void> {
  const { name } = item.manifest.metadata;
  const metadata = { ...item.manifest.metadata, ...(item.namespaced ? { namespace: "default" } : {}) };
  const object = { ...item.manifest, metadata };
  const header = { apiVersion: object.apiVersion, kind: object.kind, metadata };
  const seen: string[] = [];
  const note = (type: string, { metadata: found }: { metadata: { name: string } }): void => {
    if (found.name === name) seen.push(type);
  };
  const watch = await new Watch(config).watch(pathOf(item), {}, note, () => undefined);
  const sees = (type: string) => until(`the watch shows ${type}`, () => seen.includes(type));
  try {
    await api.create(object as never);
    await sees("ADDED");
    const labelled = { ...header, metadata: { ...metadata, labels: { updated: "yes" } } };
    await api.patch(labelled as never, undefined, undefined, undefined, undefined, PatchStrategy.MergePatch);
    await sees("MODIFIED");
    const updated = (await api.read(header as never)).metadata?.labels;
    if (updated?.["updated"] !== "yes") throw new Error("the update is not there");
    await until("it is replaced", async () => {
      // A controller may write the object between the reading and the writing.
      const resourceVersion = (await api.read(header as never)).metadata?.resourceVersion;
      const body = { ...object, metadata: { ...metadata, resourceVersion, labels: { replaced: "yes" } } };
      return await api.replace(body as never).then(() => true);
    });
    const { labels } = (await api.read(header as never)).metadata ?? {};
    if (labels?.["replaced"] !== "yes" || "updated" in labels) throw new Error("it is not replaced");
    await api.delete(header as never);
    await sees("DELETED");
  } finally {
    watch.abort();
  }
}

const objects = JSON.parse(readFileSync(objectsFile, "utf8")) as ClientObject[];
for (const item of objects) {
  await work(item).catch((error: unknown) => {
    console.log(`failed ${item.plural}: ${String(error).slice(0, 500).replaceAll("\n", " ")}`);
  });
}
console.log("done");
for (;;) {
  const outcome = await config
    .makeApiClient(CoreV1Api)
    .readNamespace({ name: "default" })
    .then(
      () => "ok",
      () => "refused",
    );
  console.log(outcome);
  await delay(500);
}
