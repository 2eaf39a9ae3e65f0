const slotMs = 10_000;
const shownSlots = 60;
/** One more than is shown: the slot that is still filling is kept but not shown, or every line would end in a dip. */
const keptSlots = shownSlots + 1;

/**
 * How much was counted in each ten seconds of the last ten minutes, in fixed memory. Time is monotonic (ms) and never
 * goes back.
 */
export class Sparkline {
  readonly #counts = new Float64Array(keptSlots);
  /** The slot that is filling; the ring holds it and the `shownSlots` before it. */
  #newestSlot: number;

  constructor(monotonicMs: number) {
    this.#newestSlot = Math.floor(monotonicMs / slotMs);
  }

  add(amount: number, monotonicMs: number): void {
    this.#advance(monotonicMs);
    const index = this.#newestSlot % keptSlots;
    this.#counts[index] = (this.#counts[index] ?? 0) + amount;
  }

  /** The amounts of the last 60 whole slots, newest last. */
  points(monotonicMs: number): number[] {
    this.#advance(monotonicMs);
    return Array.from(
      { length: shownSlots },
      (_, index) => this.#counts[(this.#newestSlot + 1 + index) % keptSlots] ?? 0,
    );
  }

  #advance(monotonicMs: number): void {
    const slot = Math.floor(monotonicMs / slotMs);
    const passed = Math.min(slot - this.#newestSlot, keptSlots);
    for (let step = 0; step < passed; step++) this.#counts[(slot - step) % keptSlots] = 0;
    this.#newestSlot = Math.max(this.#newestSlot, slot);
  }
}
