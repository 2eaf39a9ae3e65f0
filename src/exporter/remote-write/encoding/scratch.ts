import type { CapacityListener } from "./request.ts";

/**
 * The memory that request bodies are built in before they are compressed. A builder takes a piece with its first series,
 * exchanges it for one of twice the size when it is full, and gives it back with its last, so that ten thousand sinks with a
 * small request every half minute share a few pieces, and the piece that is written next is the one that the processor's
 * cache still has (bench/small-policies.ts).
 *
 * Pieces that a builder has outgrown are kept as well: memory outside of the heap that comes and goes has V8 collect the
 * whole heap, with batches of 5,000 in every cycle (bench/peers.ts with `--trace-incremental-marking`).
 */
const initialBytes = 16 * 1_024;
/** Larger ones are not kept. */
const largestKeptBytes = 4 * 2 ** 20;
/** Of each size: as many as one sink has requests in the making, by default. */
const mostKept = 5;

/** By size, each twice the one before it. */
const kept: Buffer[][] = [];
for (let bytes = initialBytes; bytes <= largestKeptBytes; bytes *= 2) kept.push([]);

/** 16 KiB of any content. */
export function takeScratch(): Buffer {
  return kept[0]?.pop() ?? Buffer.allocUnsafeSlow(initialBytes);
}

/** The caller must not touch it any more. */
export function giveScratch(scratch: Buffer): void {
  const size = sizeOf(scratch.length);
  const pieces = kept[size];
  if (pieces === undefined || scratch.length !== bytesOf(size)) return;
  if (pieces.length < mostKept) pieces.push(scratch);
}

/** A larger piece with the first `usedBytes` of the given one, which is given back. */
export function growScratch(scratch: Buffer, usedBytes: number, neededBytes: number): Buffer {
  const size = sizeOf(Math.max(neededBytes, scratch.length * 2));
  const larger = kept[size]?.pop() ?? Buffer.allocUnsafeSlow(bytesOf(size));
  larger.set(scratch.subarray(0, usedBytes));
  giveScratch(scratch);
  return larger;
}

/** The first size that has so much room. */
function sizeOf(bytes: number): number {
  return Math.max(0, Math.ceil(Math.log2(bytes / initialBytes)));
}

function bytesOf(size: number): number {
  return initialBytes * 2 ** size;
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
