import { randomInt } from "node:crypto";
import type { Clock } from "../../../base/core/clock.ts";
import type { RedisConnection } from "../../../base/redis/connection.ts";
import { FencedError, type LeaseArgument } from "../../../base/redis/lease.ts";
import type { RedisConnections } from "../../../base/redis/redis.ts";
import { runScript } from "../../../base/redis/run-script.ts";
import type { RequestEntries } from "../state/request-entries.ts";
import {
  keepForgottenMs,
  type OpenWindow,
  type SinkState,
  type StateStore,
  type WindowBounds,
} from "../state/sink-state.ts";
import { SinkStates } from "../state/sink-states.ts";
import { sinkOfKey } from "../state/state-keys.ts";
import type { StateRecord } from "../state/state-record.ts";
import { fleetKeys } from "./keys.ts";
import { mergeStates, recordsBetween } from "./merge-states.ts";
import * as scripts from "./scripts.ts";
import type { SinkLease } from "./sink-lease.ts";
import { changesOf, type StateChanges, stateOf, windowIds } from "./state-changes.ts";

/** A write that Redis does not accept is retried for this long, while the lease lasts. */
const writeLimitMs = 5_000;
const writePauseMs = 100;

export interface RedisStateOptions {
  readonly redis: RedisConnections;
  /** This replica's own copy of its writes, in its state directory: the second source of a sink's state. */
  readonly mirror: SinkStates;
  /** `forget` removes sinks that no replica has run for this long. */
  readonly forgetAfterMs?: number;
  readonly clock: Clock;
}

/** A sink whose lease this replica holds. */
interface Session {
  readonly lease: SinkLease;
  /**
   * State in Redis, by key of the state store (the sink's, and those beside it). Only this replica may write
   * it.
   */
  readonly states: Map<string, Promise<SinkStates>>;
}

/**
 * The state of all sinks in Redis, shared by replicas. A sink can be read and written between `begin` and
 * `end`, under its lease. Every write presents the lease's fence, and fails with a FencedError once another
 * replica has taken over.
 *
 * Writes also go to the mirror. `begin` merges Redis, the mirror and the status, newest first, and writes the
 * result back, so a wiped Redis causes no gap.
 */
export class RedisState implements StateStore {
  readonly #options: RedisStateOptions;
  readonly #sessions = new Map<string, Session>();
  #connection: RedisConnection | undefined;

  constructor(options: RedisStateOptions) {
    this.#options = options;
  }

  get connection(): RedisConnection {
    this.#connection ??= this.#options.redis.open("command", "export-state");
    return this.#connection;
  }

  close(): void {
    this.#connection?.disconnect();
    this.#connection = undefined;
  }

  /**
   * Merges the sink's state from its three sources.
   *
   * @param reported the third source: the checkpoints in the policy's status (Unix ms), by source
   * @throws FencedError; whatever Redis rejects with
   */
  async begin(lease: SinkLease, reported: ReadonlyMap<string, number> = new Map()): Promise<void> {
    const { sink, fields } = lease;
    const state = await this.#open(sink, fields, reported, lease);
    this.#sessions.set(sink, { lease, states: new Map([[sink, Promise.resolve(state)]]) });
  }

  end(lease: SinkLease): void {
    if (this.#sessions.get(lease.sink)?.lease === lease) this.#sessions.delete(lease.sink);
  }

  /** Merges the states of Redis and the mirror into both, and keeps them equal from then on. */
  async #open(
    key: string,
    fields: ReadonlyMap<string, string>,
    reported: ReadonlyMap<string, number>,
    lease: SinkLease,
  ): Promise<SinkStates> {
    const { mirror } = this.#options;
    const shared = await this.#stateOf(key, fields);
    const mirrored = await mirror.load(key);
    const state = mergeStates(shared, mirrored, reported);
    let isOpen = false;
    let isListed = shared.checkpoints.size + shared.windows.length + (shared.notes?.size ?? 0) > 0;
    const write = async (record: StateRecord, window: OpenWindow | undefined): Promise<void> => {
      if (!isListed) await this.connection.sadd(fleetKeys.sinks, key);
      isListed = true;
      const mirroring = isOpen ? mirror.record(record) : undefined;
      await this.#write(key, lease, changesOf(record, window));
      await mirroring;
    };
    // Random, so that windows of different sinks and replicas can share one mirror.
    const memory = new SinkStates(write, randomInt(2 ** 47));
    for (const record of recordsBetween(key, nothing, shared)) memory.apply(record);
    for (const record of recordsBetween(key, mirrored, state)) await mirror.record(record);
    for (const record of recordsBetween(key, shared, state)) await memory.record(record);
    isOpen = true;
    return memory;
  }

