import { RuntimeError } from "../runtime/runtime.ts";
import { type EngineClient, neededVersion } from "./engine-client.ts";
import { type EngineInfo, engineInfo, engineVersion, readResponse } from "./engine-objects.ts";

export interface Engine {
  readonly isPodman: boolean;
  readonly version: string;
  /** Whether its storage driver may be able to limit what a container writes. */
  readonly limitsLayers: boolean;
}

/** Asks which engine responds, and checks that it is a suitable one. @throws RuntimeError that says what to do */
export async function askEngine(client: EngineClient, signal: AbortSignal): Promise<Engine> {
  const response = await client.send("GET", "/version", {}, signal);
  const { ApiVersion, Version, Os, Components } = readResponse(engineVersion, response);
  const [major = 0, minor = 0] = ApiVersion.split(".").map(Number);
  if (major < 1 || (major === 1 && minor < neededVersion)) {
    const has = `the engine (${Version}) has version ${ApiVersion} of the Docker Engine API`;
    const message = `${has}: 1.${neededVersion} is needed`;
    throw new RuntimeError("unavailable", "EngineUnsupported", message);
  }
  if (Os !== "linux") {
    throw new RuntimeError(
      "unavailable",
      "EngineUnsupported",
      `the engine runs ${Os} containers: Linux is needed`,
    );
  }
  const isPodman = (Components ?? []).some(({ Name }) => Name === "Podman Engine");
  const info = readResponse(engineInfo, await client.send("GET", "/info", {}, signal));
  return { isPodman, version: Version, limitsLayers: limitsLayers(info) };
}

/**
 * Whether the storage driver has the option `size` for containers. On XFS, it also needs the mount option
 * `pquota`, which the engine does not name.
 */
export function limitsLayers({ Driver, DriverStatus }: EngineInfo): boolean {
  if (Driver === "btrfs" || Driver === "zfs") return true;
  const isOverlay = Driver === "overlay" || Driver === "overlay2";
  return (
    isOverlay && (DriverStatus ?? []).some(([key, value]) => key === "Backing Filesystem" && value === "xfs")
  );
}
