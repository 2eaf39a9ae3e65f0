import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** How a command runs in a stage. */
export interface StageCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder has programs of its own: nothing of this machine is mounted but devices. */
  readonly isWhole?: boolean | undefined;
  /** `1000:1000`; root otherwise. */
  readonly user?: string;
  /** Nothing in the root can be written but these folders, which are mounted from outside: path inside -> folder. */
  readonly readOnlyBut?: Readonly<Record<string, string>>;
  /** A network of its own, with a loopback and nothing else; and a process tree in which the command is number 1. */
  readonly isolated?: boolean;
}

/** This machine's programs and libraries stand in for the base image's. Under /etc only what programs look up there. */
const borrowed = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/dev"],
  ...[
    "/etc/ssl",
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/resolv.conf",
    "/etc/hosts",
    "/etc/nsswitch.conf",
  ],
];
const nodeFolder = "/opt/node";

/** What npm needs of this machine to reach its registry. */
function npmSettings(): { readonly mounts: string[]; readonly env: Record<string, string> } {
  const wanted =
    /^(npm_config_(registry|cafile|proxy|https_proxy)|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i;
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => wanted.test(entry[0])),
  );
  return { mounts: [join(homedir(), ".npmrc"), join(homedir(), ".npm")].filter(existsSync), env };
}

/**
 * Starts a command with `folder` as its root directory, in a mount namespace of its own: nothing is left mounted when it
 * has ended. Needs root, as a container engine does.
 */
export function startInStage(folder: string, command: StageCommand): ChildProcess {
  const npm = command.isWhole === true ? { mounts: [], env: {} } : npmSettings();
  const mounts: [from: string, to: string][] = [
    ...(command.isWhole === true
      ? [["/dev", "/dev"] satisfies [string, string]]
      : borrowedMounts(npm.mounts)),
    ...Object.entries(command.readOnlyBut ?? {}).map(([inside, outside]): [string, string] => [
      outside,
      inside,
    ]),
  ];
  for (const [from, to] of [...mounts, ["/proc", "/proc"] as const]) makeTarget(from, join(folder, to));
  mkdirSync(join(folder, "tmp"), { recursive: true });
  chmodSync(join(folder, "tmp"), 0o1777);
  const script = [
    `mount --bind ${quote(folder)} ${quote(folder)}`,
    ...mounts.map(([from, to]) => `mount --rbind ${quote(from)} ${quote(join(folder, to))}`),
    command.isolated
      ? `mount -t proc proc ${quote(join(folder, "proc"))}`
      : `mount --rbind /proc ${quote(join(folder, "proc"))}`,
    ...(command.isolated ? ["ip link set lo up"] : []),
    ...(command.readOnlyBut === undefined ? [] : [`mount -o remount,bind,ro ${quote(folder)}`]),
    `exec chroot ${command.user === undefined ? "" : `--userspec=${command.user}`} ${quote(folder)} "$@"`,
  ].join("\n");
  const namespaces = command.isolated ? ["--net", "--pid", "--fork", "--kill-child"] : [];
  const env = {
    PATH: `${nodeFolder}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
    HOME: command.user === undefined ? "/root" : "/",
    ...npm.env,
    ...command.env,
  };
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return spawn(
    "unshare",
    [
      ...["--mount", "--propagation", "private", ...namespaces, "bash", "-euc", script, "stage"],
      ...["env", "-i", `--chdir=${command.cwd}`, ...assignments, ...command.argv],
    ],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
}

function borrowedMounts(npmMounts: readonly string[]): [from: string, to: string][] {
  return [
    ...borrowed.filter(existsSync).map((path): [string, string] => [realpathSync(path), path]),
    [dirname(dirname(realpathSync(process.execPath))), nodeFolder],
    ...npmMounts.map((path): [string, string] => [path, path.replace(homedir(), "/root")]),
  ];
}

function makeTarget(from: string, target: string): void {
  if (existsSync(target)) return;
  mkdirSync(dirname(target), { recursive: true });
  if (from.endsWith(".conf") || /\/(hosts|ld\.so\.cache|\.npmrc)$/.test(from)) writeFileSync(target, "");
  else mkdirSync(target);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

export interface Ended {
  /** 128 + its number after a signal, as a shell says. */
  readonly status: number;
  readonly output: string;
}

/** Waits for a command's end. Its output is kept whole. */
export function ended(child: ChildProcess): Promise<Ended> {
  const chunks: Buffer[] = [];
  child.stdout?.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      resolve({
        status: code ?? (signal === "SIGKILL" ? 137 : 143),
        output: Buffer.concat(chunks).toString(),
      });
    });
  });
}
