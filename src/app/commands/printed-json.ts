/**
 * Control characters and marks that turn the writing's direction: on a terminal, output that came from outside could
 * change what is shown around it. JSON.stringify escapes the first 32 only.
 */
const steering = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g;

/** A value as JSON for a command's output, with a line break at its end. What reads it as JSON reads the same value. */
export function printedJson(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2).replace(steering, escaped)}\n`;
}

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
