import { type ChildProcess, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BuiltImage, volumeFor } from "./build-stages.ts";
import { expectThat, pause, say, until } from "./checks.ts";
import { type Ended, ended, type StageCommand, startInStage } from "./stage-root.ts";

/** The image's program, run as a container engine would: read-only, isolated, with a volume for `/data`. */
export interface RunningImage extends AsyncDisposable {
  /** The host pid of process number 1. */
  readonly pid: number;
  /** The volume, outside. */
  readonly data: string;
  readonly end: Promise<Ended>;
  /** The exit status of a command run beside the program, as by `docker exec` and HEALTHCHECK. */
  check(argv: readonly string[]): number;
  /** Sends SIGTERM, as `docker stop` does, and checks that it ends with 0. */
  stop(): Promise<void>;
}

/** docker's default time between SIGTERM and SIGKILL; nothing needs draining here. */
const stopLimitMs = 10_000;

/** How a command starts in the image, as its user. */
export function commandOf(image: BuiltImage, argv: readonly string[]): StageCommand {
  const { cwd, env, user, isWhole } = image;
  return { argv, cwd, env, user, isWhole, readOnlyBut: {}, isolated: true };
}

/** Runs a command in the image to its end, as its user. */
export async function runIn(image: BuiltImage, argv: readonly string[]): Promise<Ended> {
  return await ended(startInStage(image.folder, commandOf(image, argv)));
}

/** @param dataFolder an empty folder for the volume */
export async function startImage(
  image: BuiltImage,
  configuration: string,
  dataFolder: string,
): Promise<RunningImage> {
  mkdirSync(join(image.folder, "etc/telemetryd"), { recursive: true });
  writeFileSync(join(image.folder, "etc/telemetryd/telemetryd.yaml"), configuration);
  const data = volumeFor(image.user, dataFolder);
  const command = commandOf(image, [...image.entrypoint, ...image.command]);
  const child = startInStage(image.folder, { ...command, readOnlyBut: { "/data": data } });
  const end = ended(child);
  const pid = await firstProcess(child, end);
  return {
    ...{ pid, data, end, check: (argv) => check(pid, argv) },
    async stop() {
      const startedMs = performance.now();
      process.kill(pid, "SIGTERM");
      const stopped = await Promise.race([end, pause(stopLimitMs)]);
      const detail =
        stopped === undefined ? "it goes on" : `exit status ${stopped.status}\n${stopped.output}`;
      expectThat(stopped?.status === 0, "SIGTERM ends it with 0", detail);
      say(`    after ${Math.round(performance.now() - startedMs)} ms`);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await end;
    },
  };
}

/** The host pid of the command, once `unshare` and `chroot` have exec'd it. */
async function firstProcess(child: ChildProcess, end: Promise<unknown>): Promise<number> {
  let found = 0;
  const isStarted = async (): Promise<boolean> => {
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
    found = Number(children.split(" ")[0]);
    return found > 0 && readFileSync(`/proc/${found}/cmdline`, "utf8").startsWith("node\0");
  };
  await until(isStarted, "the program starts", end);
  return found;
}

/** A field of `/proc/<pid>/status`. */
export function statusOf(pid: number, field: string): string {
  return new RegExp(`^${field}:(.*)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
}

function check(pid: number, argv: readonly string[]): number {
  const environment = readFileSync(`/proc/${pid}/environ`, "utf8")
    .split("\0")
    .filter((entry) => entry !== "");
  const inside = ["--target", String(pid), "--mount", "--net", "--pid", "--root"];
  const user = ["--setuid", "1000", "--setgid", "1000"];
  try {
    execFileSync("nsenter", [...inside, ...user, "env", "-i", ...environment, ...argv], {
      stdio: "ignore",
      timeout: 10_000,
    });
    return 0;
  } catch (error) {
    return (error as { status?: number | null }).status ?? 1;
  }
}
