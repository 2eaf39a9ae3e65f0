import type { RuntimeMount } from "../runtime/runtime.ts";
import { volumeName } from "./labels.ts";

/** Where an instance's files are, on the engine's machine. */
export interface FilePlaces {
  /** Of a volume. */
  readonly filesFolder: (volume: string) => string;
  /** Of the names that its containers know. */
  readonly hostsFile: string;
}

/** A file or folder of the engine's machine that a container reads. */
export interface FileMount {
  readonly source: string;
  readonly target: string;
}

const hostsPath = "/etc/hosts";

/**
 * All that a container mounts, as the engine has it. Without a file of names, Podman would give it that of
 * its machine.
 */
export function containerMounts(
  uid: string,
  mounts: readonly RuntimeMount[],
  { filesFolder, hostsFile }: FilePlaces,
  others: readonly FileMount[],
): object[] {
  const hasOwn = mounts.some((mount) => folderPath(mount) === `${hostsPath}/`);
  const hosts = hasOwn ? [] : [{ source: hostsFile, target: hostsPath }];
  return [
    ...nestedMounts(mounts).map(({ mount }) =>
      mount.kind === "disk"
        ? { Type: "volume", Source: volumeName(uid, mount.volume), Target: mount.path }
        : readOnly({ source: filesFolder(mount.volume), target: mount.path }),
    ),
    ...[...hosts, ...others].map(readOnly),
  ];
}

function readOnly({ source, target }: FileMount): object {
  return { Type: "bind", Source: source, Target: target, ReadOnly: true };
}

type Mounted = Pick<RuntimeMount, "path">;

/** A mount with the places in it where others are mounted. */
export interface NestedMount<Mount extends Mounted = RuntimeMount> {
  readonly mount: Mount;
  /** Paths relative to the mount's, without those below another one of them. */
  readonly mountPoints: readonly string[];
}

/** The mounts of a container or a machine, parents before children. */
export function nestedMounts<Mount extends Mounted>(mounts: readonly Mount[]): NestedMount<Mount>[] {
  // In this order, what is below a path follows it directly.
  const ordered = mounts.map((mount) => ({ mount, path: folderPath(mount), mountPoints: [] as string[] }));
  ordered.sort((a, b) => (a.path < b.path ? -1 : Number(a.path > b.path)));
  const parents: typeof ordered = [];
  for (const each of ordered) {
    while (!each.path.startsWith(parents.at(-1)?.path ?? "")) parents.pop();
    const parent = parents.at(-1);
    parent?.mountPoints.push(each.path.slice(parent.path.length, -1));
    parents.push(each);
  }
  return ordered.map(({ mount, mountPoints }) => ({ mount, mountPoints }));
}

/** With one slash at its end. */
function folderPath({ path }: Mounted): string {
  return path.endsWith("/") ? path : `${path}/`;
}
