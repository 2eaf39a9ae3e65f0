/**
 * The only error that this package throws: the text is not a MetricsQL expression. The message names the
 * token found and the one expected.
 */
export class MetricsqlSyntaxError extends Error {
  override readonly name = "MetricsqlSyntaxError";
  /** Place in the text, in UTF-16 units from 0. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;

  constructor(message: string, text: string, offset: number) {
    super(message);
    const before = text.slice(0, offset);
    const lineStart = before.lastIndexOf("\n") + 1;
    this.offset = offset;
    this.line = before.split("\n").length;
    this.column = [...before.slice(lineStart)].length + 1;
  }
}

/** Maximum characters of a long line to show on either side of the place. */
const contextLength = 60;

/**
 * Formats an error for a terminal: the line of the text, a caret under the place, and the message. Long lines
 * are cut around the place; control characters are shown as blanks.
 */
export function caret(text: string, error: { message: string; offset: number }): string {
  const lineStart = text.lastIndexOf("\n", error.offset - 1) + 1;
  const newline = text.indexOf("\n", error.offset);
  const lineEnd = newline < 0 ? text.length : newline;
  const start = Math.max(lineStart, error.offset - contextLength);
  const end = Math.min(lineEnd, error.offset + contextLength);
  const lead = start > lineStart ? "…" : "";
  const tail = end < lineEnd ? "…" : "";
  const line = lead + text.slice(start, end).replace(/[\p{Cc}\p{Cf}]/gu, " ") + tail;
  const indent = " ".repeat([...text.slice(start, error.offset)].length + lead.length);
  return `${line}\n${indent}^ ${error.message}`;
}
