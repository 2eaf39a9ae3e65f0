import { execFile } from "node:child_process";
import { chmod, copyFile, cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { findServers } from "./find.ts";

const run = promisify(execFile);

/** What the image of `Dockerfile`'s target vm-runner is made of. */
export const runnerPrograms = [
  ...(["qemu-system-x86_64", "qemu-img", "passt", "xorriso", "setpriv", "mkfs.ext4", "busybox"] as const),
];
/** Of busybox there, of Debian's own packages in the image. */
export const runnerApplets = [
  ...["sh", "mkfifo", "truncate", "chown", "ln", "mkdir", "grep", "cat", "sleep", "rm", "mv", "cp"],
  ...["kill", "touch", "stat", "printf", "ls", "tr", "ip"],
];
export const runnerFirmware = ["CODE", "VARS"].map((part) => `/usr/share/OVMF/OVMF_${part}_4M.fd`);
const data = ["/usr/share/qemu", "/usr/share/seabios"];
const modules = "/usr/lib/x86_64-linux-gnu/qemu";

/**
 * Writes a tar of the files of a runner of virtual machines, for engines without a registry: this machine's
 * programs with their libraries, for `podman import`.
 */
export async function writeRunner(file: string): Promise<void> {
  const programs = await findServers([...runnerPrograms, "ovmf"], { install: false });
  const root = await mkdtemp(join(tmpdir(), "telemetryd-runner-"));
  try {
    // What runs as nobody reads it, too.
    await chmod(root, 0o755);
    for (const name of ["bin", "usr/bin", "run", "tmp", "etc"])
      await mkdir(join(root, name), { recursive: true });
    await copyFile(programs.busybox.path, join(root, "bin/busybox"));
    for (const applet of runnerApplets) await symlink("busybox", join(root, "bin", applet));
    for (const name of runnerPrograms) {
      if (name !== "busybox") await copyProgram(programs[name].path, root, `usr/bin/${name}`);
    }
    for (const folder of data) {
      await cp(folder, join(root, folder), { recursive: true, dereference: true });
    }
    await mkdir(join(root, "usr/share/OVMF"));
    for (const file of runnerFirmware) {
      await copyFile(join(programs.ovmf.path, "..", basename(file)), join(root, file));
    }
    for (const name of ["accel-tcg-x86_64.so"]) await copyProgram(`${modules}/${name}`, root);
    await writeFile(join(root, "etc/passwd"), "root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n");
    await writeFile(join(root, "etc/group"), "root:x:0:\nnogroup:x:65534:\n");
    await run("tar", ["-C", root, "-cf", file, "."]);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

/** Copies a program with the libraries that it is linked to. @param place default: the same as here */
export async function copyProgram(path: string, root: string, place = path): Promise<void> {
  const { stdout } = await run("ldd", [path]);
  const libraries = [...stdout.matchAll(/(?:^|\s)(\/\S+) \(0x/gm)].map(([, library = ""]) => library);
  for (const [from, to] of [[path, place], ...libraries.map((library) => [library, library] as const)]) {
    if (from === undefined || to === undefined) continue;
    await mkdir(dirname(join(root, to)), { recursive: true });
    await copyFile(from, join(root, to));
  }
}
