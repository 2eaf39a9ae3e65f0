/** A measured figure beside what the project wants of it. */
export interface Verdict {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  readonly atMost: number;
}

/** Prints figures beside their targets. @returns the exit status: 1 when one is missed */
export function printVerdicts(verdicts: readonly Verdict[]): number {
  for (const { what, figure, unit, atMost } of verdicts) {
    const mark = figure <= atMost ? "met   " : "MISSED";
    print(`${mark} ${what}: ${round(figure)} ${unit} (at most ${round(atMost)})`);
  }
  return verdicts.every(({ figure, atMost }) => figure <= atMost) ? 0 : 1;
}

/** Three significant digits, and no more decimals than they need. */
export function round(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(3)) : value;
}

export function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
