import { Gauge, Registry } from "prom-client";

/** @param parts by part: whether it is degraded */
export function createHealthRegistry(parts: () => ReadonlyMap<string, boolean>): Registry {
  const registry = new Registry();
  new Gauge({
    name: "telemetryd_degraded",
    help: "1 while a part works with limits; /readyz has the reason.",
    labelNames: ["part"],
    registers: [registry],
    collect() {
      for (const [part, isDegraded] of parts()) this.set({ part }, Number(isDegraded));
    },
  });
  return registry;
}

/** @param count of policy files with an error of their own */
export function createPolicyFileRegistry(count: () => number): Registry {
  const registry = new Registry();
  new Gauge({
    name: "telemetryd_policy_file_errors",
    help: "Files of policies.directory that cannot be read or parsed, or lack an object; the directory counts as one.",
    registers: [registry],
    collect() {
      this.set(count());
    },
  });
  return registry;
}
