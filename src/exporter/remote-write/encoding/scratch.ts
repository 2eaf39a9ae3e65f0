import type { CapacityListener } from "./request.ts";

/**
 * The buffers in which request bodies are built before compression. A builder takes a buffer with its first
 * series, exchanges it for one of twice the size when it is full, and returns it after its last series. Many
 * sinks with small requests thus share a few buffers, and the next buffer written is one still in the
 * processor's cache (bench/small-policies.ts).
 *
 * Outgrown buffers are kept too: frequent allocation of memory outside of the heap makes V8 collect the whole
 * heap, which large batches would do in every cycle (bench/peers.ts with `--trace-incremental-marking`).
 */
const initialBytes = 16 * 1_024;
/** Larger buffers are not kept. */
const largestKeptBytes = 4 * 2 ** 20;
/** Buffers kept of each size: the default number of open batches of one sink. */
const mostKept = 5;

/** By size, each twice the previous one. */
const kept: Buffer[][] = [];
for (let bytes = initialBytes; bytes <= largestKeptBytes; bytes *= 2) kept.push([]);

/** A buffer of 16 KiB with arbitrary content. */
export function takeScratch(): Buffer {
  return kept[0]?.pop() ?? Buffer.allocUnsafeSlow(initialBytes);
}

/** Returns a buffer; the caller must no longer use it. */
export function giveScratch(scratch: Buffer): void {
  const size = sizeOf(scratch.length);
  const pieces = kept[size];
  if (pieces === undefined || scratch.length !== bytesOf(size)) return;
  if (pieces.length < mostKept) pieces.push(scratch);
}

/** A larger buffer with the first `usedBytes` of the given one, which is returned to the pool. */
export function growScratch(scratch: Buffer, usedBytes: number, neededBytes: number): Buffer {
  const size = sizeOf(Math.max(neededBytes, scratch.length * 2));
  const larger = kept[size]?.pop() ?? Buffer.allocUnsafeSlow(bytesOf(size));
  larger.set(scratch.subarray(0, usedBytes));
  giveScratch(scratch);
  return larger;
}

/** The smallest size with room for `bytes`. */
function sizeOf(bytes: number): number {
  return Math.max(0, Math.ceil(Math.log2(bytes / initialBytes)));
}

function bytesOf(size: number): number {
  return initialBytes * 2 ** size;
}

/** Placeholder for a builder without content. */
export const noScratch: Buffer = Buffer.alloc(0);

/**
 * A buffer with room for `neededBytes` that begins with the first `usedBytes` of the given one: the given one
 * itself if it is large enough, and a first buffer in place of {@link noScratch}.
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

/** Returns a buffer to the pool, unless it is {@link noScratch}. @returns the buffer held afterwards */
export function releaseScratch(scratch: Buffer, onCapacity: CapacityListener | undefined): Buffer {
  if (scratch === noScratch) return noScratch;
  onCapacity?.(-scratch.length);
  giveScratch(scratch);
  return noScratch;
}
