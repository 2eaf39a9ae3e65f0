import { createHash } from "node:crypto";

/** 198.18.0.0/15, for benchmarks of networks (RFC 2544): never somebody's. */
const base = 198 * 2 ** 24 + 18 * 2 ** 16;
const size = 2 ** 17;

/**
 * External addresses of emulated instances, unique among them. An address follows from the instance's uid
 * unless another instance has it: then it is the next free one.
 */
export class EmulatedAddresses {
  readonly #takenBy = new Map<number, string>();
  /** By uid: offsets in the range, by index of the attachment. */
  readonly #held = new Map<string, Map<number, number>>();

  /** @param reported the address it had before a restart, kept if it is free */
  of(uid: string, index: number, reported: string | undefined): string {
    const held = this.#held.get(uid) ?? new Map<number, number>();
    let offset = held.get(index);
    if (offset === undefined) {
      offset = this.#free(offsetOf(reported) ?? wanted(uid, index));
      this.#takenBy.set(offset, uid);
      this.#held.set(uid, held.set(index, offset));
    }
    return printed(offset);
  }

  release(uid: string): void {
    for (const offset of this.#held.get(uid)?.values() ?? []) this.#takenBy.delete(offset);
    this.#held.delete(uid);
  }

  #free(from: number): number {
    for (let step = 0; step < size; step++) {
      const offset = (from + step) % size;
      if (isHost(offset) && !this.#takenBy.has(offset)) return offset;
    }
    throw new RangeError("all emulated external addresses are taken");
  }
}

function wanted(uid: string, index: number): number {
  return createHash("sha256").update(`${uid}/${index}`).digest().readUInt32BE() % size;
}

/** Neither the range's own address nor its broadcast address. */
function isHost(offset: number): boolean {
  return offset > 0 && offset < size - 1;
}

function printed(offset: number): string {
  const address = base + offset;
  return [24, 16, 8, 0].map((bits) => Math.floor(address / 2 ** bits) % 256).join(".");
}

function offsetOf(address: string | undefined): number | undefined {
  const match = /^198\.(18|19)\.(\d{1,3})\.(\d{1,3})$/.exec(address ?? "");
  if (match === null) return undefined;
  const [high, middle, low] = match.slice(1).map(Number);
  const offset = ((high ?? 0) - 18) * 2 ** 16 + (middle ?? 0) * 2 ** 8 + (low ?? 0);
  return (middle ?? 0) < 256 && (low ?? 0) < 256 && isHost(offset) ? offset : undefined;
}
