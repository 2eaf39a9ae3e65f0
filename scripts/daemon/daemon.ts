import type { DaemonStatus } from "../../src/exporter/policy/status/status-view.ts";
import { type Child, startChild, waitUntilReady } from "../servers/child.ts";
import { builtCli } from "./build.ts";

export interface DaemonOptions {
  readonly configFile: string;
  /** Port of the ops address. */
  readonly opsPort: number;
  /** Environment variables (`TELEMETRYD_…`) added to this process's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly logFile?: string;
  /** Another build's `cli.js`. Default: this one's. */
  readonly cli?: string;
  readonly onStart?: (pid: number) => void;
  readonly signal: AbortSignal;
}

/** A telemetryd that runs from the build, in its own process group. */
export interface RunningDaemon {
  readonly child: Child;
  readonly opsUrl: string;
  /** The response of `/api/v1/status`; rejects while the daemon does not respond. */
  status(signal: AbortSignal): Promise<DaemonStatus>;
}

/** Starts `telemetryd run`; resolves when it responds at its ops address. */
export async function startDaemon(options: DaemonOptions): Promise<RunningDaemon> {
  const { signal } = options;
  const opsUrl = `http://127.0.0.1:${options.opsPort}`;
  const status = async (limit: AbortSignal): Promise<DaemonStatus> => {
    const response = await fetch(`${opsUrl}/api/v1/status`, {
      signal: AbortSignal.any([limit, AbortSignal.timeout(2000)]),
    });
    if (!response.ok) throw new Error(`${opsUrl}/api/v1/status: ${response.status}`);
    return (await response.json()) as DaemonStatus;
  };
  const child = await startChild({
    name: "telemetryd",
    program: process.execPath,
    args: [options.cli ?? builtCli, "run", "--config", options.configFile],
    env: { ...options.env, TELEMETRYD_OPS_LISTEN: `127.0.0.1:${options.opsPort}` },
    ownGroup: true,
    ...(options.onStart === undefined ? {} : { onStart: options.onStart }),
    ...(options.logFile === undefined ? {} : { logFile: options.logFile }),
  });
  const isReady = (): Promise<boolean> =>
    status(signal).then(
      () => true,
      () => false,
    );
  await waitUntilReady("telemetryd", child, isReady, 90_000, signal);
  return { child, opsUrl, status };
}
