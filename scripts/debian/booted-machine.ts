import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { pause } from "../image/checks.ts";

/** This machine with systemd as its first process, in namespaces of its own. */
export interface BootedMachine {
  /** @param input the command's standard input @throws an Error with the command's output when it fails */
  run(command: readonly string[], input?: Buffer): string;
  stop(): Promise<void>;
}

/**
 * Its files are this machine's with a layer above that is thrown away, so that whatever systemd and packages
 * write or clean up is theirs only; its network is a loopback of its own.
 */
const boot = `
set -eu
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work /mnt/root
mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
cd /mnt/root
mount -t proc proc proc
mount -t sysfs sysfs sys
mount -t cgroup2 cgroup2 sys/fs/cgroup
for folder in run tmp dev; do mount -t tmpfs -o mode=755 tmpfs $folder; done
chmod 1777 tmp
mkdir dev/pts dev/shm dev/mqueue
mount -t devpts -o newinstance,ptmxmode=666 devpts dev/pts
ln -s pts/ptmx dev/ptmx
for device in null zero full random urandom tty; do
  touch dev/$device
  mount --bind /dev/$device dev/$device
done
# It keeps packages of a container's image from starting services.
rm -f usr/sbin/policy-rc.d
mkdir run/outside
pivot_root . run/outside
umount -l /run/outside
container=other exec /lib/systemd/systemd --system --unit=basic.target
`;

/** Needs root. @returns why it cannot be had, where it cannot */
export async function bootMachine(): Promise<BootedMachine | string> {
  const namespaces = ["--mount", "--net", "--uts", "--ipc", "--pid", "--cgroup", "--fork", "--kill-child"];
  const child = spawn("unshare", [...namespaces, "sh", "-c", boot], {
    cwd: "/",
    stdio: ["ignore", "ignore", "pipe"],
  });
  let faults = "";
  child.stderr.on("data", (data) => (faults += String(data)));
  const machine: BootedMachine = {
    run: (command, input) => runIn(child, command, input),
    async stop() {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    },
  };
  for (const deadlineMs = performance.now() + 30_000; performance.now() < deadlineMs; await pause(100)) {
    if (child.exitCode !== null) return faults.trim() || "systemd ended";
    const state = tryIn(child, ["systemctl", "is-system-running"])?.stdout.trim();
    if (state === "running" || state === "degraded") return machine;
  }
  await machine.stop();
  return `systemd has not started within 30 s: ${faults.trim()}`;
}

function runIn(child: ChildProcess, command: readonly string[], input?: Buffer): string {
  const done = tryIn(child, command, input);
  if (done?.status !== 0)
    throw new Error(`${command.join(" ")}:\n${done?.stdout ?? ""}${done?.stderr ?? ""}`);
  return done.stdout;
}

function tryIn(child: ChildProcess, command: readonly string[], input?: Buffer) {
  // The child of `unshare` is the first process.
  const first = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
  if (first === "") return undefined;
  const enter = [
    "--target",
    first,
    "--mount",
    "--net",
    "--uts",
    "--ipc",
    "--pid",
    "--cgroup",
    "--root",
    "--wd=/",
  ];
  return spawnSync("nsenter", [...enter, "--", ...command], { encoding: "utf8", ...(input && { input }) });
}
