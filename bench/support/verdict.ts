/** A measured figure and its target. */
export interface Verdict {
  readonly what: string;
  readonly figure: number;
  readonly unit: string;
  readonly atMost: number;
}

/** Prints figures beside their targets. @returns the exit status: 1 when a target is missed */
export function printVerdicts(verdicts: readonly Verdict[]): number {
  for (const { what, figure, unit, atMost } of verdicts) {
    const mark = figure <= atMost ? "met   " : "MISSED";
    print(`${mark} ${what}: ${round(figure)} ${unit} (at most ${round(atMost)})`);
  }
  return verdicts.every(({ figure, atMost }) => figure <= atMost) ? 0 : 1;
}

/** Rounds to three significant digits, without trailing zeros. */
export function round(value: number): number {
  return Number.isFinite(value) ? Number(value.toPrecision(3)) : value;
}

export function megabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
