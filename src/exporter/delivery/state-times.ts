/** A state whose beginning counts: its name, and the status of the condition `Delivering` that belongs to it. */
export interface TimedState {
  readonly status: string;
  readonly reason: string;
  /** The endpoint must not be sent to. */
  readonly isForbidden: boolean;
}

/** When a state began. Unix ms. */
export interface StateSince {
  readonly reasonMs: number;
  readonly statusMs: number;
  /** When the endpoint became forbidden, or allowed again; 0 if neither has happened. */
  readonly targetMs: number;
}

/** Looks up when a sink's present state began. */
export interface KnownTimes {
  since(state: TimedState): StateSince;
}

/**
 * When the states of a sink began. Only its exporter notes them, whenever something happens to it: the times
 * do not depend on who looks at the sink, or when. A state that time alone has brought about counts from what
 * happened last before it.
 */
export class StateTimes implements KnownTimes {
  #state: TimedState;
  #since: StateSince;
  /** When something happened last. */
  #atMs: number;

  constructor(state: TimedState, nowMs: number) {
    this.#state = state;
    this.#since = { reasonMs: nowMs, statusMs: nowMs, targetMs: 0 };
    this.#atMs = nowMs;
  }

  /** Call before something happens: the state until then. */
  settle(state: TimedState, nowMs: number): void {
    this.#note(state, this.#atMs);
    this.#atMs = nowMs;
  }

  /** Call after something has happened: the state from now on. */
  note(state: TimedState, nowMs: number): void {
    this.#note(state, nowMs);
    this.#atMs = nowMs;
  }

  since(state: TimedState): StateSince {
    return this.#next(state, this.#atMs);
  }

  #note(state: TimedState, sinceMs: number): void {
    const since = this.#next(state, sinceMs);
    if (since === this.#since) return;
    this.#since = since;
    const { status, reason, isForbidden } = state;
    this.#state = { status, reason, isForbidden };
  }

  #next({ status, reason, isForbidden }: TimedState, sinceMs: number): StateSince {
    const before = this.#state;
    const { reasonMs, statusMs, targetMs } = this.#since;
    const isSame = before.status === status && before.reason === reason && before.isForbidden === isForbidden;
    // Most often nothing has changed, and a new object for each sink would lengthen every garbage collection.
    if (isSame) return this.#since;
    return {
      reasonMs: before.reason === reason ? reasonMs : sinceMs,
      statusMs: before.status === status ? statusMs : sinceMs,
      targetMs: before.isForbidden === isForbidden ? targetMs : sinceMs,
    };
  }
}
