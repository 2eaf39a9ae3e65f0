import { columnWidths } from "../../table.ts";

/** What a narrow terminal can be without, first to last: never names, state, lag and error. */
const dispensable = ["READY", "DELIVERED", "AGE", "REJECTED", "LOSES DATA IN", "NAMESPACE"];
const errorTitle = "LAST ERROR";
/** An error's beginning that says what it is. */
const leastErrorWidth = 30;
const shortened = ["NAMESPACE", "POLICY", "SINK"];
const leastNameWidth = 8;
const gap = 3;

/** A table's columns, as far as they fit. */
interface FittingColumns {
  readonly lines: ReadonlyArray<readonly string[]>;
  readonly widths: readonly number[];
}

/**
 * Chooses the columns that a terminal of this width shows: some are left out, then names are shortened, until
 * there is room for the beginning of the errors.
 *
 * @param lines the header and the rows
 * @param leastWidth of a column, so that it stays in place while its values change
 */
export function fittingColumns(
  lines: ReadonlyArray<readonly string[]>,
  columns: number,
  leastWidth: number,
): FittingColumns {
  let fitting = measured(lines, leastWidth);
  for (const title of dispensable) {
    if (excess(fitting, columns) <= 0) return fitting;
    const at = titleAt(fitting, title);
    if (at >= 0)
      fitting = measured(
        fitting.lines.map((line) => line.toSpliced(at, 1)),
        leastWidth,
      );
  }
  const widths = [...fitting.widths];
  const names = shortened.map((title) => titleAt(fitting, title)).filter((at) => at >= 0);
  for (let left = excess(fitting, columns); left > 0; left--) {
    const widest = names.reduce(
      (best, at) => ((widths[at] ?? 0) > (widths[best] ?? 0) ? at : best),
      names[0] ?? 0,
    );
    if ((widths[widest] ?? 0) <= leastNameWidth) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  const isName = new Set(names);
  return {
    widths,
    lines: fitting.lines.map((line) =>
      line.map((cell, at) => (isName.has(at) ? shorten(cell, widths[at] ?? 0) : cell)),
    ),
  };
}

function measured(lines: ReadonlyArray<readonly string[]>, leastWidth: number): FittingColumns {
  return { lines, widths: columnWidths(lines).map((width) => Math.max(width, leastWidth)) };
}

function titleAt({ lines }: FittingColumns, title: string): number {
  return lines[0]?.indexOf(title) ?? -1;
}

/** By how much the columns exceed a width, with the beginning of the errors. */
function excess(fitting: FittingColumns, columns: number): number {
  const errorAt = titleAt(fitting, errorTitle);
  const sum = fitting.widths.reduce(
    (total, width, at) => total + (at === errorAt ? Math.min(width, leastErrorWidth) : width),
    gap * (fitting.widths.length - 1),
  );
  return sum - columns;
}

function shorten(text: string, width: number): string {
  const characters = [...text];
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join("")}…`;
}
