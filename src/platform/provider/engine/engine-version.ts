import { RuntimeError } from "../runtime/runtime.ts";
import { apiVersion, type EngineClient } from "./engine-client.ts";
import { engineVersion, readResponse } from "./engine-objects.ts";

export interface Engine {
  readonly isPodman: boolean;
  readonly version: string;
}

/** Asks which engine answers, and checks that it is a suitable one. @throws RuntimeError that says what to do */
export async function askEngine(client: EngineClient, signal: AbortSignal): Promise<Engine> {
  const response = await client.send("GET", "/version", {}, signal);
  const { ApiVersion, Version, Os, Components } = readResponse(engineVersion, response);
  const wanted = Number(apiVersion.replace("v1.", ""));
  const [major = 0, minor = 0] = ApiVersion.split(".").map(Number);
  if (major < 1 || (major === 1 && minor < wanted)) {
    const has = `the engine (${Version}) has version ${ApiVersion} of the Docker Engine API`;
    const message = `${has}: 1.${wanted} is needed`;
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
  return { isPodman, version: Version };
}