  async load(sink: string): Promise<SinkState> {
    return (await this.#state(sink)).load(sink);
  }

  async setCheckpoint(sink: string, source: string, checkpointMs: number): Promise<void> {
    await (await this.#state(sink)).setCheckpoint(sink, source, checkpointMs);
  }

  async note(sink: string, name: string, ms: number): Promise<void> {
    await (await this.#state(sink)).note(sink, name, ms);
  }

  async setReceiver(sink: string, text: string): Promise<void> {
    await (await this.#state(sink)).setReceiver(sink, text);
  }

  async openWindow(sink: string, window: WindowBounds, sources: readonly string[]): Promise<OpenWindow> {
    return (await this.#state(sink)).openWindow(sink, window, sources);
  }

  async requestSent(window: OpenWindow, entries: RequestEntries): Promise<number> {
    return (await this.#state(window.sink)).requestSent(window, entries);
  }

  async requestAcknowledged(window: OpenWindow, number: number): Promise<void> {
    await (await this.#state(window.sink)).requestAcknowledged(window, number);
  }

  async requestReturned(window: OpenWindow, number: number): Promise<void> {
    await (await this.#state(window.sink)).requestReturned(window, number);
  }

  async closeSources(window: OpenWindow, sources: readonly string[]): Promise<void> {
    await (await this.#state(window.sink)).closeSources(window, sources);
  }

  async dropWindow(window: OpenWindow): Promise<void> {
    await (await this.#state(window.sink)).dropWindow(window);
  }

  /** The sinks in Redis and in the mirror. */
  async sinks(): Promise<readonly string[]> {
    const shared = await this.connection.smembers(fleetKeys.sinks);
    return [...new Set([...shared, ...(await this.#options.mirror.sinks())])];
  }

  async dropSource(sink: string, source: string): Promise<void> {
    await (await this.#state(sink)).dropSource(sink, source);
  }

  /** In Redis, removes only state unused for `forgetAfterMs`: another replica may still have the policy. */
  async forget(key: string): Promise<void> {
    const sink = sinkOfKey(key);
    const session = this.#sessions.get(sink);
    if (session !== undefined) return this.#forgetOwn(key, session);
    const fields = await this.#fields(key);
    const journals = windowIds(fields).map((id) => fleetKeys.journal(key, id));
    const stored = [fleetKeys.state(key), fleetKeys.sent(sink), ...journals];
    const keys = [fleetKeys.state(sink), fleetKeys.lease(sink), ...stored];
    const afterMs = this.#options.forgetAfterMs ?? keepForgottenMs;
    const reply = await runScript(this.connection, scripts.forgetState, keys, [afterMs]);
    if (reply === 1) await this.connection.srem(fleetKeys.sinks, key);
    await this.#options.mirror.forget(key);
  }

  /** Forgets a key stored beside a sink whose lease this replica holds. */
  async #forgetOwn(key: string, session: Session): Promise<void> {
    const state = await this.#state(key);
    for (const window of (await state.load(key)).windows) await state.dropWindow(window);
    session.states.delete(key);
    await this.#options.mirror.forget(key);
  }

  /**
   * Copies newer state from Redis to the mirror, for a daemon that continues without the fleet.
   *
   * @returns the sinks that had newer state in Redis
   */
  async handOver(): Promise<readonly string[]> {
    const { mirror } = this.#options;
    const changed = new Set<string>();
    for (const key of await this.connection.smembers(fleetKeys.sinks)) {
      const mirrored = await mirror.load(key);
      const state = mergeStates(await this.#stateOf(key, await this.#fields(key)), mirrored);
      for (const record of recordsBetween(key, mirrored, state)) {
        await mirror.record(record);
        changed.add(sinkOfKey(key));
      }
    }
    return [...changed];
  }

  /** @throws FencedError when `begin` was not called for the sink */
  #sessionOf(sink: string): Session {
    const session = this.#sessions.get(sink);
    if (session === undefined) throw new FencedError(`the lease of ${sink} is not held here`);
    return session;
  }

  async #state(key: string): Promise<SinkStates> {
    const session = this.#sessionOf(sinkOfKey(key));
    let state = session.states.get(key);
    if (state === undefined) {
      state = this.#fields(key).then((fields) => this.#open(key, fields, new Map(), session.lease));
      session.states.set(key, state);
    }
    return state;
  }

  async #fields(key: string): Promise<ReadonlyMap<string, string>> {
    return new Map(Object.entries(await this.connection.hgetall(fleetKeys.state(key))));
  }

  async #stateOf(key: string, fields: ReadonlyMap<string, string>): Promise<SinkState> {
    const ids = windowIds(fields);
    const journals = await Promise.all(
      ids.map((id) => this.connection.lrangeBuffer(fleetKeys.journal(key, id), 0, -1)),
    );
    return stateOf(key, fields, new Map(ids.map((id, index) => [id, journals[index] ?? []])));
  }

  async #write(key: string, lease: SinkLease, changes: StateChanges): Promise<void> {
    const { set, remove, journals } = changes;
    if (set.size + remove.length + journals.size === 0) return;
    const keys = [fleetKeys.state(key)];
    const args: LeaseArgument[] = [set.size, ...[...set].flat(), remove.length, ...remove];
    for (const [id, entries] of journals) {
      keys.push(fleetKeys.journal(key, id));
      if (entries === "gone") args.push(-1);
      else args.push(entries.length, ...entries);
    }
    await this.#run(lease, scripts.writeState, keys, args);
  }

  /**
   * Runs a script that writes under the lease of a sink. Retries while Redis is unavailable and the lease
   * lasts, so a script may run twice: acknowledged samples should not be sent again.
   *
   * @returns what the script does
   * @throws FencedError; whatever Redis rejects with
   */
  async write(
    sink: string,
    script: string,
    keys: readonly string[],
    args: readonly LeaseArgument[],
  ): Promise<unknown> {
    return this.#run(this.#sessionOf(sink).lease, script, keys, args);
  }

  async #run(
    lease: SinkLease,
    script: string,
    keys: readonly string[],
    args: readonly LeaseArgument[],
  ): Promise<unknown> {
    const { clock } = this.#options;
    const untilMs = clock.monotonicMs() + writeLimitMs;
    for (;;) {
      lease.signal.throwIfAborted();
      try {
        const reply = await lease.run(script, keys, args);
        if (reply !== 0) return reply;
        throw new FencedError(`another replica has taken ${lease.sink}; nothing is written`);
      } catch (error) {
        if (error instanceof FencedError || clock.monotonicMs() > untilMs) throw error;
        await clock.sleep(writePauseMs, lease.signal);
      }
    }
  }
}

const nothing: SinkState = { checkpoints: new Map(), windows: [] };
