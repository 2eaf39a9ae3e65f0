/**
 * Control characters and bidirectional controls: on a terminal, external text could alter the output around
 * it. JSON.stringify escapes only the first 32.
 */
const steering = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

/** A value as JSON for a command's output, with a trailing line break. Parsing it yields the same value. */
export function printedJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2).replace(steering, escaped)}\n`;
}

/** The same on a single line (NDJSON). */
export function printedJsonLine(value: unknown): string {
  return `${JSON.stringify(value).replace(steering, escaped)}\n`;
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
