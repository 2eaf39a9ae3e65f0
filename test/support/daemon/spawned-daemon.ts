import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { ensureBuilt } from "../../../scripts/daemon/build.ts";
import { type RunningDaemon, startDaemon } from "../../../scripts/daemon/daemon.ts";
import { freePort } from "../servers.ts";

export interface SpawnOptions {
  /** Folder of its configuration and log. */
  readonly directory: string;
  /** The configuration's sections, without `ops`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** Another build's `cli.js`. Default: this one's. */
  readonly cli?: string | undefined;
}

const signal = new AbortController().signal;

/** Starts the built program, as users do; resolves when it responds at its ops address. */
export async function spawnDaemon({ directory, config, cli }: SpawnOptions): Promise<RunningDaemon> {
  if (cli === undefined) await ensureBuilt(signal, () => undefined);
  await mkdir(directory, { recursive: true });
  const configFile = join(directory, "telemetryd.yaml");
  await writeFile(configFile, stringify(config));
  return await startDaemon({
    configFile,
    opsPort: await freePort(),
    logFile: join(directory, "telemetryd.log"),
    ...(cli === undefined ? {} : { cli }),
    signal,
  });
}

/** Stops a daemon as a service manager does. @throws unless it exits cleanly */
export async function endDaemon(daemon: RunningDaemon): Promise<void> {
  const { code, signal: killer } = await daemon.child.stop(30_000);
  if (code !== 0) throw new Error(`telemetryd ended with ${killer ?? code}: ${daemon.child.log()}`);
}
