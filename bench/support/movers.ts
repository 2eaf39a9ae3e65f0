import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtCli } from "../../scripts/daemon/build.ts";
import { findServers, type ServerProgram } from "../../scripts/servers/find.ts";
import type { RunningServer } from "../../test/support/servers.ts";
import { type CommandUsage, runCommand } from "./command.ts";
import { manifest } from "./daemon.ts";
import { type Backlog, loadSelector } from "./load.ts";

/** Moves a span of samples from one store to another and exits. */
export interface Mover {
  readonly name: string;
  run(move: Move): Promise<CommandUsage>;
}

export interface Move {
  readonly source: RunningServer;
  readonly backlog: Backlog;
  /** URL of a VictoriaMetrics. */
  readonly receiverUrl: string;
}

/** `telemetryd export`, as users run it. */
export function telemetryd(maxSize: number): Mover {
  return {
    name: `telemetryd export, batches of ${maxSize}`,
    run: ({ source, backlog, receiverUrl }) =>
      withFolder(async (folder) => {
        await mkdir(join(folder, "policies"));
        const endpoints = [`${receiverUrl}/api/v1/write`];
        const policy = manifest({ name: "load", selector: loadSelector, endpoints, maxSize });
        await writeFile(join(folder, "policies", "load.json"), JSON.stringify(policy));
        const config = join(folder, "telemetryd.yaml");
        await writeFile(config, `policies: { directory: ./policies }\nmetrics: { url: "${source.url}" }\n`);
        const span = ["--from", iso(backlog.fromMs), "--to", iso(backlog.toMs)];
        return runCommand(process.execPath, [builtCli, "export", "--config", config, ...span]);
      }),
  };
}

/**
 * vmctl's two ways to read from Prometheus: files of a snapshot, which must be on the same machine, and
 * remote read. Debian's vmctl 1.79 has other flags; use a newer one.
 */
export async function vmctlFromPrometheus(): Promise<readonly Mover[]> {
  const { vmctl } = await findServers(["vmctl"]);
  const fromSnapshot: Mover = {
    name: "vmctl prometheus",
    run: async ({ source, backlog, receiverUrl }) => {
      const response = await fetch(`${source.url}/api/v1/admin/tsdb/snapshot`, { method: "POST" });
      const { data } = (await response.json()) as { data: { name: string } };
      const snapshot = join(source.dataDir, "storage", "snapshots", data.name);
      return runVmctl(vmctl, "prometheus", receiverUrl, [
        `--prom-snapshot=${snapshot}`,
        `--prom-filter-time-start=${iso(backlog.fromMs + 1)}`,
        `--prom-filter-time-end=${iso(backlog.toMs)}`,
      ]);
    },
  };
  const byRemoteRead: Mover = {
    name: "vmctl remote-read",
    run: ({ source, backlog, receiverUrl }) =>
      runVmctl(vmctl, "remote-read", receiverUrl, [
        `--remote-read-src-addr=${source.url}`,
        "--remote-read-use-stream",
        "--remote-read-step-interval=hour",
        `--remote-read-filter-time-start=${iso(backlog.fromMs + 1)}`,
        `--remote-read-filter-time-end=${iso(backlog.toMs)}`,
      ]),
  };
  return [fromSnapshot, byRemoteRead];
}

/** vmctl from VictoriaMetrics passes the source's blocks on without decoding them. */
export async function vmctlFromVictoriaMetrics(): Promise<Mover> {
  const { vmctl } = await findServers(["vmctl"]);
  return {
    name: "vmctl vm-native",
    run: ({ source, backlog, receiverUrl }) =>
      runCommand(
        vmctl.path,
        [
          "vm-native",
          "-s",
          "--disable-progress-bar",
          `--vm-native-src-addr=${source.url}`,
          `--vm-native-dst-addr=${receiverUrl}`,
          `--vm-native-filter-match=${loadSelector}`,
          `--vm-native-filter-time-start=${iso(backlog.fromMs + 1)}`,
          `--vm-native-filter-time-end=${iso(backlog.toMs)}`,
        ],
        vmctl.env,
      ),
  };
}

function runVmctl(
  { path, env }: ServerProgram,
  mode: string,
  receiverUrl: string,
  args: readonly string[],
): Promise<CommandUsage> {
  // Compression is for networks; telemetryd's snappy is cheaper on both sides and part of its protocol.
  const common = ["-s", "--disable-progress-bar", `--vm-addr=${receiverUrl}`, "--vm-compress=false"];
  return runCommand(path, [mode, ...common, ...args], env);
}

async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "telemetryd-bench-export-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
