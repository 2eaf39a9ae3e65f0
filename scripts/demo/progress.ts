import { formatExactCount } from "../../src/core/human.ts";
import { type DaemonStatus, sinkHealth } from "../../src/policy/status-view.ts";

/** One line for people: how long, how much was delivered, how far each sink is behind, what had to be sent again. */
export function progressLine(status: DaemonStatus | undefined, elapsedMs: number): string {
  const seconds = `${Math.floor(elapsedMs / 1000)} s`.padStart(6);
  const sinks = status?.policies.flatMap((policy) => policy.sinks) ?? [];
  if (status === undefined || sinks.length === 0) return `${seconds}  waiting for telemetryd`;
  const total = (pick: (sink: (typeof sinks)[number]) => number): number =>
    sinks.reduce((sum, sink) => sum + pick(sink), 0);
  const lags = sinks.map((sink) => {
    const health = sinkHealth(sink);
    const lag = sink.lagMs === undefined ? "-" : `${(Math.max(0, sink.lagMs) / 1000).toFixed(1)} s`;
    return `${sink.name} ${lag}${health === "up-to-date" || health === "starting" ? "" : ` (${health})`}`;
  });
  const parts = [
    `delivered ${formatExactCount(total((sink) => sink.delivered))} samples`,
    `lag: ${lags.join(", ")}`,
    `retries ${total((sink) => sink.retries)}`,
  ];
  const rejected = total((sink) => sink.rejected);
  if (rejected > 0) parts.push(`rejected ${formatExactCount(rejected)}`);
  return `${seconds}  ${parts.join("  |  ")}`;
}

/** The part of a terminal or a log that is written to. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Shows progress: on a terminal, one line that renews itself; elsewhere, a plain line every few seconds. */
export interface Progress {
  show(line: string, nowMs: number): void;
  /** A line that stays. */
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
        // A line that wraps could not be taken back with one carriage return.
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
