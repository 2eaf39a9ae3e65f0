import { lstat, readlink, realpath, statfs } from "node:fs/promises";
import { resolve } from "node:path";

/**
 * File systems that change only through this machine's kernel, which reports every change; the numbers are
 * those of statfs(2). On others (NFS, a virtual machine's shared folder) a file can change without an event.
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

/** Kubernetes' mounts of ConfigMaps and Secrets: it swaps `..data`, which is in the directory itself. */
const kubernetesTarget = /^\.\.data\//;

/**
 * Whether a watched directory has an event for every change of these files (inotify(7)): their names do not
 * lead elsewhere, and they cannot be reached by another path.
 */
export async function hasEventsForAll(directory: string, paths: Iterable<string>): Promise<boolean> {
  try {
    // A symlink on the path may be redirected (git-sync); that event is in the symlink's own directory.
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
  // A file of another device is mounted here; a file with a second name can be changed through that name.
  return found.isFile() && found.nlink === 1 && found.dev === directoryDevice;
}
