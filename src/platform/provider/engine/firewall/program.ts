import { spawn } from "node:child_process";

const limitMs = 10_000;
const maxOutputBytes = 32 * 2 ** 20;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a program of the machine's firewall.
 *
 * @param debianPackage that it is of
 * @throws Error that says what is missing
 */
export async function runProgram(
  [file = "", ...args]: readonly string[],
  debianPackage: string,
  input: string,
  signal: AbortSignal,
): Promise<Ended> {
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    // Debian's place for it is on root's PATH only.
    const env = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin`, LC_ALL: "C" };
    // Not ended by the signal: what has begun is short, and must be known to have happened.
    const child = spawn(file, args, { env, stdio: ["pipe", "pipe", "pipe"], timeout: limitMs });
    const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
    child.on("error", (error) => {
      const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
      const missing = `${file} is not installed (Debian: the package ${debianPackage})`;
      reject(isMissing ? new Error(missing) : error);
    });
    child.on("close", (code) => resolve({ code, stdout: stdout(), stderr: stderr() }));
    // It may end without reading all of it.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });
}

function collect(stream: NodeJS.ReadableStream): () => string {
  const parts: Buffer[] = [];
  let bytes = 0;
  stream.on("data", (part: Buffer) => {
    bytes += part.length;
    if (bytes <= maxOutputBytes) parts.push(part);
  });
  return () => Buffer.concat(parts).toString("utf8");
}

export function firstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "it failed without a word";
  return line.slice(0, 300);
}
