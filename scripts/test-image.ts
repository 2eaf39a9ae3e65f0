import { type ChildProcess, execFileSync } from "node:child_process";
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
import { type BuiltImage, buildStages, folderBytes, volumeFor } from "./image/build-stages.ts";
import { buildahProblem, buildByBuildah, type EngineImage } from "./image/buildah.ts";
import { ended, startInStage } from "./image/stage-root.ts";
import { type LockFile, shippedPackages } from "./release/licences.ts";

/**
 * `npm run test:image`: runs the Dockerfile's steps without a container engine, then its program as the image
 * would: as its user, with a read-only root, as process number 1, and with only the project files that the
 * steps copy. Where buildah is available, it also builds the image and repeats the checks with it.
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
/** docker's default time between SIGTERM and SIGKILL; nothing needs draining here. */
const stopLimitMs = 10_000;

const work = mkdtempSync(join(tmpdir(), "telemetryd-image-"));
try {
  if (process.platform !== "linux" || process.getuid?.() !== 0) {
    throw new Error("needs root on Linux: it makes file systems of its own, as a container engine does");
  }
  say("the Dockerfile's steps, with this machine as the base image");
  const image = await buildStages({ context: project, work, onStep: (text) => say(text) });
  await checkImage(image, join(work, "data"));
  printSizes(image);
  await checkEngineImage();
} catch (error) {
  say(`FAILED: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function checkImage(image: BuiltImage, dataFolder: string): Promise<void> {
  checkPackages(image);
  await checkVersion(image);
  await checkDaemon(image, dataFolder);
}

/** The same checks on the image built by buildah, where a working one is installed. */
async function checkEngineImage(): Promise<void> {
  const folder = join(work, "buildah");
  mkdirSync(folder);
  const problem = buildahProblem(folder);
  if (problem !== undefined) return say(`NOT DONE: no engine has built the image: ${problem}`);
  say("the image, built by buildah on a base image of this machine's Node");
  const image = buildByBuildah(project, folder);
  try {
    checkConfiguration(image);
    await checkImage(image, join(work, "engine-data"));
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

function say(text: string): void {
  process.stdout.write(`test:image: ${text}\n`);
}

function expectThat(holds: boolean, what: string, detail = ""): void {
  if (!holds) throw new Error(`${what}${detail === "" ? "" : `:\n${detail}`}`);
  say(`ok: ${what}`);
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
    (path) => path.startsWith("dist/") && /\.(test|contract)\.js$/.test(path),
  );
  expectThat(tests.length === 0, "no tests are in the image", tests.join("\n"));
}

async function checkVersion(image: BuiltImage): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(project, "package.json"), "utf8")) as { version: string };
  for (const [flag, wanted] of [
    ["--version", version],
    ["--help", "Usage: telemetryd"],
  ] as const) {
    const child = startInStage(image.folder, {
      ...{
        argv: [...image.entrypoint, flag],
        cwd: image.cwd,
        env: image.env,
        user: image.user,
        isWhole: image.isWhole,
      },
      readOnlyBut: {},
      isolated: true,
    });
    const { status, output } = await ended(child);
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
  writeFileSync(join(image.folder, "etc/telemetryd/telemetryd.yaml"), configuration);
  writeFileSync(
    join(folder, "policy.yaml"),
    readFileSync(join(project, "config/policies/01-one-source-one-sink.yaml")),
  );
  const data = volumeFor(image.user, dataFolder);
  const daemon = startInStage(image.folder, {
    argv: [...image.entrypoint, ...image.command],
    ...{ cwd: image.cwd, env: image.env, user: image.user, isWhole: image.isWhole },
    readOnlyBut: { "/data": data },
    isolated: true,
  });
  const end = ended(daemon);
  try {
    const first = await firstProcess(daemon, end);
    expectThat(statusOf(first, "NSpid").endsWith("\t1"), "the program is process number 1");
    expectThat(
      statusOf(first, "Uid")
        .split("\t")
        .includes(image.user.split(":")[0] ?? ""),
      `it runs as user ${image.user}`,
    );
    await until(
      async () => check(first, image.healthcheck) === 0,
      "HEALTHCHECK ends with 0 while it runs",
      end,
    );
    const readOnly = check(first, ["touch", "/app/x"]) !== 0 && check(first, ["touch", "/tmp/x"]) !== 0;
    expectThat(readOnly, "its root file system is read-only");
    expectThat(readdirSync(data).length > 0, "its state is in the volume");
    const startedMs = performance.now();
    process.kill(first, "SIGTERM");
    const stopped = await Promise.race([end, pause(stopLimitMs)]);
    const detail = stopped === undefined ? "it goes on" : `exit status ${stopped.status}\n${stopped.output}`;
    expectThat(stopped?.status === 0, "SIGTERM ends it with 0", detail);
    say(`    after ${Math.round(performance.now() - startedMs)} ms`);
    const away = startInStage(image.folder, {
      ...{
        argv: image.healthcheck,
        cwd: image.cwd,
        env: image.env,
        user: image.user,
        isWhole: image.isWhole,
      },
      readOnlyBut: {},
      isolated: true,
    });
    const { status } = await ended(away);
    expectThat(status !== 0, `HEALTHCHECK ends with ${status} where no daemon responds`);
  } finally {
    daemon.kill("SIGKILL");
    await end;
  }
}

/** The host pid of the command, once `unshare` and `chroot` have exec'd it. */
async function firstProcess(daemon: ChildProcess, end: Promise<unknown>): Promise<number> {
  let found = 0;
  await until(
    async () => {
      const children = readFileSync(`/proc/${daemon.pid}/task/${daemon.pid}/children`, "utf8").trim();
      found = Number(children.split(" ")[0]);
      return found > 0 && readFileSync(`/proc/${found}/cmdline`, "utf8").startsWith("node\0");
    },
    "the program starts",
    end,
  );
  return found;
}

function statusOf(pid: number, field: string): string {
  return new RegExp(`^${field}:(.*)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
}

/** The exit status of a command run beside the program, as by `docker exec` and HEALTHCHECK. */
function check(pid: number, argv: readonly string[]): number {
  const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
    .split("\0")
    .filter((entry) => entry !== "");
  try {
    const inside = [
      "--target",
      String(pid),
      "--mount",
      "--net",
      "--pid",
      "--root",
      "--setuid",
      "1000",
      "--setgid",
      "1000",
    ];
    execFileSync("nsenter", [...inside, "env", "-i", ...environment, ...argv], {
      stdio: "ignore",
      timeout: 10_000,
    });
    return 0;
  } catch (error) {
    return (error as { status?: number | null }).status ?? 1;
  }
}

async function until(holds: () => Promise<boolean>, what: string, end: Promise<unknown>): Promise<void> {
  let over: unknown;
  void end.then((outcome) => {
    over = outcome;
  });
  for (
    const deadlineMs = performance.now() + 30_000;
    performance.now() < deadlineMs && over === undefined;
  ) {
    if (await holds().catch(() => false)) {
      say(`ok: ${what}`);
      return;
    }
    await pause(100);
  }
  throw new Error(
    `${what}: not so${over === undefined ? " after 30 s" : `; it ended: ${JSON.stringify(over)}`}`,
  );
}

function pause(ms: number): Promise<undefined> {
  return new Promise((resume) => setTimeout(() => resume(undefined), ms));
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function printSizes(image: BuiltImage): void {
  const app = join(image.folder, "app");
  const parts = ["node_modules", "dist"].map((part) => `${part} ${megabytes(folderBytes(join(app, part)))}`);
  say(`the image adds ${megabytes(folderBytes(app))} to its base image (${parts.join(", ")})`);
}
