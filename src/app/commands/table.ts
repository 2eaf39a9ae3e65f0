/** A kubectl-style table: columns as wide as their widest cell, three spaces apart, the last one unpadded. */
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
 * External text for one line of a terminal: line breaks become spaces; escape sequences and bidirectional
 * controls, which could forge other output, become visible.
 */
export function printable(text: string): string {
  return text.replace(/[\r\n\t]+/g, " ").replace(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, "\uFFFD");
}
