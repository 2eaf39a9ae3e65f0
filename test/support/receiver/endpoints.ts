import { systemClock } from "../../../src/base/core/clock.ts";
import { silentLogger } from "../../../src/base/log/log.ts";
import type { Destination, EndpointRequest } from "../../../src/exporter/remote-write/destination.ts";
import { Endpoints, type EndpointsConfig } from "../../../src/exporter/remote-write/endpoints.ts";
import { RemoteWriteMetrics } from "../../../src/exporter/remote-write/send/metrics.ts";
import { never } from "./requests.ts";

/** Endpoints as a daemon has them, with the default rules. */
export function openEndpoints(
  config: Partial<EndpointsConfig> = {},
  deps: Partial<ConstructorParameters<typeof Endpoints>[1]> = {},
): Endpoints {
  const egress = { deny: [], allow: [], trustProxy: false };
  return new Endpoints(
    { endpoints: [], protocol: "1.0", egress, ...config },
    {
      ...{ clock: systemClock, random: Math.random, log: silentLogger },
      ...{ metrics: new RemoteWriteMetrics(), userAgent: "telemetryd/0.0.0", ...deps },
    },
  );
}

/** Where an operator's sink without a login sends to, once. @throws an Error for an endpoint that is invalid */
export function destinationAt(
  endpoints: Endpoints,
  endpoint: string,
  request: Partial<EndpointRequest> = {},
): Destination {
  const destination = endpoints.destinationOf({
    ...{ endpoint, scope: "operator", tenant: "project", retry: { maxAttempts: 1, backoffMs: 10 } },
    ...{ credentials: () => undefined, interrupt: () => never, ...request },
  });
  if (destination.kind === "invalid") throw new Error(destination.message);
  return destination;
}
