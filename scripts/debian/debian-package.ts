import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { completionScripts } from "../../src/app/commands/completion/scripts.ts";
import { shippedPackages } from "../release/licences.ts";
import { lock, manifest, projectRoot, run, withFolder, writeProduction } from "../release/npm-package.ts";

/** The architectures that snappy has native code for, by Node's names and by Debian's. */
const architectures: Readonly<Record<string, string>> = { x64: "amd64", arm64: "arm64" };

const programFolder = "usr/lib/telemetryd";
const documentFolder = "usr/share/doc/telemetryd";

/**
 * Makes the Debian package of the built project, with the packages in `node_modules`, for this machine's
 * architecture. The same sources make the same bytes (`SOURCE_DATE_EPOCH`, or the time of the last commit).
 *
 * @returns the file's path
 * @throws an Error when a package has not the version of the lock file, or dpkg-deb fails
 */
export function makeDebianPackage(output: string): string {
  const architecture = architectures[process.arch];
  if (architecture === undefined)
    throw new Error(`no Debian package for ${process.arch}: only x64 and arm64`);
  const file = join(output, `telemetryd_${manifest.version}_${architecture}.deb`);
  withFolder((root) => {
    addProgram(root);
    addDocuments(root);
    const add = (from: string, to: string) => copy(join(projectRoot, from), join(root, to));
    add("config/systemd/telemetryd.yaml", "etc/telemetryd/telemetryd.yaml");
    mkdirSync(join(root, "etc/telemetryd/policies"));
    add("config/systemd/telemetryd.service", "lib/systemd/system/telemetryd.service");
    for (const [folder, name, shell] of completions) {
      write(join(root, "usr/share", folder, name), completionScripts[shell]);
    }
    setModes(root);
    addControl(root, architecture);
    execFileSync("dpkg-deb", ["--build", "--root-owner-group", "-Zgzip", root, file], {
      env: { ...process.env, SOURCE_DATE_EPOCH: sourceDateEpoch() },
      stdio: ["ignore", "ignore", "inherit"],
    });
  });
  return file;
}

const completions = [
  ["bash-completion/completions", "telemetryd", "bash"],
  ["zsh/vendor-completions", "_telemetryd", "zsh"],
  ["fish/vendor_completions.d", "telemetryd.fish", "fish"],
] as const;

function addProgram(root: string): void {
  const folder = join(root, programFolder);
  copy(join(projectRoot, "dist"), join(folder, "dist"), (file) => !file.endsWith(".map"));
  writeProduction(folder, "npm-shrinkwrap.json");
  for (const [path, { version = "", optional = false }] of shippedPackages(lock)) {
    const from = join(projectRoot, path);
    const packageFile = join(from, "package.json");
    // Optional packages are there for their platforms only.
    if (optional && !existsSync(packageFile)) continue;
    const found = (JSON.parse(readFileSync(packageFile, "utf8")) as { version: string }).version;
    if (found !== version) throw new Error(`${path} is ${found} in place of ${version}: run npm ci first`);
    // Type declarations and source maps are of no use to a program. Nested packages have lines of their own.
    copy(
      from,
      join(folder, path),
      (file) => !/\.d\.[cm]?ts$|\.map$/.test(file) && file !== join(from, "node_modules"),
    );
  }
  mkdirSync(join(root, "usr/bin"), { recursive: true });
  for (const name of ["telemetryd", "kubectl-telemetryd", "kubectl_complete-telemetryd"]) {
    symlinkSync(`../lib/telemetryd/dist/cli.js`, join(root, "usr/bin", name));
  }
}

function addDocuments(root: string): void {
  const folder = join(root, documentFolder);
  const add = (from: string, to = from) => copy(join(projectRoot, from), join(folder, to));
  for (const name of ["README.md", "docs"]) add(name);
  for (const name of ["alerts", "grafana", "policies", "telemetryd.example.yaml", "telemetryd.schema.json"]) {
    add(`config/${name}`, `examples/${name}`);
  }
  write(
    join(folder, "changelog.gz"),
    gzipSync(readFileSync(join(projectRoot, "CHANGELOG.md")), { level: 9 }),
  );
  write(join(folder, "copyright"), copyright);
}

function addControl(root: string, architecture: string): void {
  const folder = join(root, "DEBIAN");
  const kilobytes = run("du", ["-sk", "--apparent-size", root], root).split("\t")[0];
  write(
    join(folder, "control"),
    `${[
      "Package: telemetryd",
      `Version: ${manifest.version}`,
      `Architecture: ${architecture}`,
      "Maintainer: the telemetryd authors <telemetryd@telemetryd.invalid>",
      `Installed-Size: ${kilobytes}`,
      "Depends: adduser, nodejs (>= 20.19)",
      "Suggests: haproxy, redis-server",
      "Section: net",
      "Priority: optional",
      `Description: exports metrics to Prometheus remote-write receivers, losslessly`,
      ` ${manifest.description}`,
    ].join("\n")}\n`,
  );
  write(join(folder, "conffiles"), "/etc/telemetryd/telemetryd.yaml\n");
  for (const name of ["postinst", "prerm", "postrm"]) {
    copy(join(import.meta.dirname, name), join(folder, name));
    chmodSync(join(folder, name), 0o755);
  }
}

/** Modes that do not depend on who builds: programs that begin with `#!` can be run. */
function setModes(root: string): void {
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isDirectory()) chmodSync(path, 0o755);
    else if (entry.isFile()) chmodSync(path, isCommand(path) ? 0o755 : 0o644);
  }
  chmodSync(root, 0o755);
}

function isCommand(path: string): boolean {
  return basename(path) === "cli.js" && readFileSync(path, "utf8").startsWith("#!");
}

function copy(from: string, to: string, isWanted: (file: string) => boolean = () => true): void {
  mkdirSync(dirname(to), { recursive: true });
  cpSync(from, to, { recursive: true, filter: isWanted });
}

function write(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** The time that the package's files have, at the latest, in seconds. */
function sourceDateEpoch(): string {
  const given = process.env["SOURCE_DATE_EPOCH"];
  if (given !== undefined && given !== "") return given;
  try {
    return run("git", ["log", "-1", "--format=%ct"], projectRoot).trim();
  } catch {
    // Sources without their history.
    return "0";
  }
}

const copyright = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: telemetryd

Files: *
Copyright: the telemetryd authors
License: Apache-2.0

Files: usr/lib/telemetryd/node_modules/*
Copyright: their authors, as each package's own files say
License: Apache-2.0
Comment: the packages and their licences are listed in docs/third-party-licences.md.

License: Apache-2.0
 On Debian systems the full text is in /usr/share/common-licenses/Apache-2.0.
`;
