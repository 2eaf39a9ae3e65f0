/** A kubectl-style table: columns as wide as their widest cell, three spaces apart, the last one unpadded. */
export function renderTable(header: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const lines = [header, ...rows];
  const widths = columnWidths(lines);
  return lines.map((line) => `${tableLine(line, widths)}\n`).join("");
}

/** The width of each column as printed. */
export function columnWidths(lines: ReadonlyArray<readonly string[]>): number[] {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [column, cell] of line.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, printable(cell).length);
    }
  }
  return widths;
}

/** A line of a table, made printable, without a line break. */
export function tableLine(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => printable(cell).padEnd(widths[column] ?? 0))
    .join("   ")
    .trimEnd();
}

/**
 * External text for one line of a terminal: line breaks become spaces; escape sequences and bidirectional
 * controls, which could forge other output, become visible.
 */
export function printable(text: string): string {
  return text.replace(/[\r\n\t]+/g, " ").replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "\uFFFD");
}
