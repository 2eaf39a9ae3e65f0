import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { ClientObject } from "./objects.ts";

/**
 * `helm-client.ts HELM KUBECONFIG OBJECTS`: helm at work, as client.py describes it, with all objects in one
 * chart. `upgrade --force` replaces each with its manifest (PUT).
 */

const [helm = "", kubeconfig = "", objectsFile = ""] = process.argv.slice(2);
const objects = JSON.parse(await readFile(objectsFile, "utf8")) as ClientObject[];
const chart = `${kubeconfig}-chart`;
const home = `${kubeconfig}-helm`;

async function run(...args: string[]): Promise<string> {
  const env = {
    ...process.env,
    ...{ HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home, KUBECONFIG: kubeconfig },
  };
  return (await promisify(execFile)(helm, args, { env, maxBuffer: 64 * 2 ** 20 })).stdout;
}

/** Writes the chart with these labels of its objects. */
async function write(labels: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(join(chart, "templates"), { recursive: true });
  await writeFile(join(chart, "Chart.yaml"), "apiVersion: v2\nname: all\nversion: 1.0.0\n");
  for (const { plural, manifest } of objects) {
    const body = { ...manifest, metadata: { ...manifest.metadata, labels } };
    await writeFile(join(chart, "templates", `${plural}.yaml`), JSON.stringify(body));
  }
}

async function work(): Promise<void> {
  await write({ step: "first" });
  await run("install", "all", chart);
  await write({ step: "second" });
  await run("upgrade", "all", chart);
  await write({ step: "third" });
  await run("upgrade", "--force", "all", chart);
  const history = JSON.parse(await run("history", "all", "--output=json")) as { status: string }[];
  const states = history.map(({ status }) => status).join();
  if (states !== "superseded,superseded,deployed") throw new Error(`the releases are ${states}`);
  await run("rollback", "all", "1");
  await run("uninstall", "all");
}

await work().catch((error: unknown) => {
  console.log(`failed: ${String(error).slice(0, 2_000).replaceAll("\n", " ")}`);
});
console.log("done");
for (;;) {
  const isThere = await run("list").then(
    () => true,
    () => false,
  );
  console.log(isThere ? "ok" : "refused");
  await delay(500);
}
