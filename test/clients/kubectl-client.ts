import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { createKubectl } from "../support/plane/kubectl.ts";
import type { ClientObject } from "./objects.ts";

/**
 * `kubectl-client.ts KUBECTL KUBECONFIG OBJECTS`: kubectl at work, as client.py describes it, with all objects in
 * a list: each call is a process, and runs the plug-in.
 */

const [binary = "", kubeconfig = "", objectsFile = ""] = process.argv.slice(2);
const kubectl = createKubectl(binary, kubeconfig, `${kubeconfig}-cache`);
const objects = JSON.parse(readFileSync(objectsFile, "utf8")) as ClientObject[];

function listOf(labels: Readonly<Record<string, string>>): unknown {
  const items = objects.map(({ manifest }) => ({ ...manifest, metadata: { ...manifest.metadata, labels } }));
  return { apiVersion: "v1", kind: "List", items };
}

/** `kubectl wait` watches each object until it is as wanted. */
const waits = (wanted: string): Promise<string> =>
  kubectl.file(listOf({}), "wait", `--for=${wanted}`, "--timeout=60s");

async function work(): Promise<void> {
  await kubectl.file(listOf({}), "create");
  const updated = waits("jsonpath={.metadata.labels.updated}=yes");
  await Promise.all([updated, kubectl.file(listOf({}), "label", "updated=yes")]);
  await kubectl.file(listOf({ replaced: "yes" }), "replace");
  const { items } = JSON.parse(await kubectl.file(listOf({}), "get", "--output=json"));
  const isReplaced = ({ metadata }: ClientObject["manifest"]): boolean =>
    metadata.labels?.["replaced"] === "yes" && !("updated" in metadata.labels);
  if (items.length !== objects.length || !items.every(isReplaced)) throw new Error("some are not replaced");
  // Controllers delete some that lost what they are for.
  const deleted = kubectl.file(listOf({}), "delete", "--ignore-not-found", "--timeout=60s");
  await Promise.all([waits("delete"), deleted]);
}

await work().catch((error: unknown) => {
  console.log(`failed: ${String(error).slice(0, 1_000).replaceAll("\n", " ")}`);
});
console.log("done");
for (;;) {
  const { code } = await kubectl.run(["get", "namespace", "default"]);
  console.log(code === 0 ? "ok" : "refused");
  await delay(500);
}
