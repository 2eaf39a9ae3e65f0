import { systemClock } from "../../src/base/core/clock.ts";
import { EmulatedRuntime } from "../../src/platform/provider/emulated/emulated-runtime.ts";
import { providerContract } from "../support/contracts/provider.ts";

providerContract("the emulated provider", async () => {
  const faults = { missingRoles: [], domainRestricted: false, failInstances: [], hang: [] };
  const runtime = new EmulatedRuntime({ stepMs: 100, faults, clock: systemClock });
  return {
    openRuntime: () => runtime,
    image: "registry.invalid/app:1",
    [Symbol.asyncDispose]: async () => undefined,
  };
});
