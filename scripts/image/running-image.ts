import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningEngine } from "../servers/engine.ts";
import { expectThat, say, until } from "./checks.ts";

export interface Ended {
  readonly status: number;
  readonly output: string;
}

/** The image's program in a container: read-only, with only a loopback, and with a volume for `/data`. */
export interface RunningImage extends AsyncDisposable {
  /** Its pid on this machine. */
  readonly pid: number;
  readonly name: string;
  readonly end: Promise<Ended>;
  /** Runs a command beside the program. @returns its exit status */
  exec(...argv: readonly string[]): Promise<number>;
  /** Ends it as `docker stop` does, and checks that it ends with 0. */
  stop(): Promise<void>;
}

/** Runs a command of Docker to its end, whatever that is. */
export async function attempt(docker: RunningEngine, ...args: string[]): Promise<Ended> {
  try {
    return { status: 0, output: await docker.cli(...args) };
  } catch (error) {
    const { code, stdout = "", stderr = "" } = error as { code?: unknown; stdout?: string; stderr?: string };
    if (typeof code !== "number") throw error;
    return { status: code, output: `${stdout}${stderr}` };
  }
}

/** @param files what the image reads below `/etc/telemetryd`, by name @param work an empty folder */
export async function startImage(
  docker: RunningEngine,
  image: string,
  files: Readonly<Record<string, string>>,
  work: string,
): Promise<RunningImage> {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(work, file, ".."), { recursive: true });
    writeFileSync(join(work, file), text);
  }
  const name = `image-${process.hrtime.bigint()}`;
  const volumes = ["--volume", `${work}:/etc/telemetryd:ro`, "--volume", `${name}:/data`];
  const end = attempt(docker, "run", "--read-only", "--network", "none", "--name", name, ...volumes, image);
  const inspect = async (what: string): Promise<string> =>
    (await docker.cli("inspect", "--format", `{{${what}}}`, name)).trim();
  let pid = 0;
  const isStarted = async (): Promise<boolean> => {
    pid = Number(await inspect(".State.Pid"));
    return pid > 0;
  };
  await until(isStarted, "the program starts", end);
  return {
    ...{ pid, name, end },
    exec: async (...argv) => (await attempt(docker, "exec", name, ...argv)).status,
    async stop() {
      const startedMs = performance.now();
      await docker.cli("stop", name);
      const { status, output } = await end;
      expectThat(status === 0, "docker stop ends it with 0", `exit status ${status}\n${output}`);
      say(`    after ${Math.round(performance.now() - startedMs)} ms`);
    },
    async [Symbol.asyncDispose]() {
      await attempt(docker, "rm", "--force", "--volumes", name);
      await end;
    },
  };
}

/** A field of `/proc/<pid>/status`. */
export function statusOf(pid: number, field: string): string {
  return new RegExp(`^${field}:(.*)$`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
}

/** The bytes below a folder of an image, in MB. */
export async function megabytesOf(docker: RunningEngine, image: string, folder: string): Promise<string> {
  const du = ["run", "--rm", "--network", "none", "--entrypoint", "du", image, "-sb", folder];
  return `${(Number((await docker.cli(...du)).split("\t")[0]) / 1e6).toFixed(1)} MB`;
}
