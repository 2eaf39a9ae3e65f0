import { lstat, readlink, realpath, statfs } from "node:fs/promises";
import { resolve } from "node:path";

/**
 * File systems that change only through this machine's kernel, which tells of each change; by their numbers in statfs(2). On any
 * other one (NFS, a virtual machine's shared folder) somebody else may change a file, and no event comes.
 */
const localFileSystems: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0x01021994, // tmpfs
  0x794c7630, // overlayfs
]);

/** How Kubernetes mounts ConfigMaps and Secrets: it swaps `..data`, which lies in the directory itself. */
const kubernetesTarget = /^\.\.data\//;

/**
 * Whether a watched directory has an event for every change of these files (inotify(7)): their names lead nowhere else, and
 * nobody reaches them by another way.
 */
export async function hasEventsForAll(directory: string, paths: Iterable<string>): Promise<boolean> {
  try {
    // A link on the way may be led elsewhere (git-sync), which is an event in its own directory.
    if ((await realpath(directory)) !== resolve(directory)) return false;
    const { dev } = await lstat(directory);
    if (!localFileSystems.has((await statfs(directory)).type >>> 0)) return false;
    for (const path of paths) if (!(await hasEvents(path, dev))) return false;
    return true;
  } catch {
    return false;
  }
}

async function hasEvents(path: string, directoryDevice: number): Promise<boolean> {
  const found = await lstat(path);
  if (found.isSymbolicLink()) return kubernetesTarget.test(await readlink(path));
  // A file of another device is mounted here, one with a second name may be changed by that one.
  return found.isFile() && found.nlink === 1 && found.dev === directoryDevice;
}
