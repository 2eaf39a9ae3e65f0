import { type ChildProcess, spawn } from "node:child_process";

/** A Bash session as a reader of a document has it: variables and the folder stay from block to block. */
export class DocumentShell {
  readonly #child: ChildProcess;
  #output = "";
  #onOutput = (): void => undefined;

  /** @param env added to this process's environment */
  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#child = spawn("bash", ["--noprofile", "--norc"], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "pipe"],
      detached: true,
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        this.#onOutput();
      });
    }
    this.#child.once("close", () => this.#onOutput());
    // A command that fails in the middle of a block is no detail.
    this.#child.stdin?.write(`set -E -o pipefail\ntrap 'echo "${failed} $BASH_COMMAND"' ERR\n`);
  }

  /** Runs a block. @returns its output @throws an Error when one of its commands fails, or after the limit */
  async run(block: string): Promise<string> {
    this.#output = "";
    const ended = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`not over after ${limitMs / 1_000} s:\n${this.#output}`)),
        limitMs,
      );
      this.#onOutput = () => {
        if (!this.#output.includes(end) && this.#child.exitCode === null) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#child.stdin?.write(`{\n${block}\n} </dev/null\necho ${end}\n`);
    await ended;
    const output = this.#output.replace(`${end}\n`, "");
    if (output.includes(failed) || this.#child.exitCode !== null) throw new Error(`it failed:\n${output}`);
    return output;
  }

  /** Ends the session and everything that it started. */
  async close(): Promise<void> {
    const { pid, exitCode } = this.#child;
    if (pid === undefined || exitCode !== null) return;
    const closed = new Promise((resolve) => this.#child.once("close", resolve));
    process.kill(-pid, "SIGTERM");
    // Bash itself ignores SIGTERM while it waits for more.
    this.#child.stdin?.end();
    await closed;
  }
}

const limitMs = 120_000;
const end = "@@end of the block@@";
const failed = "@@failed:";

/**
 * What differs between an output and the one that a document prints; undefined when nothing does. Numbers, times,
 * identifiers and the width of columns may differ.
 */
export function outputFault(printed: string, output: string): string | undefined {
  const lines = output.split("\n");
  for (const line of printed.split("\n").filter((each) => each.trim() !== "")) {
    const pattern = new RegExp(`^${loosely(line.trim())}$`);
    if (!lines.some((each) => pattern.test(each.trim()))) return `no line like ${line}`;
  }
  return undefined;
}

function loosely(line: string): string {
  return line
    .split(/\s+/)
    .map((word) => {
      if (/^'?\/\S+/.test(word)) return String.raw`\S+`;
      const quoted = word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
      return quoted.replace(/([0-9a-f]{8}-[0-9a-f-]{27})|\d[\d,.\\:KMGTZsmhd-]*/g, (_, uuid) =>
        uuid === undefined ? String.raw`\d[\d,.:KMGTZsmhd-]*` : "[0-9a-f-]{36}",
      );
    })
    .join(String.raw`\s+`);
}
