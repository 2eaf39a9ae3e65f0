/**
 * The one error that this package throws: a text that is not a MetricsQL expression. The message names what was
 * found and what was expected.
 */
export class MetricsqlSyntaxError extends Error {
  override readonly name = "MetricsqlSyntaxError";
  /** Where in the text, in UTF-16 units from 0. */
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

/** How much of a long line is shown on either side of the place. */
const CONTEXT = 60;

/**
 * The line of the text that the error is in, a caret under the place, and the message: for a terminal. Long lines are
 * cut around the place, control characters shown as blanks.
 */
export function caret(text: string, error: { message: string; offset: number }): string {
  const lineStart = text.lastIndexOf("\n", error.offset - 1) + 1;
  const newline = text.indexOf("\n", error.offset);
  const lineEnd = newline < 0 ? text.length : newline;
  const start = Math.max(lineStart, error.offset - CONTEXT);
  const end = Math.min(lineEnd, error.offset + CONTEXT);
  const lead = start > lineStart ? "…" : "";
  const tail = end < lineEnd ? "…" : "";
  const line = lead + text.slice(start, end).replace(/[\p{Cc}\p{Cf}]/gu, " ") + tail;
  const indent = " ".repeat([...text.slice(start, error.offset)].length + lead.length);
  return `${line}\n${indent}^ ${error.message}`;
}
