import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { makeBaseImages } from "./image/base-images.ts";
import { expectThat, say, until } from "./image/checks.ts";
import { checkGateway } from "./image/gateway-check.ts";
import { attempt, megabytesOf, startImage, statusOf } from "./image/running-image.ts";
import { type LockFile, shippedPackages } from "./release/licences.ts";
import { startChild } from "./servers/child.ts";
import { startDocker } from "./servers/docker.ts";
import type { RunningEngine } from "./servers/engine.ts";
import { runnerApplets, runnerFirmware, runnerPrograms } from "./servers/runner-tree.ts";

/**
 * `npm run prove -- image`: builds the Dockerfile with Docker, on base images that are made of Debian's packages and
 * this machine's Node, and runs the image: as its user, with a read-only root, with a gateway, and as the guide prints it.
 */
const project = resolve(import.meta.dirname, "..");
const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { version: string };
const image = `telemetryd:${version}`;
const configuration = `policies:
  directory: /etc/telemetryd/policies
metrics:
  url: http://127.0.0.1:8428
state:
  directory: /data
ops:
  listen: 127.0.0.1:9464
`;

const work = await mkdtemp(join(tmpdir(), "telemetryd-image-"));
try {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new Error("needs root on Linux, as Docker does");
  }
  // What its steps download comes through this machine's network.
  await using docker = await startDocker({ isWithoutNetworks: true, commandLimitMs: 600_000 });
  await makeBaseImages(docker, work);
  const build = ["build", "--network", "host"];
  await docker.cli(...build, "--tag", image, "--build-arg", "REVISION=test", project);
  say("ok: Docker builds the image");
  await checkSettings(docker);
  await checkFiles(docker);
  await checkCommands(docker);
  await checkDaemon(docker);
  await checkGateway(docker, image, join(work, "gateway"));
  await checkRunner(docker, build);
  const saved = join(work, "image.tar");
  await docker.cli("save", "--output", saved, image);
  await runAsPrinted(saved);
  const sizes = ["node_modules", "dist"].map(
    async (part) => `${part} ${await megabytesOf(docker, image, `/app/${part}`)}`,
  );
  say(`/app has ${(await Promise.all(sizes)).join(", ")}`);
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  await rm(work, { recursive: true, force: true });
}

