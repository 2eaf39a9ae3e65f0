import { type ErrorCode, TelemetrydError } from "./errors.ts";

/** One error (or warning) in a file written by a person. */
export interface Fault {
  readonly severity: "error" | "warning";
  /** The file as it was named, or the value's other origin: `environment TELEMETRYD_…`, `--set …`. */
  readonly file: string;
  /** From 1; absent when the value did not come from a file. */
  readonly line?: number;
  readonly column?: number;
  /** Path in the document, as Kubernetes prints it: `spec.sinks[0].name`. Empty for the document itself. */
  readonly path: string;
  /** The problem, and what is expected instead. */
  readonly message: string;
  /** Lines that point at a position within the value: the text with a caret below it. */
  readonly excerpt?: string | undefined;
}

/** Formats a fault for a terminal: `file:line:column: error: path: message`, then its excerpt, indented. */
export function printFault(fault: Fault): string {
  const place = fault.line === undefined ? fault.file : `${fault.file}:${fault.line}:${fault.column ?? 1}`;
  const path = fault.path === "" ? "" : `${fault.path}: `;
  const excerpt = fault.excerpt === undefined ? "" : `\n${fault.excerpt.replace(/^/gm, "    ")}`;
  const line = `${place}: ${fault.severity}: ${path}${fault.message}`;
  return (
    line.replace(unprintable, "\uFFFD") + excerpt.replace(unprintable, (char) => (char === "\n" ? char : " "))
  );
}

/** Control and bidirectional formatting characters: names in a file could manipulate the terminal. */
const unprintable = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

export function printFaults(faults: readonly Fault[]): string {
  return faults.map(printFault).join("\n");
}

export function isError({ severity }: Fault): boolean {
  return severity === "error";
}

export function hasErrors(faults: readonly Fault[]): boolean {
  return faults.some(isError);
}

/** Sorts by file name, then by position; faults without a line come first. */
export function sortFaults(faults: readonly Fault[]): Fault[] {
  return faults.toSorted(
    (a, b) =>
      compareText(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** All faults of an input; `message` is the formatted list. */
export class FaultsError extends TelemetrydError {
  readonly faults: readonly Fault[];

  constructor(code: ErrorCode, faults: readonly Fault[]) {
    super(code, printFaults(faults));
    this.faults = faults;
  }
}
