import type { Clock } from "../../base/core/clock.ts";
import type { Service } from "../../base/core/service.ts";
import type { Logger } from "../../base/log/log.ts";
import { StoreClient } from "../../exporter/metrics-store/client/store-client.ts";
import type { StoreFlavor } from "../../exporter/metrics-store/client/store-settings.ts";
import type { ReadLimits } from "../../exporter/metrics-store/read-limits.ts";
import { MetricMetadataCache } from "../../exporter/metrics-store/samples/metric-metadata.ts";
import { type NoStore, type SinkStore, sinkStoreOf } from "../../exporter/metrics-store/sink-store.ts";
import { StoreReader } from "../../exporter/metrics-store/store-reader.ts";
import { TenantStores } from "../../exporter/metrics-store/tenant-stores.ts";
import type { SinkPlan } from "../../exporter/policy/spec/types.ts";
import type { MetricsConfig } from "../config/schema.ts";

export interface StoresOptions {
  readonly metrics: MetricsConfig;
  readonly limits: ReadLimits;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The metrics store as sinks read it: one for all, or one per tenant (`metrics.tenancy`). */
export interface Stores {
  storeOf(plan: Pick<SinkPlan, "tenant">): SinkStore | NoStore;
  /** Of the last store that has responded. */
  knownFlavor(): StoreFlavor | undefined;
  /** What is wrong with the store although it can be read: a sentence each. */
  warnings(): readonly string[];
  readonly services: readonly Service[];
  close(): void;
}

export function createStores(options: StoresOptions): Stores {
  return options.metrics.tenancy === "label" ? oneStore(options) : storesOfTenants(options);
}

function oneStore({ metrics, limits, clock, log }: StoresOptions): Stores {
  const client = new StoreClient(metrics, { clock });
  const metadata = new MetricMetadataCache({ client, clock, log });
  const reader = new StoreReader({ client, limits, log, clock });
  const store = sinkStoreOf(reader, metadata);
  return {
    storeOf: () => store,
    knownFlavor: () => client.knownFlavor(),
    warnings: () => reader.warnings(),
    services: [metadata],
    close: () => client.close(),
  };
}

function storesOfTenants({ metrics: settings, ...options }: StoresOptions): Stores {
  const stores = new TenantStores({ settings, ...options });
  const unknown = "the tenant in the metrics store is not known";
  return {
    storeOf: ({ tenant }) =>
      tenant?.kind === "tenant"
        ? stores.of(tenant.id)
        : { kind: "none", message: tenant?.message ?? unknown },
    knownFlavor: () => stores.knownFlavor(),
    warnings: () => stores.warnings(),
    services: [stores],
    close: () => stores.close(),
  };
}
