import type { Clock } from "../../base/core/clock.ts";
import { logErrors, runLoop } from "../../base/core/loop.ts";
import type { Service } from "../../base/core/service.ts";
import type { Logger } from "../../base/log/log.ts";
import { StoreClient } from "./client/store-client.ts";
import type { StoreFlavor, StoreTimeouts } from "./client/store-settings.ts";
import type { ReadLimits } from "./read-limits.ts";
import { MetricMetadataCache } from "./samples/metric-metadata.ts";
import { type SinkStore, sinkStoreOf } from "./sink-store.ts";
import { StoreReader } from "./store-reader.ts";
import { settingsOfTenant, type TenancySettings } from "./tenant-settings.ts";

interface TenantStoresOptions {
  readonly settings: TenancySettings;
  readonly limits: ReadLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly timeouts?: Partial<StoreTimeouts>;
}

/** The store of one tenant, while it is used: nothing in it is another tenant's. */
interface OpenStore {
  readonly client: StoreClient;
  readonly reader: StoreReader;
  readonly store: SinkStore;
  readonly metadata: MetricMetadataCache;
  /** When its metadata was last looked after, and whether it is being fetched now. */
  metadataAtMs: number;
  isFetching: boolean;
  /** Requests in progress. */
  inUse: number;
  usedAtMs: number;
}

const lookEveryMs = 15_000;
/** Requests for metadata at once: each response takes memory. */
const metadataAtOnce = 8;
/** A store without requests for this long is closed; its tenant's next request opens it again. */
const idleMs = 15 * 60_000;

/**
 * The stores of a metrics store's own tenants (`metrics.tenancy: header | path`), one per tenant: each with
 * its own connections, flavor, clock, label cache and shared responses. They share only the limits of open
 * reads and of memory.
 *
 * States of a store: absent -> open, at its tenant's first request -> absent, when it was idle. Whoever holds
 * a {@link SinkStore} does not notice.
 */
export class TenantStores implements Service {
  readonly name = "tenants' stores";
  readonly #options: TenantStoresOptions;
  readonly #open = new Map<string, OpenStore>();
  #isClosed = false;

  constructor(options: TenantStoresOptions) {
    this.#options = options;
  }

  /** The store of a tenant, given by its valid ID: every request through it is the tenant's. */
  of(tenant: string): SinkStore {
    return {
      kind: "store",
      reader: {
        read: (request, consumer, signal) =>
          this.#use(tenant, ({ reader }) => reader.read(request, consumer, signal)),
        storeNowMs: () => this.#open.get(tenant)?.reader.storeNowMs(),
      },
      counter: {
        count: (request, signal) => this.#use(tenant, ({ reader }) => reader.counter.count(request, signal)),
      },
      dedupIntervalMs: () => this.#use(tenant, ({ reader }) => reader.dedupIntervalMs()),
      retentionMs: () => this.#open.get(tenant)?.reader.retentionMs(),
      probe: (signal) => this.#use(tenant, ({ store }) => store.probe(signal)),
      metadata: {
        version: () => this.#open.get(tenant)?.metadata.version() ?? 0,
        lookup: (metricName) => this.#open.get(tenant)?.metadata.lookup(metricName),
      },
    };
  }

  /** The flavor of the last store that has responded. */
  knownFlavor(): StoreFlavor | undefined {
    const flavors = [...this.#open.values()].map(({ client }) => client.knownFlavor());
    return flavors.findLast((flavor) => flavor !== undefined);
  }

  /** Of all open stores, each once. */
  warnings(): readonly string[] {
    return [...new Set([...this.#open.values()].flatMap(({ reader }) => reader.warnings()))];
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const onError = logErrors(this.name, log);
    const options = { clock, pauseAfterErrorMs: lookEveryMs, onError };
    await Promise.all([
      runLoop(() => this.closeIdle(), options, signal),
      // Each waits for one store at a time: one that hangs delays no other, while fewer hang than there are.
      ...Array.from({ length: metadataAtOnce }, () =>
        runLoop((turn) => this.#refreshMetadata(turn), options, signal),
      ),
    ]);
  }

  /** Closes stores that were not used for long. @returns ms until the next call */
  closeIdle(): number {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [tenant, open] of this.#open) {
      if (open.inUse > 0 || nowMs - open.usedAtMs < idleMs) continue;
      this.#open.delete(tenant);
      close(open);
    }
    return lookEveryMs;
  }

  /** Fetches the metadata where it is due, and nobody else does. @returns ms until the next call */
  async #refreshMetadata(signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    for (const open of [...this.#open.values()]) {
      if (open.isFetching || clock.monotonicMs() - open.metadataAtMs < lookEveryMs) continue;
      open.isFetching = true;
      open.metadataAtMs = clock.monotonicMs();
      try {
        await open.metadata.tick(signal);
      } finally {
        open.isFetching = false;
      }
    }
    return lookEveryMs;
  }

  /** Closes all connections, open reads included. May be called twice. */
  close(): void {
    this.#isClosed = true;
    for (const open of this.#open.values()) close(open);
    this.#open.clear();
  }

  async #use<T>(tenant: string, work: (open: OpenStore) => Promise<T>): Promise<T> {
    const { clock } = this.#options;
    const open = this.#openStore(tenant);
    open.inUse++;
    try {
      return await work(open);
    } finally {
      open.inUse--;
      open.usedAtMs = clock.monotonicMs();
    }
  }

  #openStore(tenant: string): OpenStore {
    const present = this.#open.get(tenant);
    if (present !== undefined) return present;
    const { settings, limits, clock, log, timeouts } = this.#options;
    const client = new StoreClient(settingsOfTenant(settings, tenant), {
      clock,
      ...(timeouts && { timeouts }),
    });
    const reader = new StoreReader({ client, limits, log, clock });
    const metadata = new MetricMetadataCache({ client, clock, log });
    const open: OpenStore = {
      client,
      reader,
      metadata,
      store: sinkStoreOf(reader, metadata),
      metadataAtMs: -Infinity,
      isFetching: false,
      inUse: 0,
      usedAtMs: clock.monotonicMs(),
    };
    if (this.#isClosed) close(open);
    else this.#open.set(tenant, open);
    return open;
  }
}

function close({ client, reader }: OpenStore): void {
  client.close();
  reader.close();
}
