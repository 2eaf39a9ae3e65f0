const slotMs = 10_000;
const shownSlots = 60;
/** One more than is shown: the slot that is still filling is kept but not shown, or every line would end in a dip. */
const keptSlots = shownSlots + 1;

/**
 * How much was counted in each ten seconds of the last ten minutes, in fixed memory. Amounts are whole numbers, less than
 * 2^32 in ten seconds. Time is monotonic (ms) and never goes back.
 */
export class Sparkline {
  readonly #room: Room = takeRoom();
  /** The slot that is filling; the ring holds it and the `shownSlots` before it. */
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

  /** The amounts of the last 60 whole slots, newest last. */
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

/** `keptSlots` counts from `start` on, all 0. */
interface Room {
  readonly counts: Uint32Array;
  readonly start: number;
}

const sparklinesInSlab = 16;
let slab = new Uint32Array(0);
let slabUsed = 0;

/**
 * Room in an array that a few sparklines share: one for each would be three objects and an allocation outside of the heap,
 * together more than the counts (bench/small-policies.ts). An array goes when the last of its sparklines does.
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
