import { parseDuration } from "../../base/core/duration.ts";
import { TelemetrydError } from "../../base/core/errors.ts";

/**
 * Parses a time from a command line: RFC 3339 (`2026-11-21T10:00:00Z`), Unix seconds (`1763719200`, fractions
 * allowed), or a duration before now (`6h`). Returns Unix epoch, ms.
 *
 * @param option its name, for the message
 * @throws INVALID_ARGUMENT
 */
export function parseTime(text: string, option: string, nowMs: number): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000);
  const agoMs = parseDuration(text);
  if (agoMs !== undefined) return nowMs - agoMs;
  // A time without a zone would depend on the machine.
  const hasZone = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i.test(text);
  const ms = hasZone ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new TelemetrydError(
    "INVALID_ARGUMENT",
    `${option}: "${text}" is no time; write it like 2026-11-21T10:00:00Z, as Unix seconds, or as a duration before now such as 6h`,
  );
}
