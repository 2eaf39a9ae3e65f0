import { Counter, Gauge, Registry } from "prom-client";
import type { RouteProgram } from "../routing/route-program.ts";
import { responseClasses, type Traffic } from "./traffic.ts";

export interface GatewayMeasures {
  isUp(): boolean;
  programs(): Readonly<Record<"loaded" | "refused" | "over_share" | "checking", number>>;
  /** By the shape of slots. */
  freeSlots(): ReadonlyMap<string, number>;
  /** Memory that HAProxy needs for each project's programs, by the project's name. */
  bytesByProject(): ReadonlyMap<string, number>;
  loads(): { readonly succeeded: number; readonly failed: number };
  /** Traffic of each program, as far as HAProxy responds. */
  traffic(): Promise<readonly (readonly [RouteProgram, Traffic])[]>;
}

/**
 * Metrics of the gateway and of the proxies' traffic, read at scrape time. With `tenantLabel`, the traffic's
 * metrics have the project under that name too: the metrics store then distinguishes tenants.
 */
export function createGatewayRegistry(measures: GatewayMeasures, tenantLabel: string | undefined): Registry {
  const registry = new Registry();
  const registers = [registry];
  new Gauge({
    name: "telemetryd_gateway_up",
    help: "1 while HAProxy runs and serves the newest programs.",
    registers,
    collect() {
      this.set(Number(measures.isUp()));
    },
  });
  new Gauge({
    name: "telemetryd_gateway_programs",
    help: "Gateways of all projects, by whether HAProxy accepts what they ask for.",
    labelNames: ["state"],
    registers,
    collect() {
      for (const [state, count] of Object.entries(measures.programs())) this.set({ state }, count);
    },
  });
  new Counter({
    name: "telemetryd_gateway_loads_total",
    help: "How often a new configuration was given to HAProxy, by outcome.",
    labelNames: ["outcome"],
    registers,
    collect() {
      this.reset();
      for (const [outcome, count] of Object.entries(measures.loads())) this.inc({ outcome }, count);
    },
  });
  new Gauge({
    name: "telemetryd_gateway_free_slots",
    help: "Slots for plain proxies that are free until the next load, by shape.",
    labelNames: ["shape"],
    registers,
    collect() {
      for (const [shape, count] of measures.freeSlots()) this.set({ shape }, count);
    },
  });
  const isExtra = tenantLabel !== undefined && !proxyLabels.includes(tenantLabel);
  const labelNames = isExtra ? [tenantLabel, ...proxyLabels] : [...proxyLabels];
  new Gauge({
    name: "platform_gateway_memory_bytes",
    help: "Memory that HAProxy needs for a project's gateways, as estimated.",
    labelNames: isExtra ? [tenantLabel, "project"] : ["project"],
    registers,
    collect() {
      this.reset();
      for (const [project, bytes] of measures.bytesByProject()) {
        this.set(isExtra ? { [tenantLabel]: project, project } : { project }, bytes);
      }
    },
  });
  let scrape: ReturnType<GatewayMeasures["traffic"]> | undefined;
  // One scrape asks HAProxy once, whatever the number of metrics.
  const measured = (): ReturnType<GatewayMeasures["traffic"]> => {
    scrape ??= measures.traffic().finally(() => {
      scrape = undefined;
    });
    return scrape;
  };
  const labelsOf = ({ plane, namespace, name }: RouteProgram): Record<string, string> => {
    const labels = { project: plane.name, namespace, gateway: name };
    return isExtra ? { [tenantLabel]: plane.name, ...labels } : labels;
  };
  new Counter({
    name: "platform_gateway_requests_total",
    help: "Requests to a gateway, by the class of the response's status.",
    labelNames: [...labelNames, "code"],
    registers,
    async collect() {
      const all = await measured();
      this.reset();
      for (const [program, { responses }] of all) {
        const labels = labelsOf(program);
        for (const code of responseClasses) this.inc({ ...labels, code }, responses[code]);
      }
    },
  });
  for (const { type: Metric, name, help, read } of trafficMetrics) {
    new Metric({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const all = await measured();
        this.reset();
        for (const [program, traffic] of all) {
          if (this instanceof Counter) this.inc(labelsOf(program), read(traffic));
          else (this as Gauge).set(labelsOf(program), read(traffic));
        }
      },
    });
  }
  return registry;
}

const proxyLabels = ["project", "namespace", "gateway"];

const trafficMetrics = [
  {
    type: Counter,
    name: "platform_gateway_received_bytes_total",
    help: "Bytes of requests to a gateway.",
    read: ({ receivedBytes }: Traffic) => receivedBytes,
  },
  {
    type: Counter,
    name: "platform_gateway_sent_bytes_total",
    help: "Bytes of a gateway's responses.",
    read: ({ sentBytes }: Traffic) => sentBytes,
  },
  {
    type: Gauge,
    name: "platform_gateway_open_requests",
    help: "Requests to a gateway that have no complete response yet.",
    read: ({ open }: Traffic) => open,
  },
  {
    type: Gauge,
    name: "platform_gateway_response_seconds",
    help: "Average time of a gateway's last 1,024 requests.",
    read: ({ averageSeconds }: Traffic) => averageSeconds,
  },
] as const;
