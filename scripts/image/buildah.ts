import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import { rootCertificates } from "node:tls";
import type { BuiltImage } from "./build-stages.ts";

const baseName = "localhost/node-of-this-machine";
const imageName = "localhost/telemetryd";
/** Programs called in the image by the Dockerfile's steps and by `npm run prove -- image`. */
const programs = ["sh", "env", "find", "rm", "mkdir", "chown", "touch", "cp"];
/** In place of Debian's: it copies what {@link addPackage} has laid ready. */
const aptGet = `#!/bin/sh
set -eu
[ "$1" = install ] || exit 0
shift
for word; do
  case "$word" in -*) ;; *) cp -a "/packages/$word/." / ;; esac
done
`;

/** Path of a package's program, by the package's name. */
type Packaged = Readonly<Record<string, string>>;

/** Output of `buildah inspect` for an image in the docker format, as far as it is used. */
interface Inspected {
  readonly Docker: {
    readonly config: {
      readonly User: string;
      readonly Env: readonly string[];
      readonly Entrypoint: readonly string[];
      readonly Cmd: readonly string[];
      readonly WorkingDir: string;
      readonly Labels: Readonly<Record<string, string>>;
      readonly Volumes: Readonly<Record<string, object>>;
      readonly ExposedPorts: Readonly<Record<string, object>>;
      readonly Healthcheck: { readonly Test: readonly string[] };
    };
  };
}

/** An image built from the Dockerfile by a container engine's tool. */
export interface EngineImage extends BuiltImage {
  readonly labels: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly ports: readonly string[];
  /** Removes its container; the images are removed with their folder. */
  remove(): void;
}

/** The reason why buildah cannot build the image here, or undefined. */
export function buildahProblem(work: string): string | undefined {
  const { error, status, stderr } = spawnSync("buildah", [...storage(work), "from", "scratch"], {
    encoding: "utf8",
  });
  if (error !== undefined) return "buildah is not installed (Debian, Ubuntu: apt-get install buildah)";
  if (status !== 0) return `buildah does not work on this machine: ${stderr.trim()}`;
  buildah(work, "rm", "--all");
  return undefined;
}

/**
 * Builds the Dockerfile with buildah, on a base image made of this machine's Node and the few programs that
 * the steps call: only npm's packages are downloaded.
 *
 * @param work an empty folder
 * @param packaged this machine's programs, which the image gets in place of Debian's packages, by their names
 */
export function buildByBuildah(context: string, work: string, packaged: Packaged): EngineImage {
  makeBase(work, packaged);
  const settings = npmSettings(work);
  const volumes = settings.flatMap(([from, to]) => ["--volume", `${from}:${to}`]);
  const args = ["--build-arg", `NODE_IMAGE=${baseName}`, "--build-arg", "REVISION=test"];
  // Only the docker format supports HEALTHCHECK.
  const how = ["--isolation", "chroot", "--format", "docker", "--pull-never", "--tag", imageName];
  buildah(work, "build", ...how, ...args, ...volumes, context);
  const { Docker } = JSON.parse(buildah(work, "inspect", "--type", "image", imageName)) as Inspected;
  const { config } = Docker;
  const container = buildah(work, "from", "--pull-never", imageName).trim();
  const folder = buildah(work, "mount", container).trim();
  const env = Object.fromEntries(
    config.Env.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
  );
  return {
    ...{ folder, env, cwd: config.WorkingDir, user: config.User, isWhole: true },
    ...{ entrypoint: config.Entrypoint, command: config.Cmd, healthcheck: config.Healthcheck.Test.slice(1) },
    labels: config.Labels,
    volumes: Object.keys(config.Volumes),
    ports: Object.keys(config.ExposedPorts),
    remove: () => void buildah(work, "rm", "--all"),
  };
}

/** A separate storage, removed with the folder, with the driver that works everywhere. */
function storage(work: string): string[] {
  return ["--storage-driver", "vfs", "--root", join(work, "storage"), "--runroot", join(work, "run")];
}

