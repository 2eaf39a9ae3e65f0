import type { Clock } from "../../../base/core/clock.ts";
import { Sparkline } from "../../../base/core/sparkline.ts";
import type { RedisConnection } from "../../../base/redis/connection.ts";
import { countField, fleetKeys, stateFields } from "./keys.ts";
import { countNames, mapCounts, parseReport, type SinkCounts, type SinkReport } from "./sink-report.ts";

/** A sink as reported across the whole fleet. */
export interface FleetSink {
  readonly report: SinkReport;
  readonly counts: SinkCounts;
  /** Over all replicas, as far as this one has received their reports. */
  readonly sparkline: Sparkline;
}

interface Followed {
  known: Omit<FleetSink, "sparkline"> | undefined;
  readonly sparkline: Sparkline;
}

/** Number of reports requested at a time. */
const batchSize = 50;

/**
 * The reports of all replicas about the sinks, so that any replica can show all of them. Reports arrive at
 * the end of each cycle, and are read from Redis when a message may have been missed. They are informational:
 * no decision depends on them.
 */
export class FleetReports {
  /** This replica's name in its own reports. */
  readonly replica: string;
  readonly #clock: Clock;
  readonly #followed = new Map<string, Followed>();
  readonly #unread = new Set<string>();

  /** @param replica unique; without a space */
  constructor(replica: string, clock: Clock) {
    this.replica = replica;
    this.#clock = clock;
  }

  follow(sink: string): void {
    const sparkline = new Sparkline(this.#clock.monotonicMs());
    this.#followed.set(sink, { known: undefined, sparkline });
    this.#unread.add(sink);
  }

  unfollow(sink: string): void {
    this.#followed.delete(sink);
    this.#unread.delete(sink);
  }

  /** Call when messages may have been lost. */
  missed(): void {
    for (const sink of this.#followed.keys()) this.#unread.add(sink);
  }

  /** Undefined until a replica has run the sink. */
  get(sink: string): FleetSink | undefined {
    const followed = this.#followed.get(sink);
    return followed?.known && { ...followed.known, sparkline: followed.sparkline };
  }

  /** Handles a message of the channel `fleetKeys.reported`; see the script `releaseLease`. */
  receive(message: string): void {
    const [sink = "", ...rest] = message.split("\n");
    const followed = this.#followed.get(sink);
    const report = parseReport(rest.at(-1));
    if (followed === undefined || report === undefined) return;
    this.#learn(followed, report, rest);
  }

  /** Reads missed reports. @throws whatever Redis rejects with; unread reports are read the next time */
  async catchUp(redis: RedisConnection): Promise<void> {
    const sinks = [...this.#unread];
    for (let start = 0; start < sinks.length; start += batchSize) {
      await Promise.all(sinks.slice(start, start + batchSize).map((sink) => this.#read(sink, redis)));
    }
  }

  async #read(sink: string, redis: RedisConnection): Promise<void> {
    const followed = this.#followed.get(sink);
    if (followed === undefined) return;
    const before = followed.known;
    const fields = [...countNames.map(countField), stateFields.report];
    const reply = await redis.hmget(fleetKeys.state(sink), ...fields);
    this.#unread.delete(sink);
    const report = parseReport(reply.at(-1));
    // A report received in the meantime is newer.
    if (report !== undefined && followed.known === before) this.#learn(followed, report, reply);
  }

  #learn(followed: Followed, report: SinkReport, numbers: readonly (string | null)[]): void {
    const counts = mapCounts((name) => Number(numbers[countNames.indexOf(name)] ?? 0) || 0);
    const delivered = counts.delivered - (followed.known?.counts.delivered ?? counts.delivered);
    if (delivered > 0) followed.sparkline.add(delivered, this.#clock.monotonicMs());
    followed.known = { report, counts };
  }
}
