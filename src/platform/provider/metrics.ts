import { Counter, Gauge, Registry } from "prom-client";
import type { InstanceStats } from "./runtime/runtime.ts";

export interface ProviderMeasures {
  work(): { readonly waiting: number; readonly running: number; readonly failing: number };
  takenLocations(): number;
  runtimeResponds(): boolean;
  /** Empty for a runtime that measures nothing. */
  instances(): Promise<readonly InstanceStats[]>;
}

/**
 * Metrics of the provider and of the instances it runs, read at scrape time. With `tenantLabel`, the
 * instances' metrics have the project under that name too: the metrics store then distinguishes tenants.
 */
export function createProviderRegistry(
  measures: ProviderMeasures,
  tenantLabel: string | undefined,
): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "telemetryd_provider_work",
    help: "Objects of the control planes that the provider has to work on, by state.",
    labelNames: ["state"],
    registers,
    collect() {
      for (const [state, count] of Object.entries(measures.work())) this.set({ state }, count);
    },
  });
  new Gauge({
    name: "telemetryd_provider_taken_locations",
    help: "Locations of this provider's cloud project and zones that another provider serves.",
    registers,
    collect() {
      this.set(measures.takenLocations());
    },
  });
  new Gauge({
    name: "telemetryd_provider_runtime_up",
    help: "1 while the runtime that instances run on responds.",
    registers,
    collect() {
      this.set(Number(measures.runtimeResponds()));
    },
  });
  const isExtra = tenantLabel !== undefined && !instanceLabels.includes(tenantLabel);
  const labelNames = isExtra ? [tenantLabel, ...instanceLabels] : instanceLabels;
  let scrape: Promise<readonly InstanceStats[]> | undefined;
  // One scrape asks the runtime once, whatever the number of metrics.
  const measured = () => {
    scrape ??= measures.instances().finally(() => {
      scrape = undefined;
    });
    return scrape;
  };
  for (const { type: Metric, name, help, read } of instanceMetrics) {
    new Metric({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const instances = await measured();
        this.reset();
        for (const each of instances) {
          const { plane, name, workload } = each;
          const project = plane.slice(plane.lastIndexOf("/") + 1);
          const [namespace = "", instanceName = ""] = name.split("/");
          const labels = { project, namespace, workload, instance_name: instanceName };
          const value = read(each);
          const all: Record<string, string> = isExtra ? { [tenantLabel]: project, ...labels } : labels;
          if (this instanceof Counter) this.inc(all, value);
          else (this as Gauge).set(all, value);
        }
      },
    });
  }
  return registry;
}

/** Not `instance`, which a scrape gives to every series. */
const instanceLabels = ["project", "namespace", "workload", "instance_name"];

const instanceMetrics = [
  {
    type: Counter,
    name: "platform_instance_cpu_seconds_total",
    help: "CPU time of an instance.",
    read: ({ cpuSeconds }: InstanceStats) => cpuSeconds,
  },
  {
    type: Gauge,
    name: "platform_instance_memory_bytes",
    help: "Memory of an instance.",
    read: ({ memoryBytes }: InstanceStats) => memoryBytes,
  },
  {
    type: Counter,
    name: "platform_instance_network_receive_bytes_total",
    help: "Bytes that an instance received.",
    read: ({ networkReceiveBytes }: InstanceStats) => networkReceiveBytes,
  },
  {
    type: Counter,
    name: "platform_instance_network_transmit_bytes_total",
    help: "Bytes that an instance sent.",
    read: ({ networkTransmitBytes }: InstanceStats) => networkTransmitBytes,
  },
  {
    type: Counter,
    name: "platform_instance_restarts_total",
    help: "Restarts of an instance's containers.",
    read: ({ restarts }: InstanceStats) => restarts,
  },
] as const;
