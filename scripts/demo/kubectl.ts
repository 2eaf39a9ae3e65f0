import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** `KUBECTL_BIN`, else the one on the PATH; undefined where there is none. */
export function findKubectl(): string | undefined {
  const named = process.env["KUBECTL_BIN"];
  if (named !== undefined && named !== "") return named;
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  return folders.map((folder) => join(folder, "kubectl")).find(existsSync);
}

/** Runs kubectl to its end. @throws with what it printed when its exit status is not 0 */
export function runKubectl(
  binary: string,
  kubeconfig: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  // Its cache beside the kubeconfig: the user's own stays as it is.
  const common = ["--kubeconfig", kubeconfig, "--cache-dir", `${kubeconfig}.cache`];
  return new Promise((resolve, reject) => {
    execFile(binary, [...common, ...args], { signal }, (error, out, err) => {
      if (error === null) resolve(out);
      else if (signal.aborted) reject(signal.reason);
      else reject(new Error(`kubectl ${args.join(" ")}: ${err.trim() || error.message}`));
    });
  });
}
