import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Resources used by a command that ran to completion, start included. */
export interface CommandUsage {
  readonly wallMs: number;
  /** User and system time, as the shell reports it for its children. */
  readonly cpuMs: number;
}

/** @throws an Error with the end of the command's output when it fails */
export async function runCommand(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandUsage> {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-bench-command-"));
  const file = join(folder, "times");
  try {
    const startMs = performance.now();
    const script = '"$@"; status=$?; times >"$0"; exit $status';
    const child = spawn("sh", ["-c", script, file, program, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...env },
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (text: Buffer) => {
        output = (output + text.toString()).slice(-4_000);
      });
    }
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    const wallMs = performance.now() - startMs;
    if (status !== 0) throw new Error(`${program} ended with exit status ${status}: ${output}`);
    return { wallMs, cpuMs: childrenMs(await readFile(file, "utf8")) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The second line of the shell's `times`: `0m1.25s 0m0.31s`. */
function childrenMs(text: string): number {
  const [, line = ""] = text.split("\n");
  return [...line.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1_000,
    0,
  );
}
