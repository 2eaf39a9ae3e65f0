import { type FileHandle, open, readFile, rename } from "node:fs/promises";
import { yieldToEventLoop } from "../../../base/core/yield-to-event-loop.ts";

/** The section of one program, as text. */
export interface Section {
  /** uid of the Gateway. */
  readonly gateway: string;
  readonly text: string;
}

/** Which lines of a configuration belong to which program. */
export interface LineIndex {
  /** uid of the Gateway that has a line, counted from 1; undefined for shared lines. */
  gatewayOf(line: number): string | undefined;
}

/** Bytes that are put together before the event loop gets its turn, and the disk its part. */
const partBytes = 256 * 1024;

/**
 * Writes a configuration of any number of sections, without holding up the event loop.
 *
 * @param others sections that come last and are no program's
 */
export async function writeConfiguration(
  file: string,
  shared: string,
  sections: Iterable<Section>,
  others: () => Iterable<string> = () => [],
): Promise<LineIndex> {
  const ends: number[] = [];
  const gateways: string[] = [];
  const first = countLines(shared) + 1;
  let line = first;
  await writeParts(file, function* () {
    yield `${shared}\n`;
    for (const { gateway, text } of sections) {
      yield text;
      line += countLines(text);
      ends.push(line);
      gateways.push(gateway);
    }
    yield* others();
  });
  return { gatewayOf: (wanted) => (wanted <= first ? undefined : gateways[firstAtLeast(ends, wanted)]) };
}

/** Writes a file unless it has this text: a check that reads it meanwhile never finds a part of it. */
export async function writeText(file: string, text: string): Promise<void> {
  if ((await readFile(file, "utf8").catch(() => undefined)) !== text) await writeParts(file, () => [text]);
}

/** Writes what a map has for each key. */
export async function writeMap(
  file: string,
  entries: () => Iterable<readonly [key: string, entry: string]>,
): Promise<void> {
  await writeParts(file, function* () {
    for (const [key, entry] of entries()) yield `${key} ${entry}\n`;
  });
}

/** Replaces a file at once. */
async function writeParts(file: string, parts: () => Iterable<string>): Promise<void> {
  const handle = await open(`${file}.new`, "w", 0o600);
  try {
    let part = "";
    for (const text of parts()) {
      part += text;
      if (part.length < partBytes) continue;
      await writeAll(handle, part);
      part = "";
      await yieldToEventLoop();
    }
    await writeAll(handle, part);
  } finally {
    await handle.close();
  }
  await rename(`${file}.new`, file);
}

async function writeAll(handle: FileHandle, text: string): Promise<void> {
  if (text !== "") await handle.appendFile(text);
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

/** Index of the first number that is at least as large. */
function firstAtLeast(sorted: readonly number[], wanted: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
