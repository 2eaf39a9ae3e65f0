/** The part of an output stream used here. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows progress: on a terminal, one line updated in place; elsewhere, a plain line every few seconds. */
export interface Progress {
  show(line: string, nowMs: number): void;
  /** Prints a permanent line. */
  say(text: string): void;
}

const plainIntervalMs = 5000;

export function createProgress(output: Output): Progress {
  let shown = false;
  let lastMs = Number.NEGATIVE_INFINITY;
  const clear = (): void => {
    if (shown) output.write("\r\u001b[K");
    shown = false;
  };
  return {
    show(line, nowMs) {
      if (output.isTTY === true) {
        clear();
        // One carriage return could not overwrite a wrapped line.
        output.write(line.slice(0, (output.columns ?? 80) - 1));
        shown = true;
      } else if (nowMs - lastMs >= plainIntervalMs) {
        lastMs = nowMs;
        output.write(`${line}\n`);
      }
    },
    say(text) {
      clear();
      output.write(`${text}\n`);
    },
  };
}
