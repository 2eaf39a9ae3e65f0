import { Gauge, Registry } from "prom-client";
import type { BearerSnapshot } from "./api/token-provider.ts";

/** Metrics of the control plane's credentials, read at scrape time. */
export function createControlPlaneRegistry(bearer: () => BearerSnapshot): Registry {
  const registry = new Registry();
  new Gauge({
    name: "telemetryd_control_plane_token_failing",
    help: "1 while the access token cannot be exchanged for a bearer token.",
    registers: [registry],
    collect() {
      this.set(Number(bearer().state === "failing"));
    },
  });
  new Gauge({
    name: "telemetryd_control_plane_token_renewal_timestamp_seconds",
    help: "When the bearer token is due to be renewed (Unix time); absent while there is none.",
    registers: [registry],
    collect() {
      this.reset();
      const { renewAt } = bearer();
      if (renewAt === undefined) this.remove();
      else this.set(Date.parse(renewAt) / 1_000);
    },
  });
  return registry;
}
