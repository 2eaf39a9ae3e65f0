import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A module in a separate process, so that it can be killed and frozen. */
export interface ForkedProcess {
  readonly child: ChildProcess;
  kill(): Promise<void>;
}

/** Runs a module with options, which {@link forkedOptions} reads there. */
export function startForked(url: string, options: object): ForkedProcess {
  const child = fork(fileURLToPath(url), [JSON.stringify(options)], {
    execArgv: ["--import", "tsx"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  return {
    child,
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

/** The options of this process if it was started to run this module. */
export function forkedOptions<T>(url: string): T | undefined {
  const [, file, options] = process.argv;
  return file === fileURLToPath(url) && options !== undefined ? (JSON.parse(options) as T) : undefined;
}
