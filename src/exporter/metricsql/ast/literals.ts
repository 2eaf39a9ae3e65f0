import type { Duration } from "./ast.ts";

const multipliers: Readonly<Record<string, number>> = {
  k: 1e3,
  kb: 1e3,
  ki: 2 ** 10,
  kib: 2 ** 10,
  m: 1e6,
  mb: 1e6,
  mi: 2 ** 20,
  mib: 2 ** 20,
  g: 1e9,
  gb: 1e9,
  gi: 2 ** 30,
  gib: 2 ** 30,
  t: 1e12,
  tb: 1e12,
  ti: 2 ** 40,
  tib: 2 ** 40,
};

const decimalText = /^((?:\d+(?:_\d+)*)?(?:\.(?:\d+(?:_\d+)*)?)?(?:e[+-]?\d+)?)([kmgt]i?b?)?$/;
const integerText =
  /^0(?:x([0-9a-f]+)|b_?([01]+(?:_[01]+)*)|o_?([0-7]+(?:_[0-7]+)*)|_?([0-7]+(?:_[0-7]+)*))$/;

/**
 * The value of a number token, or undefined if it is not a number: `1_000`, `1.5Ki`, `12.e+4`, `0x1f`,
 * `0b101`, `0o17`, `017` (octal, as in C, unless it has an 8 or a 9), `Inf`, `NaN`. Numbers beyond a double
 * are rejected.
 */
export function parseNumber(text: string): number | undefined {
  const lower = text.toLowerCase();
  if (lower === "inf") return Number.POSITIVE_INFINITY;
  if (lower === "nan") return Number.NaN;
  const integer = integerText.exec(lower);
  if (integer) {
    const [, hex, binary, octal, leadingZero] = integer;
    if (hex !== undefined) return parseInteger(`0x${hex}`);
    if (binary !== undefined) return parseInteger(`0b${binary.replaceAll("_", "")}`);
    return parseInteger(`0o${(octal ?? leadingZero ?? "").replaceAll("_", "")}`);
  }
  const decimal = decimalText.exec(lower);
  if (!decimal) return undefined;
  const [, digits = "", suffix] = decimal;
  const value = Number(digits.replaceAll("_", ""));
  if (digits === "" || digits === "." || !Number.isFinite(value)) return undefined;
  return suffix === undefined ? value : value * (multipliers[suffix] ?? 1);
}

const maxInteger = 2n ** 63n - 1n;

function parseInteger(text: string): number | undefined {
  const value = BigInt(text);
  return value > maxInteger ? undefined : Number(value);
}

const unitsMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
  y: 365 * 86_400_000,
};

/**
 * The duration of a token (`1h30m`, `1.5d`, `2h-5m`, `5i`, `300`, `-5m`), or undefined. From the first minus
 * on, the parts count negative: `-2h5m` is -125 minutes, `2h-5m3s` is 2h less 5m3s. A bare number is seconds.
 */
export function parseDuration(text: string): Duration | undefined {
  if (/^-?[\d.][\d._]*(?:e[+-]?\d+)?$/i.test(text)) {
    const negative = text.startsWith("-");
    const seconds = decimalText.test(text.slice(negative ? 1 : 0).toLowerCase())
      ? Number(text.replaceAll("_", ""))
      : Number.NaN;
    return Number.isFinite(seconds) ? { text, ms: seconds * 1000, steps: 0 } : undefined;
  }
  let ms = 0;
  let steps = 0;
  let sign = 1;
  let end = 0;
  for (const part of text.matchAll(/(-?)(\d+(?:\.\d*)?)([a-z]+)/gi)) {
    if (part.index !== end) return undefined;
    end += part[0].length;
    if (part[1] === "-") sign = -1;
    const amount = sign * Number(part[2]);
    const unit = (part[3] ?? "").toLowerCase();
    const unitMs = unitsMs[unit];
    if (part[3] === "M") return undefined;
    if (unit === "i") steps += amount;
    else if (unitMs === undefined) return undefined;
    else ms += amount * unitMs;
  }
  return end === text.length && end > 0 ? { text, ms, steps } : undefined;
}

/** Whether the text is a duration in PromQL's notation. */
export function isPromqlDuration(text: string): boolean {
  return /^-?(?=\d)(?:\d+y)?(?:\d+w)?(?:\d+d)?(?:\d+h)?(?:\d+m)?(?:\d+s)?(?:\d+ms)?$/.test(text);
}

/** Whether the text is a number in the notation of PromQL. Only Prometheus 3 knows `grouped` digits. */
export function isPromqlNumber(text: string, grouped = true): boolean {
  const plain = grouped ? text.replace(/(?<=[\da-f])_(?=[\da-f])/gi, "") : text;
  return /^-?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|0x[\da-f]+|inf|nan)$/i.test(plain);
}

const simpleEscapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  "\\": 92,
};

/**
 * The value of a string token, or undefined if an escape is unknown or the bytes are not UTF-8. In `"…"` and
 * `'…'` the escapes are those of Go (`\n`, `\x41`, `\101`, `\u00e9`, `\U0001F600`), but of the two quotes
 * only the enclosing one; in backquotes nothing is escaped.
 */
export function parseString(token: string): string | undefined {
  const quote = token[0] ?? "";
  const body = token.slice(1, -1);
  if (quote === "`") return body.replaceAll("\r", "");
  if (body.includes("\n")) return undefined;
  if (!body.includes("\\")) return body;
  let value = "";
  let bytes: number[] = [];
  const flush = () => {
    if (bytes.length > 0)
      value += new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
    bytes = [];
  };
  try {
    for (const [piece] of body.matchAll(
      /[^\\]+|\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|U[\da-fA-F]{8}|[0-7]{3}|.)|\\/gsu,
    )) {
      if (piece[0] !== "\\") {
        flush();
        value += piece;
        continue;
      }
      const kind = piece[1] ?? "";
      const simple = kind === quote ? quote.charCodeAt(0) : simpleEscapes[kind];
      if (piece.length === 2 && simple !== undefined) {
        flush();
        value += String.fromCharCode(simple);
      } else if (kind === "x" && piece.length === 4) {
        bytes.push(Number.parseInt(piece.slice(2), 16));
      } else if (/^\\[0-3][0-7]{2}$/.test(piece)) {
        bytes.push(Number.parseInt(piece.slice(1), 8));
      } else if ((kind === "u" || kind === "U") && piece.length > 2) {
        const code = Number.parseInt(piece.slice(2), 16);
        if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
        flush();
        value += String.fromCodePoint(code);
      } else return undefined;
    }
    flush();
    return value;
  } catch {
    return undefined;
  }
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** A string as a literal in double quotes. */
export function quoteString(value: string): string {
  if (!/["\\\p{C}\u2028\u2029]/u.test(value)) return `"${value}"`;
  let quoted = "";
  for (const char of value) {
    const code = char.codePointAt(0) ?? 0;
    const short = shortEscapes[char];
    if (short !== undefined) quoted += short;
    else if (!/[\p{C}\u2028\u2029]/u.test(char) || (code >= 0xd800 && code <= 0xdfff)) quoted += char;
    else if (code < 0x10000) quoted += `\\u${code.toString(16).padStart(4, "0")}`;
    else quoted += `\\U${code.toString(16).padStart(8, "0")}`;
  }
  return `"${quoted}"`;
}
