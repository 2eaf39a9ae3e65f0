import { closeSync, openSync, readSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";

/** A turn that takes longer delays the timer that measures. */
const resolutionMs = 2;

/** The longest turns of this process' event loop. */
export interface TurnMeter extends Disposable {
  /** CPU time of the main thread in the longest turn since the last call, ms, without garbage collection. */
  takeLongestMs(): number;
}

/**
 * Measures how long the event loop is held up, by the CPU time of its thread: unlike wall time, it does not grow
 * while other processes run.
 */
export function startTurnMeter(): TurnMeter {
  const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  const buffer = Buffer.alloc(64);
  const cpuMs = (): number => {
    const length = readSync(file, buffer, 0, buffer.length, 0);
    return Number.parseInt(buffer.toString("latin1", 0, length), 10) / 1e6;
  };
  let turns: { readonly fromMs: number; readonly toMs: number; readonly cpuMs: number }[] = [];
  let collections: { readonly fromMs: number; readonly forMs: number }[] = [];
  const observer = new PerformanceObserver((list) => note(list.getEntries()));
  const note = (entries: ReturnType<typeof observer.takeRecords>): void => {
    for (const { startTime, duration } of entries) collections.push({ fromMs: startTime, forMs: duration });
  };
  observer.observe({ entryTypes: ["gc"] });
  let last = { cpuMs: cpuMs(), atMs: performance.now() };
  const timer = setInterval(() => {
    const current = { cpuMs: cpuMs(), atMs: performance.now() };
    const used = current.cpuMs - last.cpuMs;
    if (used > resolutionMs) turns.push({ fromMs: last.atMs, toMs: current.atMs, cpuMs: used });
    last = current;
  }, resolutionMs);
  timer.unref();
  return {
    takeLongestMs() {
      note(observer.takeRecords());
      const without = turns.map(({ fromMs, toMs, cpuMs: used }) => {
        const during = collections.filter((each) => each.fromMs >= fromMs && each.fromMs < toMs);
        // Collections are measured by wall time, of which the thread may not have had all.
        const share = during.reduce((sum, { forMs }) => sum + forMs, 0) / (toMs - fromMs);
        return used * Math.max(0, 1 - share);
      });
      [turns, collections] = [[], []];
      return Math.max(0, ...without);
    },
    [Symbol.dispose]() {
      clearInterval(timer);
      observer.disconnect();
      closeSync(file);
    },
  };
}
