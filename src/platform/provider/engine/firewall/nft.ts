import { spawn } from "node:child_process";

/** Runs `nft`. */
export interface Nft {
  /** Runs a script in one transaction. @throws Error with nft's words, or that says what is missing */
  run(script: string, signal: AbortSignal): Promise<void>;
  /** A table of both families as nft prints it; undefined if one is absent. @throws as {@link run} */
  list(table: string, signal: AbortSignal): Promise<string | undefined>;
}

const limitMs = 10_000;
const maxOutputBytes = 32 * 2 ** 20;

/** @param program with its first arguments */
export function createNft(program: readonly string[] = ["nft"]): Nft {
  const [file = "nft", ...first] = program;
  const call = (args: readonly string[], input: string, signal: AbortSignal): Promise<Ended> =>
    runProgram(file, [...first, ...args], input, signal);
  return {
    async run(script, signal) {
      const { code, stderr } = await call(["-f", "-"], script, signal);
      if (code !== 0) throw new Error(`nft: ${firstLine(stderr)}`);
    },
    async list(table, signal) {
      let listing = "";
      for (const family of ["inet", "bridge"]) {
        const { code, stdout, stderr } = await call(["list", "table", family, table], "", signal);
        if (code !== 0 && /No such file or directory/.test(stderr)) return undefined;
        if (code !== 0) throw new Error(`nft: ${firstLine(stderr)}`);
        listing += stdout;
      }
      return listing;
    },
  };
}

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

async function runProgram(
  file: string,
  args: readonly string[],
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
      reject(isMissing ? new Error("nft is not installed (Debian: the package nftables)") : error);
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

function firstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "it failed without a word";
  return line.slice(0, 300);
}
