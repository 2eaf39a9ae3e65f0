import type { Clock } from "../../../base/core/clock.ts";
import type { ClaimMoment } from "./claim.ts";

interface Seen {
  readonly text: string | undefined;
  readonly sinceMs: number;
  readonly askedMs: number | undefined;
}

/** Since when claims are as they are, by this provider's own clock: clocks of different machines differ. */
export class ClaimWatch {
  readonly #clock: Clock;
  readonly #seen = new Map<string, Seen>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param text of the annotation as it is now */
  moment(location: string, text: string | undefined): ClaimMoment {
    const nowMs = this.#clock.monotonicMs();
    const before = this.#seen.get(location);
    const isSame = before !== undefined && before.text === text;
    const seen = { text, sinceMs: isSame ? before.sinceMs : nowMs, askedMs: before?.askedMs };
    this.#seen.set(location, seen);
    const askedMsAgo = seen.askedMs === undefined ? Number.POSITIVE_INFINITY : nowMs - seen.askedMs;
    return { unchangedMs: nowMs - seen.sinceMs, askedMsAgo };
  }

  asked(location: string): void {
    const seen = this.#seen.get(location);
    if (seen !== undefined) this.#seen.set(location, { ...seen, askedMs: this.#clock.monotonicMs() });
  }

  forget(location: string): void {
    this.#seen.delete(location);
  }
}
