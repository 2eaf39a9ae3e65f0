import { type ErrorCode, TelemetrydError } from "./errors.ts";

/** One thing that is wrong (or doubtful) in a file that a person wrote. */
export interface Fault {
  readonly severity: "error" | "warning";
  /** The file as it was named, or what else the value came from: `environment TELEMETRYD_…`, `--set …`. */
  readonly file: string;
  /** From 1; absent where the value did not come from a file. */
  readonly line?: number;
  readonly column?: number;
  /** Place in the document, as Kubernetes prints it: `spec.sinks[0].name`. Empty for the document itself. */
  readonly path: string;
  /** What is wrong and what would be right. */
  readonly message: string;
  /** Lines that show the place within a value: the text and a caret under it. */
  readonly excerpt?: string;
}

/** One fault for a terminal: `file:line:column: error: path: message`, then its excerpt, indented. */
export function printFault(fault: Fault): string {
  const place = fault.line === undefined ? fault.file : `${fault.file}:${fault.line}:${fault.column ?? 1}`;
  const path = fault.path === "" ? "" : `${fault.path}: `;
  const excerpt = fault.excerpt === undefined ? "" : `\n${fault.excerpt.replace(/^/gm, "    ")}`;
  const line = `${place}: ${fault.severity}: ${path}${fault.message}`;
  return (
    line.replace(unprintable, "\uFFFD") + excerpt.replace(unprintable, (char) => (char === "\n" ? char : " "))
  );
}

/** Control characters and those that turn the writing's direction: names in a file could rewrite the terminal. */
const unprintable = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

export function printFaults(faults: readonly Fault[]): string {
  return faults.map(printFault).join("\n");
}

export function hasErrors(faults: readonly Fault[]): boolean {
  return faults.some((fault) => fault.severity === "error");
}

/** Files first by name, then from top to bottom; what has no line comes before what has one. */
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

/** All faults of an input at once; `message` is the printed list. */
export class FaultsError extends TelemetrydError {
  readonly faults: readonly Fault[];

  constructor(code: ErrorCode, faults: readonly Fault[]) {
    super(code, printFaults(faults));
    this.faults = faults;
  }
}
