import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { findServers } from "../servers/find.ts";
import { removeLeftPodman, startPodman } from "../servers/podman.ts";

/** What the instances of the demo's project run on. */
export interface DemoInstances {
  readonly kind: "engine" | "emulated";
  /** Settings of the daemon's provider. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const cloudProjectId = "demo";

/** Podman, as root and where it and nft are installed; otherwise nothing runs, which is shown. */
export async function startDemoInstances(
  options: {
    readonly logFile: string;
    readonly onStart: (pid: number) => void;
    /** File that tells the next demo what a killed one has left. */
    readonly noteFile: string;
  },
  signal: AbortSignal,
): Promise<DemoInstances> {
  const { noteFile } = options;
  if (existsSync(noteFile)) {
    await removeLeftPodman(readFileSync(noteFile, "utf8"));
    rmSync(noteFile);
  }
  if (process.env["DEMO_INSTANCES"] === "emulated" || !(await canRunContainers(signal))) {
    return {
      kind: "emulated",
      env: { TELEMETRYD_PROVIDER_KIND: "emulated", TELEMETRYD_PROVIDER_CLOUD_PROJECT_ID: cloudProjectId },
      stop: () => Promise.resolve(),
    };
  }
  const onFolder = (folder: string) => writeFileSync(noteFile, folder);
  const podman = await startPodman({ ...options, onFolder, ownGroup: true, signal });
  await podman.image("registry.example/hello:1");
  return {
    kind: "engine",
    env: {
      TELEMETRYD_PROVIDER_KIND: "engine",
      TELEMETRYD_PROVIDER_CLOUD_PROJECT_ID: cloudProjectId,
      TELEMETRYD_PROVIDER_ENGINE_SOCKET: podman.socket,
    },
    async stop() {
      await podman[Symbol.asyncDispose]();
      rmSync(noteFile, { force: true });
    },
  };
}

async function canRunContainers(signal: AbortSignal): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  try {
    await findServers(["podman", "nft", "busybox"], { install: false, signal });
    return true;
  } catch {
    return false;
  }
}
