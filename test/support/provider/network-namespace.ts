import { execFile, spawn } from "node:child_process";
import { promisify } from "node:util";
import { startChild } from "../../../scripts/servers/child.ts";
import { until } from "../until.ts";

const run = promisify(execFile);

/** A network stack of its own, like a machine's; ends with everything in it. Needs root. */
export interface NetworkNamespace extends AsyncDisposable {
  readonly pid: number;
  /** Comes before a command that is to run in it. */
  readonly prefix: readonly [string, ...string[]];
  /** Runs a command in it. @returns standard output @throws when the exit status is not 0 */
  run(...command: readonly string[]): Promise<string>;
}

/** Comes before the words of a shell, in a network stack that has its own loopback only. */
const unshared = ["--net", "--mount", "--propagation", "private", "sh", "-c"] as const;

/** What a shell does first in a namespace of its own: afterwards it is like a machine. */
function preparation(): string {
  // What Podman and netavark keep beside their networks is the machine's, too.
  const folders = ["/run/containers", "/run/netns"];
  const mounts = folders.map((folder) => `mkdir -p ${folder} && mount -t tmpfs tmpfs ${folder}`);
  // A sysfs shows the network devices of the namespace that it was mounted in.
  const sys = "/run/containers/sys";
  const devices = [
    `mkdir ${sys} && mount -t sysfs sysfs ${sys}`,
    `mount --rbind /sys/fs/cgroup ${sys}/fs/cgroup && mount --rbind ${sys} /sys`,
  ];
  // A new machine forwards nothing: Docker then sets the policy of forwarding to DROP.
  const forwarding = "echo 0 >/proc/sys/net/ipv4/ip_forward";
  return [...mounts, ...devices, forwarding, "ip link set lo up"].join(" && ");
}

/** Runs a program in a network namespace of its own, as one with the terminal. @returns its exit status */
export async function runInNetworkNamespace(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const script = `${preparation()} && exec "$@"`;
  const child = spawn("unshare", [...unshared, script, "sh", ...command], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

export async function startNetworkNamespace(): Promise<NetworkNamespace> {
  const script = `${preparation()} && touch /run/containers/ready && exec sleep infinity`;
  const child = await startChild({
    name: "network namespace",
    program: "unshare",
    args: [...unshared, script],
  });
  const place = namespaceOf(child.pid);
  await until("the namespace is ready", async () => {
    return await place.run("test", "-e", "/run/containers/ready").then(
      () => true,
      () => false,
    );
  });
  return {
    ...place,
    async [Symbol.asyncDispose]() {
      await child.kill();
    },
  };
}

/** The one that a process is in. */
export function namespaceOf(pid: number): Omit<NetworkNamespace, keyof AsyncDisposable> {
  const spaces = [`--net=/proc/${pid}/ns/net`, `--mount=/proc/${pid}/ns/mnt`];
  // Without a folder, a command would begin in the root.
  const prefix = ["nsenter", ...spaces, "--wd=.", "--"] as const;
  return {
    pid,
    prefix,
    async run(...command) {
      const [program, ...first] = prefix;
      return (await run(program, [...first, ...command], { timeout: 20_000 })).stdout;
    },
  };
}
