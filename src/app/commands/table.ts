/** Columns as kubectl prints them: as wide as their widest cell, three spaces apart, the last one free. */
export function renderTable(header: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const lines = [header, ...rows].map((row) => row.map(printable));
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("   ")
          .trimEnd()}\n`,
    )
    .join("");
}

/**
 * A text from outside on one line of a terminal: line ends become spaces; escape sequences and marks that turn the
 * writing direction, with which a text could forge other output, become visible.
 */
export function printable(text: string): string {
  return text.replace(/[\r\n\t]+/g, " ").replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "\uFFFD");
}
