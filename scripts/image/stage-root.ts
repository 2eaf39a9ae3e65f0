import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** A command to run in a stage. */
export interface StageCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder contains its own programs: only devices of this machine are mounted. */
  readonly isWhole?: boolean | undefined;
  /** For example `1000:1000`; default: root. */
  readonly user?: string;
  /**
   * Makes the root read-only except for these folders, which are mounted from outside: path inside -> folder.
   */
  readonly readOnlyBut?: Readonly<Record<string, string>>;
  /**
   * Gives the command its own network, with only a loopback, and its own process tree, in which it is number
   * 1.
   */
  readonly isolated?: boolean;
}

/**
 * This machine's programs and libraries besides /usr, in place of the base image's. Under /etc only the files
 * that programs look up.
 */
const borrowed = [
  ...["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/dev"],
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

/** The machine settings that npm needs to reach its registry. */
function npmSettings(): { readonly mounts: string[]; readonly env: Record<string, string> } {
  const wanted =
    /^(npm_config_(registry|cafile|proxy|https_proxy)|NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy)$/i;
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => wanted.test(entry[0])),
  );
  return { mounts: [join(homedir(), ".npmrc"), join(homedir(), ".npm")].filter(existsSync), env };
}

/**
 * Starts a command with `folder` as its root directory, in its own mount namespace: no mount remains after it
 * ends. Requires root, as a container engine does.
 */
export function startInStage(folder: string, command: StageCommand): ChildProcess {
  const isWhole = command.isWhole === true;
  const npm = isWhole ? { mounts: [], env: {} } : npmSettings();
  const mounts: [from: string, to: string][] = [
    ...(isWhole ? [["/dev", "/dev"] satisfies [string, string]] : borrowedMounts(folder, npm.mounts)),
    ...(isWhole || command.readOnlyBut !== undefined ? [] : aptMounts()),
    ...Object.entries(command.readOnlyBut ?? {}).map(([inside, outside]): [string, string] => [
      outside,
      inside,
    ]),
  ];
  for (const [from, to] of [...mounts, ["/proc", "/proc"] as const]) makeTarget(from, join(folder, to));
  mkdirSync(join(folder, "tmp"), { recursive: true });
  chmodSync(join(folder, "tmp"), 0o1777);
  const usr = isWhole ? [] : [join(folder, "usr"), usrLayer(folder), `${usrLayer(folder)}.work`];
  for (const path of usr) mkdirSync(path, { recursive: true });
  const script = [
    `mount --bind ${quote(folder)} ${quote(folder)}`,
    ...(isWhole ? [] : [usrMount(folder, command.readOnlyBut === undefined)]),
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

/**
 * The folder that has what a stage changes below /usr: this machine's own stays as it is. Programs that the
 * base image lacks are hidden there.
 */
export function usrLayer(folder: string): string {
  return `${folder}.usr`;
}

/** An overlay of what the stage changes and this machine's /usr. */
function usrMount(folder: string, isWritable: boolean): string {
  const layer = usrLayer(folder);
  const layers = isWritable
    ? `lowerdir=/usr,upperdir=${layer},workdir=${layer}.work`
    : `lowerdir=${layer}:/usr`;
  return `mount -t overlay overlay -o ${quote(layers)} ${quote(join(folder, "usr"))}`;
}

/** The machine settings that apt needs to reach its archive. */
function aptMounts(): [from: string, to: string][] {
  return existsSync("/etc/apt") ? [["/etc/apt", "/etc/apt"]] : [];
}

function borrowedMounts(folder: string, npmMounts: readonly string[]): [from: string, to: string][] {
  const sourceOf = (path: string): string => {
    const real = realpathSync(path);
    // Where /bin is a link to /usr/bin, it has what the stage changes.
    return real.startsWith("/usr/") ? join(folder, real) : real;
  };
  return [
    ...borrowed.filter(existsSync).map((path): [string, string] => [sourceOf(path), path]),
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
  /** 128 + the signal's number after a signal, as in a shell. */
  readonly status: number;
  readonly output: string;
}

/** Waits for a command to end and keeps its whole output. */
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
