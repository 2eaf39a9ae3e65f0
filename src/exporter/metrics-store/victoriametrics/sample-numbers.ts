import type { SampleBuffer } from "../../series/series.ts";

/** 10^0 to 10^22: the powers that a double represents exactly. */
const exactPowers = Float64Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** Every integer below this is a double, and a sum that reaches it stays at or above it despite rounding. */
const exactIntegerLimit = 2 ** 53;

/** A longer token is not a number that a store writes. */
const longestToken = 1_100;

/** RFC 8259, section 6. */
const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Reads one value of a JSON line at `position` and stores it as sample `index` (already reserved).
 *
 * Numbers become exactly the double of JSON.parse. Stores' notations of other values are accepted too: bare
 * `Inf`, `+Inf`, `-Inf`, `NaN` (VictoriaMetrics up to 1.9x), `null`, `"Infinity"`, `"-Infinity"` (later
 * ones). VictoriaMetrics drops ordinary NaN at ingestion, so a NaN that is read back is a staleness marker.
 *
 * @returns the position after the value, or -1 when there is no value
 */
export function scanValue(bytes: Buffer, position: number, samples: SampleBuffer, index: number): number {
  // Clinger's fast path: with an integer mantissa below 2^53 and a power of ten up to 10^22 both operands are
  // exact, so the one division rounds once, like the exact conversion. It covers all but the longest of a
  // store's decimals.
  let at = position;
  let byte = bytes[at] as number;
  const negative = byte === 45;
  if (negative) byte = bytes[++at] as number;
  const digitsStart = at;
  let mantissa = 0;
  while (byte >= 48 && byte <= 57) {
    mantissa = mantissa * 10 + (byte - 48);
    byte = bytes[++at] as number;
  }
  if (at === digitsStart) return scanUncommon(bytes, position, samples, index);
  let fraction = 0;
  if (byte === 46) {
    const fractionStart = ++at;
    byte = bytes[at] as number;
    while (byte >= 48 && byte <= 57) {
      mantissa = mantissa * 10 + (byte - 48);
      byte = bytes[++at] as number;
    }
    fraction = at - fractionStart;
    if (fraction === 0) return -1;
  }
  // 44 is a comma, 93 a closing bracket; anything else (an exponent, white space) is rare.
  if (byte !== 44 && byte !== 93) return scanUncommon(bytes, position, samples, index);
  if (mantissa >= exactIntegerLimit || fraction > 22) {
    samples.values[index] = Number(bytes.toString("latin1", position, at));
    return at;
  }
  const value = fraction === 0 ? mantissa : mantissa / (exactPowers[fraction] as number);
  samples.values[index] = negative ? -value : value;
  return at;
}

/**
 * Reads values that the fast path leaves: long or scientific numbers, infinities, NaN, null, quoted forms.
 */
function scanUncommon(bytes: Buffer, position: number, samples: SampleBuffer, index: number): number {
  const end = tokenEnd(bytes, position);
  let text = bytes.toString("latin1", position, end);
  if (text.length >= 2 && text.startsWith('"') && text.endsWith('"')) text = text.slice(1, -1);
  switch (text) {
    case "NaN":
    case "null":
      samples.setStale(index);
      return end;
    case "Inf":
    case "+Inf":
    case "Infinity":
    case "+Infinity":
      samples.values[index] = Number.POSITIVE_INFINITY;
      return end;
    case "-Inf":
    case "-Infinity":
      samples.values[index] = Number.NEGATIVE_INFINITY;
      return end;
    default:
      if (!jsonNumber.test(text)) return -1;
      samples.values[index] = Number(text);
      return end;
  }
}

/**
 * Reads one timestamp (an integer of ms since the Unix epoch) and stores it as the timestamp of sample
 * `index`.
 *
 * @returns the position after it, or -1 when there is no integer
 */
export function scanTimestamp(bytes: Buffer, position: number, samples: SampleBuffer, index: number): number {
  // All times from September 2001 to November 2286 have 13 digits: two halves that fit small integers, no
  // loop.
  const after = bytes[position + 13] as number;
  if (after === 44 || after === 93) {
    const high = sixDigits(bytes, position);
    const low = sixDigits(bytes, position + 6);
    const last = (bytes[position + 12] as number) ^ 48;
    if (high >= 0 && low >= 0 && last <= 9) {
      samples.timestampsMs[index] = high * 10_000_000 + (low * 10 + last);
      return position + 13;
    }
  }
  const end = tokenEnd(bytes, position);
  const text = bytes.toString("latin1", position, end);
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) return -1;
  samples.timestampsMs[index] = value;
  return end;
}

/** The number formed by six digits, or -1. `^ 48` maps the digits, and nothing else, to 0-9. */
function sixDigits(bytes: Buffer, position: number): number {
  const a = (bytes[position] as number) ^ 48;
  const b = (bytes[position + 1] as number) ^ 48;
  const c = (bytes[position + 2] as number) ^ 48;
  const d = (bytes[position + 3] as number) ^ 48;
  const e = (bytes[position + 4] as number) ^ 48;
  const f = (bytes[position + 5] as number) ^ 48;
  if (a > 9 || b > 9 || c > 9 || d > 9 || e > 9 || f > 9) return -1;
  return ((((a * 10 + b) * 10 + c) * 10 + d) * 10 + e) * 10 + f;
}

/** The end of a token: a comma, a bracket, a brace or white space follows. */
function tokenEnd(bytes: Buffer, position: number): number {
  const limit = Math.min(bytes.length, position + longestToken);
  let end = position;
  while (end < limit) {
    const byte = bytes[end] as number;
    if (byte === 44 || byte === 93 || byte === 125 || byte <= 32) break;
    end++;
  }
  return end;
}
