import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** `KUBECTL_BIN`, else kubectl on the PATH; undefined when there is none. */
export function findKubectl(): string | undefined {
  const named = process.env["KUBECTL_BIN"];
  if (named !== undefined && named !== "") return named;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "kubectl")).find(existsSync);
}

/** Runs kubectl to completion. @throws with its output when the exit status is not 0 */
export function runKubectl(
  binary: string,
  kubeconfig: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  // Uses a cache beside the kubeconfig and leaves the user's own alone.
  const common = ["--kubeconfig", kubeconfig, "--cache-dir", `${kubeconfig}.cache`];
  return new Promise((resolve, reject) => {
    execFile(binary, [...common, ...args], { signal }, (error, out, err) => {
      if (error === null) resolve(out);
      else if (signal.aborted) reject(signal.reason);
      else reject(new Error(`kubectl ${args.join(" ")}: ${err.trim() || error.message}`));
    });
  });
}
