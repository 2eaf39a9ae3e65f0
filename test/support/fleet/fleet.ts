import { randomUUID } from "node:crypto";
import { systemClock } from "../../../src/base/core/clock.ts";
import type { RedisConnections } from "../../../src/base/redis/redis.ts";
import { RedisState, type RedisStateOptions } from "../../../src/exporter/delivery/fleet/redis-state.ts";
import {
  type SinkLease,
  type SinkLeaseOutcome,
  takeSinkLease,
} from "../../../src/exporter/delivery/fleet/sink-lease.ts";
import type { StateStore } from "../../../src/exporter/delivery/state/sink-state.ts";
import { SinkStates } from "../../../src/exporter/delivery/state/sink-states.ts";
import { until } from "../until.ts";

/** One replica's view of the shared state, for tests without a schedule. */
export class StateReplica {
  readonly name = randomUUID();
  readonly mirror: SinkStates;
  readonly state: RedisState;
  readonly leases = new Map<string, SinkLease>();

  constructor(redis: RedisConnections, options: Partial<RedisStateOptions> = {}) {
    this.mirror = options.mirror ?? new SinkStates();
    this.state = new RedisState({ redis, mirror: this.mirror, clock: systemClock, ...options });
  }

  async ready(): Promise<this> {
    await until("Redis responses", async () => (await this.state.connection.ping()) === "PONG");
    return this;
  }

  take(sink: string, respectBackoff = true): Promise<SinkLeaseOutcome> {
    return takeSinkLease(sink, {
      redis: this.state.connection,
      clock: systemClock,
      replica: this.name,
      respectBackoff,
    });
  }

  /** Acquires the sink's lease and begins it; existing state remains. */
  async begin(sink: string, reported?: ReadonlyMap<string, number>): Promise<SinkLease> {
    const present = this.leases.get(sink);
    if (present !== undefined) return present;
    const outcome = await this.take(sink);
    if (outcome.kind !== "taken") throw new Error(`the lease is ${outcome.kind}`);
    this.leases.set(sink, outcome.lease);
    await this.state.begin(outcome.lease, reported);
    return outcome.lease;
  }

  async end(sink: string): Promise<void> {
    const lease = this.leases.get(sink);
    this.leases.delete(sink);
    if (lease === undefined) return;
    this.state.end(lease);
    await lease.release(undefined);
  }

  async close(): Promise<void> {
    for (const sink of [...this.leases.keys()]) await this.end(sink);
    this.state.close();
  }
}

/** A store that acquires a sink's lease on first use, for test suites without leases. */
export function storeOfItsOwnLeases(replica: StateReplica): StateStore {
  const { state } = replica;
  return {
    load: async (sink) => {
      await replica.begin(sink);
      return state.load(sink);
    },
    setCheckpoint: async (sink, ...rest) => {
      await replica.begin(sink);
      await state.setCheckpoint(sink, ...rest);
    },
    note: async (sink, ...rest) => {
      await replica.begin(sink);
      await state.note(sink, ...rest);
    },
    setReceiver: async (sink, ...rest) => {
      await replica.begin(sink);
      await state.setReceiver(sink, ...rest);
    },
    openWindow: async (sink, ...rest) => {
      await replica.begin(sink);
      return state.openWindow(sink, ...rest);
    },
    requestSent: (...args) => state.requestSent(...args),
    requestAcknowledged: (...args) => state.requestAcknowledged(...args),
    requestReturned: (...args) => state.requestReturned(...args),
    closeSources: (...args) => state.closeSources(...args),
    dropWindow: (...args) => state.dropWindow(...args),
    dropSource: async (sink, source) => {
      await replica.begin(sink);
      await state.dropSource(sink, source);
    },
    sinks: () => state.sinks(),
    forget: async (sink) => {
      await replica.end(sink);
      await state.forget(sink);
    },
  };
}
