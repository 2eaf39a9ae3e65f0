import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { ensureBuilt } from "../../scripts/daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../../scripts/daemon/daemon.ts";
import { freePort } from "./servers.ts";

export interface SpawnOptions {
  /** Its configuration is written here; so is its log. */
  readonly directory: string;
  /** The sections of the configuration, without `ops`. */
  readonly config: Readonly<Record<string, unknown>>;
}

const signal = new AbortController().signal;

/**
 * The program as it was built, run as users run it; it responds at its ops address when the promise resolves.
 */
export async function spawnDaemon({ directory, config }: SpawnOptions): Promise<RunningDaemon> {
  await ensureBuilt(signal, () => undefined);
  await mkdir(directory, { recursive: true });
  const configFile = join(directory, "telemetryd.yaml");
  await writeFile(configFile, stringify(config));
  return await startDaemon({
    configFile,
    opsPort: await freePort(),
    logFile: join(directory, "telemetryd.log"),
    signal,
  });
}

/** Ends a daemon as a service manager does. @throws unless it ended in order */
export async function endDaemon(daemon: RunningDaemon): Promise<void> {
  const { code, signal: killer } = await daemon.child.stop(30_000);
  if (code !== 0) throw new Error(`telemetryd ended with ${killer ?? code}: ${daemon.child.log()}`);
}
