import { sleep } from "../../src/base/core/clock.ts";
import { importLines } from "../../test/support/samples.ts";
import { metricText } from "../export-body.ts";

export interface LateWriterOptions {
  readonly series: number;
  readonly everyMs: number;
  /** Of the samples, in percent. */
  readonly latePercent: number;
  readonly maxLateMs: number;
  readonly random: () => number;
}

interface LateLine {
  readonly line: string;
  readonly dueMs: number;
}

/** Writes a sample of every series at each multiple of `everyMs`, some of them late. */
export class LateWriter {
  readonly #url: string;
  readonly #options: LateWriterOptions;
  #delayed: LateLine[] = [];
  #turn: Promise<unknown> = Promise.resolve();
  written = 0;
  late = 0;

  constructor(url: string, options: LateWriterOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Writes until the signal aborts; then, everything that is still to come. */
  async run(signal: AbortSignal): Promise<void> {
    const { series, everyMs } = this.#options;
    const metrics = Array.from({ length: series }, (_, index) => metricText(index));
    while (!signal.aborted) {
      const tickMs = Math.ceil((Date.now() + 1) / everyMs) * everyMs;
      await sleep(tickMs - Date.now(), signal).catch(() => undefined);
      if (signal.aborted) break;
      await this.#write([...this.#inTime(metrics, tickMs), ...this.#due(Date.now())]);
    }
    await this.#write(this.#due(Number.POSITIVE_INFINITY));
  }

  /** Does something while nothing is written. */
  exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  *#inTime(metrics: readonly string[], tickMs: number): Generator<string> {
    const { latePercent, maxLateMs, random } = this.#options;
    for (const [index, metric] of metrics.entries()) {
      const value = (index * 1_009 + tickMs / 1_000) % 1_000_000;
      const line = `{"metric":${metric},"values":[${value}],"timestamps":[${tickMs}]}\n`;
      if (random() * 100 >= latePercent) yield line;
      else this.#delayed.push({ line, dueMs: tickMs + 1_000 + random() * maxLateMs });
    }
  }

  #due(nowMs: number): string[] {
    const due = this.#delayed.filter(({ dueMs }) => dueMs <= nowMs);
    this.#delayed = this.#delayed.filter(({ dueMs }) => dueMs > nowMs);
    this.late += due.length;
    return due.map(({ line }) => line);
  }

  async #write(lines: readonly string[]): Promise<void> {
    if (lines.length === 0) return;
    await this.exclusively(() => importLines(this.#url, lines, new AbortController().signal));
    this.written += lines.length;
  }
}
