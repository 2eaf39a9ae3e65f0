import "../support/leak-check.ts";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { planeBase } from "../../src/kube-server/api/plane.ts";
import { exchangePath } from "../../src/kube-server/http/gate.ts";
import { snippetsOf } from "../support/documents/document-snippets.ts";
import { kubectlBinary } from "../support/plane/connected-kubectl.ts";
import { createKubectl, type Kubectl } from "../support/plane/kubectl.ts";
import { httpsRequest, writeKubeconfig } from "../support/plane/platform.ts";
import { freePort, type RunningServer, startRedis } from "../support/servers.ts";
import { until } from "../support/until.ts";

/** The complete server of the README, run as a program of its own and used with kubectl. */

const root = resolve(import.meta.dirname, "../..");
const [program] = snippetsOf("src/kube-server/README.md").filter(({ language }) => language === "ts");
let folder: string;
let redis: RunningServer;
let server: ChildProcess;
let url: string;
let token = "";
let errors = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "telemetryd-readme-"));
  redis = await startRedis();
  const port = await freePort();
  url = `https://127.0.0.1:${port}`;
  const source = pathToFileURL(join(root, "src")).href;
  const text = (program?.text ?? "")
    .replaceAll('from "../', `from "${source}/`)
    .replaceAll('from "./', `from "${source}/kube-server/`);
  await writeFile(join(folder, "server.mts"), text);
  server = spawn(process.execPath, ["--import", "tsx", join(folder, "server.mts")], {
    cwd: root,
    env: { ...process.env, REDIS_URL: redis.url, PORT: String(port), STATE_DIRECTORY: join(folder, "state") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  server.stdout?.on("data", (chunk: Buffer) => {
    token += chunk.toString();
  });
  server.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  await until("the server listens", async () => {
    if (server.exitCode !== null) throw new Error(`the server ended: ${errors}`);
    const health = await httpsRequest(`${url}/healthz`).catch(() => undefined);
    return token !== "" && health?.code === 200;
  });
}, 60_000);

afterAll(async () => {
  const ended = new Promise<void>((done) => server.once("exit", () => done()));
  server.kill("SIGTERM");
  await ended;
  await redis.stop();
  await rm(folder, { recursive: true, force: true });
});

test("the program has at most 40 lines", () => {
  expect(program?.text.trimEnd().split("\n").length).toBeLessThanOrEqual(40);
});

describe.skipIf(kubectlBinary === undefined)("kubectl", () => {
  const book = (pages: number) => ({
    ...{ apiVersion: "library.example.com/v1", kind: "Book" },
    metadata: { name: "moby-dick" },
    spec: { pages },
  });
  let kubectl: Kubectl;

  beforeAll(async () => {
    const { json } = await httpsRequest(`${url}${exchangePath}`, { bearer: token.trim() });
    const kubeconfig = join(folder, "kubeconfig");
    const base = planeBase("organization", "acme", "example.com");
    await writeKubeconfig(
      { url, stateDirectory: join(folder, "state") },
      kubeconfig,
      base,
      json.access_token,
    );
    kubectl = createKubectl(kubectlBinary ?? "", kubeconfig, join(folder, "cache"));
  });

  test("creates, lists as a table, applies, refuses what is invalid, and deletes", async () => {
    expect(await kubectl.file(book(635), "create")).toContain("book.library.example.com/moby-dick created");
    expect(await kubectl.ok("get", "books")).toMatch(/^NAME +PAGES +AGE\nmoby-dick +635 /);
    expect(await kubectl.file(book(720), "apply", "--server-side", "--force-conflicts")).toContain("applied");
    expect(await kubectl.ok("get", "book", "moby-dick", "-o", "jsonpath={.spec.pages}")).toBe("720");
    await expect(kubectl.file(book(0), "apply", "--server-side")).rejects.toThrow(
      /spec.pages.*or equal to 1/,
    );
    expect(await kubectl.ok("delete", "book", "moby-dick")).toContain("deleted");
    expect((await kubectl.run(["get", "books"])).err).toContain("No resources found");
  }, 60_000);
});
