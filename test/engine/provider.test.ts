import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/base/core/clock.ts";
import { silentLogger } from "../../src/base/log/log.ts";
import { createEngineClient } from "../../src/platform/provider/engine/engine-client.ts";
import { EngineRuntime } from "../../src/platform/provider/engine/engine-runtime.ts";
import { providerContract } from "../support/contracts/provider.ts";
import { randomRange, requireEngine, startEngine } from "../support/provider/engine.ts";

providerContract("the provider engine", async () => {
  await requireEngine();
  const engine = await startEngine();
  const directory = await mkdtemp(join(tmpdir(), "telemetryd-engine-"));
  const image = "registry.example/web:1";
  await engine.image(image);
  const platform = randomUUID();
  return {
    openRuntime() {
      const client = createEngineClient(engine.socket);
      return new EngineRuntime({
        ...{ client, clock: systemClock, log: silentLogger, platform, directory, pull: "missing" },
        registries: [],
        firewall: { deny: [], allow: [] },
      });
    },
    image,
    ipv4Range: randomRange(),
    async [Symbol.asyncDispose]() {
      await engine[Symbol.asyncDispose]();
      await rm(directory, { recursive: true, force: true });
    },
  };
});
