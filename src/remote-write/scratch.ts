import type { CapacityListener } from "./request.ts";

/**
 * The memory that request bodies are built in before they are compressed. A builder takes a piece with its first series and
 * gives it back with its last, so that ten thousand sinks with a small request every half minute share a few pieces,
 * and the piece that is written next is the one that the processor's cache still has (bench/small-policies.ts).
 */
const initialBytes = 16 * 1_024;
/** What is kept for the next builder: so many pieces, none larger than this. */
const mostKept = 8;
const largestKeptBytes = 4 * 2 ** 20;

/** The largest last, of equal ones the one that was used last. */
const kept: Buffer[] = [];

/** At least 16 KiB, of any content. */
export function takeScratch(): Buffer {
  return kept.pop() ?? Buffer.allocUnsafeSlow(initialBytes);
}

/** The caller must not touch it any more. */
export function giveScratch(scratch: Buffer): void {
  if (scratch.length > largestKeptBytes || scratch.length === 0) return;
  // What a piece left behind while it grew must not take the place of what it has become.
  const place = kept.findLastIndex((piece) => piece.length <= scratch.length) + 1;
  kept.splice(place, 0, scratch);
  if (kept.length > mostKept) kept.shift();
}

/** A larger piece with the first `usedBytes` of the given one, which is given back. */
export function growScratch(scratch: Buffer, usedBytes: number, neededBytes: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, scratch.length * 2));
  larger.set(scratch.subarray(0, usedBytes));
  giveScratch(scratch);
  return larger;
}

/** What a builder holds while it has nothing to write. */
export const noScratch: Buffer = Buffer.alloc(0);

/**
 * A piece with room for `neededBytes` that begins with the first `usedBytes` of the given one: that one itself where it is
 * large enough, and a first piece in place of {@link noScratch}.
 */
export function reserveScratch(
  scratch: Buffer,
  usedBytes: number,
  neededBytes: number,
  onCapacity: CapacityListener | undefined,
): Buffer {
  if (neededBytes <= scratch.length) return scratch;
  const piece = scratch === noScratch ? takeScratch() : scratch;
  const larger = neededBytes > piece.length ? growScratch(piece, usedBytes, neededBytes) : piece;
  onCapacity?.(larger.length - scratch.length);
  return larger;
}

/** Gives a piece back, if it is one. @returns what is held then */
export function releaseScratch(scratch: Buffer, onCapacity: CapacityListener | undefined): Buffer {
  if (scratch === noScratch) return noScratch;
  onCapacity?.(-scratch.length);
  giveScratch(scratch);
  return noScratch;
}
