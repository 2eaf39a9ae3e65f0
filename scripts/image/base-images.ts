import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, realpath, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { rootCertificates } from "node:tls";
import { promisify } from "node:util";
import type { RunningEngine } from "../servers/engine.ts";
import { findServers } from "../servers/find.ts";

const run = promisify(execFile);
const debian = "debian:bookworm-slim";
const node = "node:24-bookworm-slim";
const aptFolder = "/etc/apt";
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** As in the official image: Node, npm and its user; beside them, how npm reaches its registry here. */
const steps = `FROM ${debian}
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
COPY npmrc authorities.pem /root/
RUN mv /root/npmrc /root/.npmrc && useradd --uid 1000 --create-home node && \\
    ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
`;

/**
 * Makes the Dockerfile's base images without a registry, by their names: Debian from its packages, and this
 * machine's Node on it. Needs root on Debian. @param work an empty folder
 */
export async function makeBaseImages(docker: RunningEngine, work: string): Promise<void> {
  await makeDebian(docker, work);
  const context = join(work, "node");
  await mkdir(context);
  await cp(process.execPath, join(context, "node"));
  const npm = await realpath((await run("which", ["npm"])).stdout.trim());
  await cp(dirname(dirname(npm)), join(context, "npm"), { recursive: true, verbatimSymlinks: true });
  await writeNpmSettings(context);
  await writeFile(join(context, "Dockerfile"), steps);
  await docker.cli("build", "--network", "host", "--tag", node, context);
}

async function makeDebian(docker: RunningEngine, work: string): Promise<void> {
  const { mmdebstrap } = await findServers(["mmdebstrap"]);
  const release = await readFile("/etc/os-release", "utf8");
  const codename = /^VERSION_CODENAME="?(\w+)/m.exec(release)?.[1];
  if (codename === undefined) throw new Error("/etc/os-release names no release of Debian");
  const { stdout } = await run("apt-config", ["dump", "--no-empty"]);
  const options = join(work, "apt.conf");
  const wanted = stdout.split("\n").filter((line) => /^Acquire::(Check|http|https|Retries)\b/.test(line));
  await writeFile(options, `${wanted.join("\n")}\n`);
  const names = await readdir(aptFolder, { recursive: true });
  const sources = names.filter((name) => /\.(list|sources)$/.test(name)).map((name) => join(aptFolder, name));
  const tar = join(work, "debian.tar");
  const how = ["--mode=root", "--variant=apt", "--quiet", `--aptopt=${options}`];
  await run(mmdebstrap.path, [...how, codename, tar, ...sources], {
    env: { ...process.env, ...mmdebstrap.env },
  });
  await docker.cli("import", "--change", `ENV PATH=${path}`, tar, debian);
}

/** What npm needs on this machine to reach its registry. */
async function writeNpmSettings(context: string): Promise<void> {
  const lines = (await readFile(join(homedir(), ".npmrc"), "utf8").catch(() => "")).split("\n");
  for (const [name, value] of Object.entries(process.env)) {
    const setting = /^npm_config_(registry|proxy|https_proxy)$/i.exec(name)?.[1];
    if (setting !== undefined) lines.push(`${setting.replace("_", "-").toLowerCase()}=${value}`);
  }
  const extra = process.env["NODE_EXTRA_CA_CERTS"] ?? "";
  const more = extra === "" ? [] : [await readFile(extra, "utf8")];
  await writeFile(join(context, "authorities.pem"), [...rootCertificates, ...more].join("\n"));
  await writeFile(join(context, "npmrc"), [...lines, "cafile=/root/authorities.pem", ""].join("\n"));
}
