import { execFile } from "node:child_process";
import { describeError } from "../../../base/core/errors.ts";
import type { ExchangeOutcome } from "./exchange.ts";
import type { KubeAccess, KubeCredentials } from "./kubeconfig.ts";

const limitMs = 60_000;
const maxOutputBytes = 1024 * 1024;

/**
 * Runs a kubeconfig's credential plug-in (client.authentication.k8s.io ExecCredential) and returns its token.
 */
export async function execCredential(
  exec: Extract<KubeCredentials, { kind: "exec" }>,
  access: Pick<KubeAccess, "server"> & { readonly ca: string | undefined },
  signal: AbortSignal,
): Promise<ExchangeOutcome> {
  const ca =
    access.ca === undefined
      ? {}
      : { "certificate-authority-data": Buffer.from(access.ca).toString("base64") };
  const info = {
    apiVersion: exec.apiVersion,
    kind: "ExecCredential",
    spec: { interactive: false, cluster: { server: access.server, ...ca } },
  };
  const env = { ...process.env, ...exec.env, KUBERNETES_EXEC_INFO: JSON.stringify(info) };
  try {
    const output = await run(exec.command, exec.args, env, signal);
    return readExecCredential(output);
  } catch (error) {
    signal.throwIfAborted();
    // Never include the plug-in's output: it may contain secrets.
    return {
      outcome: "failed",
      message: `the credential plug-in ${exec.command} failed: ${firstLine(error)}`,
    };
  }
}

function firstLine(error: unknown): string {
  return describeError(error).split("\n")[0] ?? "";
}

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env, signal, timeout: limitMs, maxBuffer: maxOutputBytes };
    const child = execFile(command, [...args], options, (error, out) => {
      if (error === null) resolve(out);
      else
        reject(new Error(typeof error.code === "number" ? `exit status ${error.code}` : String(error.code)));
    });
    child.stdin?.end();
  });
}

/** Parses a plug-in's output. */
export function readExecCredential(output: string): ExchangeOutcome {
  try {
    const { kind, status } = JSON.parse(output) as {
      kind?: unknown;
      status?: { token?: unknown; expirationTimestamp?: unknown };
    };
    const token = status?.token;
    if (kind === "ExecCredential" && typeof token === "string" && /^[\x21-\x7e]+$/.test(token)) {
      const expiresMs = Date.parse(String(status?.expirationTimestamp ?? ""));
      return {
        outcome: "exchanged",
        bearer: { text: token, expiresMs: Number.isNaN(expiresMs) ? undefined : expiresMs },
      };
    }
  } catch {
    // Falls through to the message.
  }
  return { outcome: "failed", message: "the credential plug-in printed no ExecCredential with a token" };
}
