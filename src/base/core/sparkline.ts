const slotMs = 10_000;
const shownSlots = 60;
/** One more than shown: the slot being filled is kept but hidden, or every line would end in a dip. */
const keptSlots = shownSlots + 1;

/**
 * Counts per ten seconds of the last ten minutes, in fixed memory. Amounts are integers below 2^32 per ten
 * seconds. Time is monotonic (ms).
 */
export class Sparkline {
  readonly #room: Room = takeRoom();
  /** The slot being filled; the ring holds it and the `shownSlots` before it. */
  #newestSlot: number;

  constructor(monotonicMs: number) {
    this.#newestSlot = Math.floor(monotonicMs / slotMs);
  }

  add(amount: number, monotonicMs: number): void {
    this.#advance(monotonicMs);
    const { counts, start } = this.#room;
    const index = start + (this.#newestSlot % keptSlots);
    counts[index] = (counts[index] ?? 0) + amount;
  }

  /** The amounts of the last 60 complete slots, newest last. */
  points(monotonicMs: number): number[] {
    this.#advance(monotonicMs);
    const { counts, start } = this.#room;
    return Array.from(
      { length: shownSlots },
      (_, index) => counts[start + ((this.#newestSlot + 1 + index) % keptSlots)] ?? 0,
    );
  }

  #advance(monotonicMs: number): void {
    const { counts, start } = this.#room;
    const slot = Math.floor(monotonicMs / slotMs);
    const passed = Math.min(slot - this.#newestSlot, keptSlots);
    for (let step = 0; step < passed; step++) counts[start + ((slot - step) % keptSlots)] = 0;
    this.#newestSlot = Math.max(this.#newestSlot, slot);
  }
}

/** `keptSlots` counts starting at `start`, all 0. */
interface Room {
  readonly counts: Uint32Array;
  readonly start: number;
}

const sparklinesInSlab = 16;
let slab = new Uint32Array(0);
let slabUsed = 0;

/**
 * Allocates from an array that a few sparklines share: one array each would cost more memory than the counts
 * themselves (bench/small-policies.ts). An array is freed with the last of its sparklines.
 */
function takeRoom(): Room {
  if (slabUsed === slab.length) {
    slab = new Uint32Array(sparklinesInSlab * keptSlots);
    slabUsed = 0;
  }
  const room = { counts: slab, start: slabUsed };
  slabUsed += keptSlots;
  return room;
}