function buildah(work: string, ...args: readonly string[]): string {
  const { error, status, stdout, stderr } = spawnSync("buildah", [...storage(work), ...args], {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`buildah ${args[0]} ended with ${status}:\n${stdout}${stderr}`);
  return stdout;
}

function makeBase(work: string, packaged: Packaged): void {
  const container = buildah(work, "from", "scratch").trim();
  const root = buildah(work, "mount", container).trim();
  for (const folder of [
    "usr/bin",
    "usr/lib",
    "usr/lib64",
    "tmp",
    "root",
    "etc",
    "proc",
    "sys",
    "dev",
    "run",
  ]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  execFileSync("ln", ["-s", "usr/bin", "usr/lib", "usr/lib64", "."], { cwd: root });
  chmodSync(join(root, "tmp"), 0o1777);
  writeFileSync(join(root, "etc/passwd"), "root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/:/bin/sh\n");
  writeFileSync(join(root, "etc/group"), "root:x:0:\nnode:x:1000:\n");
  for (const name of programs) addProgram(root, execFileSync("which", [name], { encoding: "utf8" }).trim());
  addProgram(root, process.execPath);
  addLibraries(root);
  addNpm(root);
  writeFileSync(join(root, "usr/bin/apt-get"), aptGet, { mode: 0o755 });
  for (const [name, program] of Object.entries(packaged)) addPackage(root, name, program);
  buildah(work, "config", "--env", "PATH=/usr/bin", container);
  buildah(work, "commit", "--format", "docker", "--rm", container, baseName);
}

/** Copies a program and the libraries that it is linked to. */
function addProgram(root: string, path: string): void {
  cpSync(realpathSync(path), join(root, "usr/bin", basename(path)));
  for (const library of librariesOf(path)) addFile(library, join(root, library));
}

/** Lays a package ready that has one program, and its libraries as far as the base lacks them. */
function addPackage(root: string, name: string, program: string): void {
  const folder = join(root, "packages", name);
  addFile(program, join(folder, "usr/sbin", basename(program)));
  for (const library of librariesOf(program)) {
    // In the base, /lib is a link.
    if (!existsSync(join(root, library)))
      addFile(library, join(folder, library.replace(/^\/lib/, "/usr/lib")));
  }
}

/** The paths of the libraries that a program is linked to. */
function librariesOf(program: string): string[] {
  const linked = spawnSync("ldd", [program], { encoding: "utf8" }).stdout;
  return [...linked.matchAll(/(\/\S+) \(0x/g)].map(([, library = ""]) => library);
}

function addFile(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  if (!existsSync(to)) cpSync(realpathSync(from), to);
}

/** Copies the C library's companion libraries, for native packages; they used to be separate libraries. */
function addLibraries(root: string): void {
  const linked = spawnSync("ldd", [process.execPath], { encoding: "utf8" }).stdout;
  const folder = dirname(/(\/\S+\/libc\.so\.6) \(0x/.exec(linked)?.[1] ?? "/lib/libc.so.6");
  for (const name of ["librt.so.1", "libdl.so.2", "libpthread.so.0", "libresolv.so.2"]) {
    const target = join(root, folder, name);
    if (existsSync(join(folder, name)) && !existsSync(target))
      cpSync(realpathSync(join(folder, name)), target);
  }
}

function addNpm(root: string): void {
  const cli = realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim());
  const folder = join(root, "usr/lib/node_modules/npm");
  cpSync(dirname(dirname(cli)), folder, { recursive: true, verbatimSymlinks: true });
  execFileSync("ln", ["-s", "../lib/node_modules/npm/bin/npm-cli.js", join(root, "usr/bin/npm")]);
}

/** The machine settings that npm needs to reach its registry, mounted while the steps run. */
function npmSettings(work: string): [from: string, to: string][] {
  const own = join(homedir(), ".npmrc");
  const lines = existsSync(own) ? readFileSync(own, "utf8").split("\n") : [];
  const wanted = /^npm_config_(registry|proxy|https_proxy)$/i;
  for (const [name, value] of Object.entries(process.env)) {
    if (wanted.test(name))
      lines.push(`${name.slice("npm_config_".length).replace("_", "-").toLowerCase()}=${value}`);
  }
  const extra = process.env["NODE_EXTRA_CA_CERTS"] ?? "";
  const authorities = join(work, "authorities.pem");
  writeFileSync(
    authorities,
    [...rootCertificates, extra === "" ? "" : readFileSync(extra, "utf8")].join("\n"),
  );
  const settings = join(work, "npmrc");
  writeFileSync(settings, [...lines, "cafile=/run/authorities.pem", ""].join("\n"));
  const cache = join(homedir(), ".npm");
  mkdirSync(cache, { recursive: true });
  return [
    [settings, "/root/.npmrc:ro"],
    [authorities, "/run/authorities.pem:ro"],
    [cache, "/root/.npm"],
  ];
}