/** What `docker image inspect` says of the image, as far as it is checked. */
interface Inspected {
  readonly Config: {
    readonly User: string;
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly Labels: Readonly<Record<string, string>>;
    readonly Volumes: Readonly<Record<string, object>>;
    readonly ExposedPorts: Readonly<Record<string, object>>;
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
}

async function checkSettings(docker: RunningEngine): Promise<void> {
  const [{ Config }] = JSON.parse(await docker.cli("image", "inspect", image)) as [Inspected];
  const label = (name: string): string | undefined => Config.Labels[`org.opencontainers.image.${name}`];
  const said = [label("title"), label("version"), label("revision"), label("licenses")].join(" ");
  expectThat(said === `telemetryd ${version} test Apache-2.0`, "its OCI labels say what it is", said);
  const { User, Entrypoint, Cmd, Healthcheck, Volumes, ExposedPorts } = Config;
  const run = JSON.stringify([
    User,
    Entrypoint,
    Cmd,
    Healthcheck.Test,
    Object.keys({ ...Volumes, ...ExposedPorts }),
  ]);
  const wanted = JSON.stringify([
    "1000:1000",
    ["node", "/app/dist/cli.js"],
    ["run", "--config", "/etc/telemetryd/telemetryd.yaml"],
    ["CMD", "node", "/app/dist/cli.js", "status"],
    ["/data", "9464/tcp"],
  ]);
  expectThat(run === wanted, "it says how it is run, and how its health is checked", run);
}

/**
 * Checks that the image contains exactly the production packages; of the platform-specific ones, those for
 * this platform.
 */
async function checkFiles(docker: RunningEngine): Promise<void> {
  const find = ["run", "--rm", "--network", "none", "--entrypoint", "find", image, "/app", "-name"];
  const manifests = new Set((await docker.cli(...find, "package.json")).split("\n"));
  const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as LockFile;
  const has = (path: string): boolean => manifests.has(`/app/${path}/package.json`);
  const shipped = new Map(shippedPackages(lock));
  const extra = Object.keys(lock.packages).filter((path) => path !== "" && !shipped.has(path) && has(path));
  const missing = [...shipped]
    .filter(([path, { optional }]) => !optional && !has(path))
    .map(([path]) => path);
  expectThat(extra.length === 0, "no package is there for development only", extra.join("\n"));
  expectThat(missing.length === 0, "every package of production is there", missing.join("\n"));
  const tests = (await docker.cli(...find, "*.test.js"))
    .split("\n")
    .filter((path) => path.startsWith("/app/dist/"));
  expectThat(tests.length === 0, "no tests are in the image", tests.join("\n"));
}

async function checkCommands(docker: RunningEngine): Promise<void> {
  for (const [flag, wanted] of [
    ["--version", version],
    ["--help", "Usage: telemetryd"],
  ] as const) {
    const output = await docker.cli("run", "--rm", "--network", "none", image, flag);
    expectThat(output.includes(wanted), `${flag} says "${wanted}"`, output);
  }
  const status = await attempt(docker, "run", "--rm", "--network", "none", image, "status");
  expectThat(status.status === 4, "HEALTHCHECK ends with 4 where no daemon responds", status.output);
}

async function checkDaemon(docker: RunningEngine): Promise<void> {
  const policy = readFileSync(join(project, "config/policies/01-one-source-one-sink.yaml"), "utf8");
  const files = { "telemetryd.yaml": configuration, "policies/policy.yaml": policy };
  await using running = await startImage(docker, image, files, join(work, "daemon"));
  const { pid, end, name } = running;
  expectThat(statusOf(pid, "NSpid").endsWith("\t1"), "the program is process number 1");
  expectThat(statusOf(pid, "Uid").split("\t").includes("1000"), "it runs as user 1000");
  const isHealthy = async (): Promise<boolean> =>
    (await docker.cli("inspect", "--format", "{{.State.Health.Status}}", name)).trim() === "healthy";
  await until(isHealthy, "HEALTHCHECK finds it healthy", end, 60_000);
  const isReadOnly = (await attempt(docker, "exec", "--user", "0", name, "touch", "/app/x")).status !== 0;
  expectThat(isReadOnly, "its root file system is read-only");
  const isStateThere = (await running.exec("sh", "-c", "ls -A /data | grep -q .")) === 0;
  expectThat(isStateThere, "its state is in the volume");
  await running.stop();
}

/** The image that virtual machines run in has the programs that the provider calls. */
async function checkRunner(docker: RunningEngine, build: readonly string[]): Promise<void> {
  const runner = "telemetryd-vm-runner";
  await docker.cli(...build, "--target", "vm-runner", "--tag", runner, project);
  const programs = [...runnerPrograms.filter((name) => name !== "busybox"), ...runnerApplets];
  const tests = [
    ...programs.map((name) => [`command -v ${name} >/dev/null`, name]),
    ...runnerFirmware.map((file) => [`[ -e ${file} ]`, file]),
  ];
  const script = tests.map(([test, name]) => `${test} || echo ${name}`).join("\n");
  const missing = await docker.cli("run", "--rm", "--network", "none", runner, "sh", "-c", script);
  expectThat(missing === "", "the runner of virtual machines has its programs", missing);
}

/** In a network of its own: Docker takes over the forwarding, and the guide's ports are fixed. */
async function runAsPrinted(saved: string): Promise<void> {
  const program = [process.execPath, "--import", "tsx", join(project, "scripts/image/as-printed.ts"), saved];
  const child = await startChild({
    ...{ name: "as-printed", program: "unshare", cwd: project },
    args: ["--net", "--mount", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", ...program],
  });
  const { code } = await child.exited;
  process.stdout.write(child.log());
  if (code !== 0) throw new Error("the guide's commands failed");
}
