import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { systemClock } from "../../../base/core/clock.ts";
import { defined } from "../../../base/core/defined.ts";
import { parseDuration } from "../../../base/core/duration.ts";
import { TelemetrydError } from "../../../base/core/errors.ts";
import type { Logger } from "../../../base/log/log.ts";
import { openKubeconfig } from "../../../platform/client/api/api-access.ts";
import { TerminalText } from "./terminal-text.ts";

export interface LogsOptions {
  readonly instance: string;
  readonly container?: string;
  readonly follow?: boolean;
  readonly tail?: number;
  /** A duration. */
  readonly since?: string;
  readonly timestamps?: boolean;
  readonly namespace?: string;
  /** A file. */
  readonly kubeconfig?: string;
}

/**
 * `telemetryd logs`: prints the log of an Instance as it is; on a terminal, without control characters.
 *
 * @throws INVALID_ARGUMENT for what the control plane refuses; UNREACHABLE when it does not respond, or ends
 *   the log before its end; FILE_UNREADABLE, INVALID_CONFIGURATION for the kubeconfig
 */
export async function printLogs(
  options: LogsOptions,
  environment: NodeJS.ProcessEnv,
  log: Logger,
  out: NodeJS.WriteStream,
  signal: AbortSignal,
): Promise<void> {
  const query = queryOf(options);
  const kubeconfig = options.kubeconfig ?? usualKubeconfig(environment);
  const access = openKubeconfig({ kubeconfig, clock: systemClock, log });
  const { namespace = access.namespace ?? "default", instance } = options;
  const [, groupDomain = "platformapis"] = /\/apis\/resourcemanager\.([^/]+)\//.exec(access.server) ?? [];
  const steps = ["namespaces", namespace, "instances", instance, "log"].map(encodeURIComponent);
  const path = `/apis/compute.${groupDomain}/v1alpha/${steps.join("/")}`;
  const text = out.isTTY ? new TerminalText() : undefined;
  try {
    const take = (bytes: Uint8Array) => written(out, text === undefined ? bytes : text.of(bytes));
    const end = await access.client.bytes(path, { query }, take, signal);
    if (end.outcome === "closed") return;
    const isRefused = end.outcome === "rejected" && end.code < 500 && end.code !== 429;
    throw new TelemetrydError(isRefused ? "INVALID_ARGUMENT" : "UNREACHABLE", `${instance}: ${end.message}`);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    await access.close();
  }
}

/** @throws INVALID_ARGUMENT */
function queryOf({ container, follow, tail, since, timestamps }: LogsOptions): Record<string, string> {
  return defined({
    container,
    follow: follow === true ? "true" : undefined,
    tailLines: tail?.toString(),
    sinceSeconds: since === undefined ? undefined : String(secondsOf(since)),
    timestamps: timestamps === true ? "true" : undefined,
  });
}

function secondsOf(since: string): number {
  const ms = parseDuration(since);
  if (ms !== undefined && ms > 0) return Math.ceil(ms / 1_000);
  throw new TelemetrydError("INVALID_ARGUMENT", `--since ${since}: give a duration, such as 10m`);
}

function usualKubeconfig({ KUBECONFIG = "" }: NodeJS.ProcessEnv): string {
  const [first = ""] = KUBECONFIG.split(delimiter);
  return first === "" ? join(homedir(), ".kube", "config") : first;
}

async function written(out: NodeJS.WriteStream, text: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    out.write(text, (error) => (error ? reject(error) : resolve()));
  });
}
