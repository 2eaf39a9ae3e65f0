import type { RuntimeMount } from "../runtime/runtime.ts";

/** A mount with the places in it where others are mounted. */
export interface NestedMount {
  readonly mount: RuntimeMount;
  /** Paths relative to the mount's, without those below another one of them. */
  readonly mountPoints: readonly string[];
}

/** The mounts of a container, parents before children. */
export function nestedMounts(mounts: readonly RuntimeMount[]): NestedMount[] {
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
function folderPath({ path }: RuntimeMount): string {
  return path.endsWith("/") ? path : `${path}/`;
}
