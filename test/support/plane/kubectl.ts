import { type ChildProcess, execFile, spawn } from "node:child_process";
import { until } from "../until.ts";

export interface KubectlResult {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A long-running kubectl, such as a watch. */
export interface RunningKubectl {
  lines(): string[];
  /** Waits until a line contains the text. */
  sees(text: string): Promise<void>;
  /** Waits until a line matches. */
  shows(line: RegExp): Promise<void>;
  stop(): Promise<void>;
}

export interface Kubectl {
  /** Runs to completion, whatever the exit status. */
  run(
    args: readonly string[],
    options?: { input?: string; env?: Record<string, string> },
  ): Promise<KubectlResult>;
  /** Runs to completion and returns standard output. @throws when the exit status is not 0 */
  ok(...args: string[]): Promise<string>;
  /** `kubectl ... -f -` with the manifest on standard input. @throws when the exit status is not 0 */
  file(manifest: unknown, ...args: string[]): Promise<string>;
  start(...args: string[]): RunningKubectl;
}

/** Above the --timeout of every wait, and below that of a test: kubectl that is ended says nothing of its state. */
const limitMs = 150_000;

export function createKubectl(binary: string, kubeconfig: string, cacheDir: string): Kubectl {
  const common = ["--kubeconfig", kubeconfig, "--cache-dir", cacheDir];

  const run: Kubectl["run"] = (args, { input, env = {} } = {}) =>
    new Promise((resolve, reject) => {
      const options = { timeout: limitMs, maxBuffer: 64 * 2 ** 20, env: { ...process.env, ...env } };
      const child = execFile(binary, [...common, ...args], options, (error, out, err) => {
        // It catches the signal, and ends with status 1.
        if (error?.killed)
          reject(new Error(`kubectl ${args.join(" ")} did not end within ${limitMs} ms: ${err}${out}`));
        else if (error !== null && typeof error.code !== "number") reject(error);
        else resolve({ code: typeof error?.code === "number" ? error.code : 0, out, err });
      });
      child.stdin?.end(input ?? "");
    });

  const succeed = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, out, err } = await run(args, input === undefined ? {} : { input });
    if (code !== 0) throw new Error(`kubectl ${args.join(" ")} ended with ${code}: ${err}${out}`);
    return out;
  };

  return {
    run,
    ok: (...args) => succeed(args),
    file: (manifest, ...args) =>
      succeed([...args, "-f", "-"], typeof manifest === "string" ? manifest : JSON.stringify(manifest)),
    start(...args) {
      const child: ChildProcess = spawn(binary, [...common, ...args], { stdio: ["ignore", "pipe", "pipe"] });
      let text = "";
      child.stdout?.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
      const lines = (): string[] => text.split("\n").filter((line) => line !== "");
      return {
        lines,
        sees: (wanted) => until(`kubectl shows ${wanted}`, () => text.includes(wanted)),
        shows: (line) => until(`kubectl shows ${line}`, () => lines().some((text) => line.test(text))),
        async stop() {
          child.kill("SIGTERM");
          await ended;
        },
      };
    },
  };
}
