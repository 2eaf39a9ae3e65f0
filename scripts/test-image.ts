import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type BuiltImage, buildStages, folderBytes } from "./image/build-stages.ts";
import { buildahProblem, buildByBuildah, type EngineImage } from "./image/buildah.ts";
import { expectThat, say, until } from "./image/checks.ts";
import { checkGateway } from "./image/gateway-check.ts";
import { runIn, startImage, statusOf } from "./image/running-image.ts";
import { usrLayer } from "./image/stage-root.ts";
import { type LockFile, shippedPackages } from "./release/licences.ts";
import { findServers } from "./servers/find.ts";

/**
 * `npm run prove -- image`: runs the Dockerfile's steps without a container engine, then its program as the image
 * would: as its user, with a read-only root, as process number 1, and with only the project files that the
 * steps copy and the HAProxy that they install. Where buildah is available, it also builds the image and
 * repeats the checks with it. The temporary directory must not be an overlay itself, as in most containers.
 */
const project = resolve(import.meta.dirname, "..");
const configuration = `policies:
  directory: /etc/telemetryd/policies
metrics:
  url: http://127.0.0.1:8428
state:
  directory: /data
ops:
  listen: 127.0.0.1:9464
`;

const work = mkdtempSync(join(tmpdir(), "telemetryd-image-"));
try {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new Error("needs root on Linux: it makes file systems of its own, as a container engine does");
  }
  say("the Dockerfile's steps, with this machine as the base image");
  const image = await buildStages({ context: project, work, onStep: (text) => say(text) });
  await checkImage(image, join(work, "checks"));
  printSizes(image);
  await checkEngineImage();
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function checkImage(image: BuiltImage, folder: string): Promise<void> {
  checkPackages(image);
  await checkVersion(image);
  await checkDaemon(image, join(folder, "daemon"));
  await checkGateway(image, join(folder, "gateway"));
}

/** The same checks on the image built by buildah, where a working one is installed. */
async function checkEngineImage(): Promise<void> {
  const folder = join(work, "buildah");
  mkdirSync(folder);
  const problem = buildahProblem(folder);
  if (problem !== undefined) return say(`NOT DONE: no engine has built the image: ${problem}`);
  say("the image, built by buildah on a base image of this machine's Node");
  const { haproxy, nft } = await findServers(["haproxy", "nft"]);
  const image = buildByBuildah(project, folder, { haproxy: haproxy.path, nftables: nft.path });
  try {
    checkConfiguration(image);
    await checkImage(image, join(work, "engine-checks"));
    printSizes(image);
    say(`it has ${megabytes(folderBytes(image.folder))} with Node ${process.version}`);
  } finally {
    image.remove();
  }
}

/** Checks the engine's record of the Dockerfile's settings. */
function checkConfiguration({
  labels,
  volumes,
  ports,
  user,
  entrypoint,
  command,
  healthcheck,
}: EngineImage): void {
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { version: string };
  const label = (name: string): string | undefined => labels[`org.opencontainers.image.${name}`];
  const said = [label("title"), label("version"), label("revision"), label("licenses")].join(" ");
  expectThat(said === `telemetryd ${version} test Apache-2.0`, "its OCI labels tell what it is", said);
  const run = JSON.stringify({ user, entrypoint, command, healthcheck, volumes, ports });
  const wanted = JSON.stringify({
    user: "1000:1000",
    entrypoint: ["node", "/app/dist/cli.js"],
    command: ["run", "--config", "/etc/telemetryd/telemetryd.yaml"],
    healthcheck: ["node", "/app/dist/cli.js", "status"],
    volumes: ["/data"],
    ports: ["9464/tcp"],
  });
  expectThat(run === wanted, "it says how it is run, and how its health is asked", run);
}

/**
 * Checks that the image contains exactly the production packages; of the platform-specific ones, those for
 * this platform.
 */
function checkPackages(image: BuiltImage): void {
  const lock = JSON.parse(readFileSync(join(project, "package-lock.json"), "utf8")) as LockFile;
  const has = (path: string): boolean => existsSync(join(image.folder, "app", path, "package.json"));
  const shipped = new Map(shippedPackages(lock));
  const extra = Object.keys(lock.packages).filter((path) => path !== "" && !shipped.has(path) && has(path));
  const missing = [...shipped]
    .filter(([path, { optional }]) => !optional && !has(path))
    .map(([path]) => path);
  expectThat(extra.length === 0, "no package is there for development only", extra.join("\n"));
  expectThat(missing.length === 0, "every package of production is there", missing.join("\n"));
  const tests = readdirSync(join(image.folder, "app"), { recursive: true, encoding: "utf8" }).filter(
    (path) => path.startsWith("dist/") && /\.test\.js$/.test(path),
  );
  expectThat(tests.length === 0, "no tests are in the image", tests.join("\n"));
}

async function checkVersion(image: BuiltImage): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { version: string };
  for (const [flag, wanted] of [
    ["--version", version],
    ["--help", "Usage: telemetryd"],
  ] as const) {
    const { status, output } = await runIn(image, [...image.entrypoint, flag]);
    expectThat(
      status === 0 && output.includes(wanted),
      `${flag} says "${wanted}"`,
      `exit status ${status}\n${output}`,
    );
  }
}

async function checkDaemon(image: BuiltImage, dataFolder: string): Promise<void> {
  const folder = join(image.folder, "etc/telemetryd/policies");
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, "policy.yaml"),
    readFileSync(join(project, "config/policies/01-one-source-one-sink.yaml")),
  );
  await using running = await startImage(image, configuration, dataFolder);
  const { pid, end, data } = running;
  expectThat(statusOf(pid, "NSpid").endsWith("\t1"), "the program is process number 1");
  const uid = image.user.split(":")[0] ?? "";
  expectThat(statusOf(pid, "Uid").split("\t").includes(uid), `it runs as user ${image.user}`);
  const isHealthy = async (): Promise<boolean> => running.check(image.healthcheck) === 0;
  await until(isHealthy, "HEALTHCHECK ends with 0 while it runs", end);
  const readOnly = running.check(["touch", "/app/x"]) !== 0 && running.check(["touch", "/tmp/x"]) !== 0;
  expectThat(readOnly, "its root file system is read-only");
  expectThat(readdirSync(data).length > 0, "its state is in the volume");
  await running.stop();
  const { status } = await runIn(image, image.healthcheck);
  expectThat(status !== 0, `HEALTHCHECK ends with ${status} where no daemon responds`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function printSizes(image: BuiltImage): void {
  const app = join(image.folder, "app");
  const parts = ["node_modules", "dist"].map((part) => `${part} ${megabytes(folderBytes(join(app, part)))}`);
  say(`the image adds ${megabytes(folderBytes(app))} to its base image (${parts.join(", ")})`);
  if (image.isWhole !== true)
    say(`and ${megabytes(folderBytes(usrLayer(image.folder)))} of packages below /usr`);
}
