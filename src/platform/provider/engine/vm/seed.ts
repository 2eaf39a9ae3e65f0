import type { RuntimeInstance, RuntimeMachine } from "../../runtime/runtime.ts";

/**
 * The files by which cloud-init (NoCloud) sets a guest up: its name, who may log in, and what it mounts. The
 * network is by DHCP, as cloud-init has it without a word.
 */
export function seedFiles(
  { uid, hostname }: Pick<RuntimeInstance, "uid" | "hostname">,
  { users, volumes }: Pick<RuntimeMachine, "users" | "volumes">,
): Readonly<Record<string, string>> {
  const mounted = volumes.slice(1).flatMap(({ kind, device, path }) => {
    if (path === undefined) return [];
    const source = `/dev/disk/by-id/virtio-${device}`;
    const options = kind === "files" ? ["iso9660", "ro,nofail"] : ["auto", "defaults,nofail"];
    return [[source, path, ...options, "0", "0"]];
  });
  const config = {
    disable_root: !users.has("root"),
    users: [...users].map(([name, keys]) => ({
      name,
      ssh_authorized_keys: keys,
      ...(name === "root" ? {} : { sudo: "ALL=(ALL) NOPASSWD:ALL", shell: "/bin/bash" }),
    })),
    ...(mounted.length === 0 ? {} : { mounts: mounted }),
  };
  return {
    // JSON is YAML.
    "user-data": `#cloud-config\n${JSON.stringify(config, undefined, 1)}\n`,
    "meta-data": `instance-id: ${uid}\nlocal-hostname: ${hostname}\n`,
  };
}
