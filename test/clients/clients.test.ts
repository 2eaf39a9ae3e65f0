import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { builtCli } from "../../scripts/daemon/build.ts";
import { findKubectl } from "../../scripts/demo/kubectl.ts";
import { type Child, type ChildCommand, startChild } from "../../scripts/servers/child.ts";
import { findGo } from "../../scripts/servers/go.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { buildGoSource } from "../support/go-source.ts";
import { findHelm } from "../support/manifests/helm.ts";
import { inDaemon, projectBase, startTestPlatform, type TestPlatform } from "../support/plane/platform.ts";
import { example } from "../support/provider/workload-cases.ts";
import { setUpAll } from "../support/set-up.ts";
import { until } from "../support/until.ts";
import { clientObjects } from "./objects.ts";

/**
 * Clients of the Kubernetes API, with the kubeconfig as it is printed: each creates, watches, updates, replaces
 * and deletes an object of each kind. Then its token is replaced while it runs.
 */

const signal = new AbortController().signal;

interface Client {
  readonly name: string;
  /** How long it may be locked out after its token was replaced. Absent: until it is restarted. */
  readonly lockedOutMs?: number;
  /** Its program, to which the kubeconfig and the file of the objects are added; a text why there is none. */
  prepare(): Promise<Program | string>;
}

type Program = Pick<ChildCommand, "program" | "args" | "env">;

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const tsx = (file: string, ...args: readonly string[]): Program => ({
  program: process.execPath,
  args: ["--import", "tsx", here(file), ...args],
});

const clients: readonly Client[] = [
  {
    name: "kubectl",
    lockedOutMs: 20_000,
    async prepare() {
      const kubectl = findKubectl();
      return kubectl === undefined ? "kubectl is not installed" : tsx("kubectl-client.ts", kubectl);
    },
  },
  {
    name: "helm",
    lockedOutMs: 20_000,
    async prepare() {
      const helm = await findHelm();
      return helm === undefined ? "helm is not installed" : tsx("helm-client.ts", helm);
    },
  },
  { name: "client-node", lockedOutMs: 120_000, prepare: async () => tsx("node-client.ts") },
  python("kubernetes 29", "kubernetes", "kubernetes==29.0.0", 120_000),
  python("kubernetes", "kubernetes", "kubernetes>=37", 120_000),
  python("kr8s", "kr8s", "kr8s", 20_000),
  python("lightkube", "lightkube", "lightkube"),
  go("client-go", "main.go", "k8s.io/client-go@v0.37.0"),
  go("controller-runtime", "controller.go", "sigs.k8s.io/controller-runtime@v0.25.2"),
];

/** A client that Go builds below `.servers`, once. */
function go(name: string, file: string, module: string): Client {
  return {
    name,
    lockedOutMs: 120_000,
    async prepare() {
      if ((await findGo()) === undefined) return "Go is not installed";
      const source = { name, source: here(file), modules: [module] };
      return { program: await buildGoSource(source, signal), args: [] };
    },
  };
}

/** A client that pip installs below `.servers`, once. */
function python(name: string, library: string, wanted: string, lockedOutMs?: number): Client {
  const packages = resolve(".servers", `python-${name.replace(" ", "-")}`);
  return {
    name: `Python ${name}`,
    ...(lockedOutMs === undefined ? {} : { lockedOutMs }),
    async prepare() {
      if (!existsSync(join(packages, "complete"))) {
        const args = ["-m", "pip", "install", "--quiet", "--target", packages, wanted];
        const pip = await startChild({ name: "pip", program: "python3", args }).catch(() => undefined);
        if (pip === undefined) return "python3 is not installed";
        const { code } = await pip.exited;
        if (code !== 0) return `pip cannot install ${wanted}: ${pip.log().trim().split("\n").at(-1)}`;
        await writeFile(join(packages, "complete"), "");
      }
      return { program: "python3", args: [here("client.py"), library], env: { PYTHONPATH: packages } };
    },
  };
}

/** A watch that misses an event takes a minute of it. */
const workLimitMs = 200_000;
/** What members write, as `<apiVersion> <kind>`. */
const served = new Set<string>();
let platform: TestPlatform;
let folder: string;

