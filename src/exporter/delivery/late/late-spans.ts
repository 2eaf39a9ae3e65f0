import type { PlannedWindow } from "../state/planned-window.ts";

/** The spans of one sink that are to be read again for late samples, oldest first. */
export class LateSpans {
  #planned: PlannedWindow[] = [];
  /** They could not be read, or nothing of them could be sent. */
  #waiting: PlannedWindow[] = [];
  /** The one that was handed out last, until its reading has ended. */
  #running: PlannedWindow | undefined;

  /** The sources of all spans. */
  sources(): string[] {
    const running = this.#running === undefined ? [] : [this.#running];
    return [...this.#planned, ...this.#waiting, ...running].flatMap(({ sources }) => sources);
  }

  /** Removes the spans of these sources. */
  drop(edited: ReadonlySet<string>): void {
    const isCurrent = ({ sources }: PlannedWindow) => !sources.some((name) => edited.has(name));
    this.#planned = this.#planned.filter(isCurrent);
    this.#waiting = this.#waiting.filter(isCurrent);
    if (this.#running !== undefined && !isCurrent(this.#running)) this.#running = undefined;
  }

  /** The oldest span of other sources than these; it runs from now on. */
  next(failed: ReadonlySet<string>): PlannedWindow | undefined {
    const index = this.#planned.findIndex(({ sources }) => !sources.some((name) => failed.has(name)));
    if (index === -1) return undefined;
    [this.#running] = this.#planned.splice(index, 1);
    return this.#running;
  }

  /** The reading of a span has come to its end. */
  ended(span: PlannedWindow): void {
    if (this.#running === span) this.#running = undefined;
  }

  /** Puts back the span whose reading did not come to its end. @param isNext otherwise it waits for a check */
  async putBack(isNext: () => Promise<boolean>): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    if (await isNext()) this.#planned.unshift(running);
    else this.#waiting.push(running);
  }

  /** A check begins: those that wait are planned, and those that had ended by `oldestMs` are forgotten. */
  beginCheck(oldestMs: number): void {
    const planned = [...this.#planned, ...this.#waiting].filter(({ toMs }) => toMs > oldestMs);
    this.#planned = planned.sort(byTime);
    this.#waiting = [];
  }

  /** A check of a source has found these spans; it has found again what is missing from `fromMs` on. */
  found(name: string, fromMs: number, spans: readonly PlannedWindow[]): void {
    const known = this.#planned.filter(
      ({ sources, ...span }) => !sources.includes(name) || span.fromMs < fromMs,
    );
    this.#planned = [...known, ...spans].sort(byTime);
  }
}

function byTime(a: PlannedWindow, b: PlannedWindow): number {
  return a.fromMs - b.fromMs;
}
