import { TelemetrydError } from "./errors.ts";

/**
 * Refuses what a newer telemetryd has written: an older one would take what it does not know for damage.
 *
 * @param found the format's number as it is stored; undefined or "" where nothing was written yet
 * @param place a file or a Redis key
 * @returns whether the number has to be written, because it is missing or smaller
 * @throws TelemetrydError STATE_UNUSABLE when it is not a number up to `known`
 */
export function checkFormat(
  found: string | undefined,
  known: number,
  place: string,
  remedy: string,
): boolean {
  const text = found?.trim() ?? "";
  if (text === "") return true;
  const format = /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Number.NaN;
  if (format <= known) return format < known;
  const what = Number.isNaN(format) ? "an unknown format" : `format ${format}`;
  throw new TelemetrydError(
    "STATE_UNUSABLE",
    `${place}: the state was written by a newer telemetryd (${what}; this one knows ${known}): ${remedy}`,
  );
}
