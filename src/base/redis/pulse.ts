import type { Clock } from "../core/clock.ts";
import { logErrors, runLoop } from "../core/loop.ts";
import type { Logger } from "../log/log.ts";

/** Redis does not respond. */
export interface RedisOutage {
  /** One sentence. */
  readonly reason: string;
  /** When it was noticed: wall-clock time, ms. */
  readonly sinceMs: number;
}

/**
 * From a reply to the next ping, and from the begin of one that failed: at once without a connection, else
 * after the connection's command timeout, which is as long.
 */
const pauseMs = 500;
/** A single slow reply is no outage: Redis forks, or runs a long script. */
const failuresOfOutage = 2;

/** Whether Redis responds, by its replies to pings: an outage is noticed, and its end too, within 1.5 s. */
export class RedisPulse {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #onOutage: () => void;
  readonly #onReply: (ms: number) => void;
  #failures = 0;
  #outage: RedisOutage | undefined;

  /**
   * @param onOutage called once at the beginning of each outage
   * @param onReply called with the time that a ping took
   */
  constructor(
    clock: Clock,
    log: Logger,
    onOutage: () => void,
    onReply: (ms: number) => void = () => undefined,
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#onOutage = onOutage;
    this.#onReply = onReply;
  }

  /** Undefined while Redis responds, and before the first pings. */
  outage(): RedisOutage | undefined {
    return this.#outage;
  }

  /** @param connection with a command timeout, and without an offline queue */
  async run(connection: { ping(): Promise<unknown> }, signal: AbortSignal): Promise<void> {
    const tick = async (): Promise<number> => {
      const startMs = this.#clock.monotonicMs();
      const isResponding = await connection.ping().then(
        () => true,
        () => false,
      );
      const tookMs = this.#clock.monotonicMs() - startMs;
      if (isResponding) this.#onReply(tookMs);
      this.#note(isResponding);
      return isResponding ? pauseMs : Math.max(0, pauseMs - tookMs);
    };
    const onError = logErrors("redis pulse", this.#log);
    await runLoop(tick, { clock: this.#clock, pauseAfterErrorMs: pauseMs, onError }, signal);
  }

  #note(isResponding: boolean): void {
    this.#failures = isResponding ? 0 : this.#failures + 1;
    if (isResponding) this.#outage = undefined;
    if (this.#failures < failuresOfOutage || this.#outage !== undefined) return;
    this.#outage = { reason: "Redis does not respond", sinceMs: this.#clock.nowMs() };
    this.#onOutage();
  }
}
