import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { findProgram } from "../src/base/core/program-file.ts";
import { makeDebianPackage } from "./debian/debian-package.ts";
import { manifest, packForNpm, projectRoot, run } from "./release/npm-package.ts";

/**
 * `npm run package`: what can be installed, in `dist-packages/`: the npm package, the Debian package where
 * dpkg-deb is, and the image (an archive for `docker load`) where a container engine builds it.
 */
const output = join(projectRoot, "dist-packages");

rmSync(output, { recursive: true, force: true });
mkdirSync(output);
run("npm", ["run", "build"], projectRoot);
made(join(output, packForNpm(output).filename));
if ((await findProgram("dpkg-deb")) === undefined) left("the Debian package", "dpkg-deb is not installed");
else made(makeDebianPackage(output));
await makeImage();

async function makeImage(): Promise<void> {
  const engine = (await findProgram("podman")) ?? (await findProgram("docker"));
  if (engine === undefined) return left("the image", "neither podman nor docker is installed");
  // The only format in which podman keeps the HEALTHCHECK.
  const env = { ...process.env, BUILDAH_FORMAT: "docker" };
  const tag = `telemetryd:${manifest.version}`;
  const file = join(output, `telemetryd-${manifest.version}-image.tar`);
  for (const args of [
    ["build", "--tag", tag, "."],
    ["save", "--output", file, tag],
  ]) {
    const { status, stderr, error } = spawnSync(engine, args, {
      cwd: projectRoot,
      env,
      encoding: "utf8",
      timeout: 900_000,
    });
    if (status !== 0) return left("the image", error?.message ?? stderr.trim().split("\n").at(-1) ?? "");
  }
  made(file);
}

function made(file: string): void {
  process.stdout.write(`made ${relative(projectRoot, file)}\n`);
}

function left(what: string, why: string): void {
  process.stdout.write(`left out ${what}: ${why}\n`);
}