setUpAll(async ({ keep, newFolder }) => {
  folder = await newFolder("clients");
  platform = await keep(startTestPlatform({}, silentLogger, inDaemon));
  const bearer = await platform.exchange(platform.token);
  const post = async (path: string, body: unknown): Promise<void> => {
    expect((await platform.fetch(path, { method: "POST", bearer, body })).code).toBe(201);
  };
  await platform.createProject("web");
  await discover(bearer);
  // Workloads need one in their city.
  const locations = "apis/networking.platformapis/v1alpha/namespaces/default/locations";
  await post(`${projectBase("web")}/${locations}`, example("location.yaml"));
});

async function discover(bearer: string): Promise<void> {
  const get = async (path: string) => (await platform.fetch(`${projectBase("web")}${path}`, { bearer })).json;
  const { groups } = await get("/apis");
  const versions: string[] = groups.flatMap((group: { versions: { groupVersion: string }[] }) =>
    group.versions.map(({ groupVersion }) => groupVersion),
  );
  for (const version of ["v1", ...versions]) {
    const { resources } = await get(version === "v1" ? "/api/v1" : `/apis/${version}`);
    for (const { kind, verbs } of resources as { kind: string; verbs: string[] }[]) {
      // Reviews are only created; a WorkloadDeployment is a Workload's.
      const isWritable = verbs.includes("create") && verbs.includes("update");
      if (isWritable && kind !== "WorkloadDeployment") served.add(`${version} ${kind}`);
    }
  }
}

test("there is an object of each kind that members write", () => {
  const kinds = new Set(clientObjects("x").map(({ manifest }) => manifest.kind));
  expect([...served].filter((each) => !kinds.has(each.split(" ")[1] ?? ""))).toEqual([]);
});

for (const { name, lockedOutMs, prepare } of clients) {
  test.concurrent(name, async ({ skip, expect }) => {
    const program = await prepare();
    if (typeof program === "string") {
      process.stderr.write(`SKIPPED: ${name}: ${program}\n`);
      return skip(program);
    }
    const suffix = name.toLowerCase().replaceAll(" ", "-");
    const own = join(folder, suffix);
    await mkdir(own);
    const tokenFile = join(own, "token");
    const token = await platform.newToken("alice@example.com");
    await writeFile(tokenFile, token.text);
    const kubeconfig = join(own, "kubeconfig");
    await writeFile(kubeconfig, await printedKubeconfig(tokenFile));
    const objects = clientObjects(suffix).filter(({ manifest: { apiVersion, kind } }) =>
      served.has(`${apiVersion} ${kind}`),
    );
    const objectsFile = join(own, "objects.json");
    await writeFile(objectsFile, JSON.stringify(objects));
    const startMs = performance.now();
    const args = [...program.args, kubeconfig, objectsFile];
    const child = await startChild({ name, ...program, args, ownGroup: true });
    try {
      const isDone = (): boolean => child.exit() !== undefined || linesOf(child).includes("done");
      await until(`${name} is done`, isDone, workLimitMs).catch(() => undefined);
      expect(linesOf(child), child.log()).toContain("done");
      expect(linesOf(child).filter((line) => line.startsWith("failed"))).toEqual([]);
      const worked = `${objects.length} kinds in ${seconds(performance.now() - startMs)}`;
      await until(`${name} asks`, () => linesOf(child).at(-1) === "ok");
      const lockedOut =
        lockedOutMs === undefined ? "not tried" : await rotate(child, token.id, tokenFile, lockedOutMs);
      process.stdout.write(`${name}: ${worked}; locked out by a rotation: ${lockedOut}\n`);
    } finally {
      await child.kill();
    }
  });
}

/** As users print it. */
async function printedKubeconfig(tokenFile: string): Promise<string> {
  const config = join(platform.stateDirectory, "daemon", "telemetryd.yaml");
  const args = ["kubeconfig", "--project", "web", "--token-file", tokenFile, "--config", config];
  return (await promisify(execFile)(process.execPath, [builtCli, ...args])).stdout;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const linesOf = (child: Child): string[] => child.log().trim().split("\n");

/** Replaces the token that a client uses. @returns how long its requests were refused */
async function rotate(child: Child, id: string, tokenFile: string, limitMs: number): Promise<string> {
  const second = await platform.newToken("alice@example.com");
  await writeFile(tokenFile, second.text);
  await platform.revoke(id);
  const startMs = performance.now();
  // Before, its last line may be of a request that was under way.
  await delay(2_000);
  await until("its requests succeed again", () => linesOf(child).at(-1) === "ok", limitMs);
  return seconds(performance.now() - startMs);
}
