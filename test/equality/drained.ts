import type { RunningDaemon } from "../../scripts/daemon/daemon.ts";
import { sleep } from "../../src/base/core/clock.ts";

/** Waits until every given sink's checkpoint is at or past `lastMs`. @throws after `limitMs` */
export async function drained(
  daemon: RunningDaemon,
  sinkNames: readonly string[],
  lastMs: number,
  limitMs: number,
): Promise<void> {
  const deadlineMs = performance.now() + limitMs;
  const { signal } = new AbortController();
  for (;;) {
    const status = await daemon.status(signal).catch(() => undefined);
    const sinks = status?.policies.flatMap((policy) => policy.sinks) ?? [];
    const behind = sinkNames.filter((name) => {
      const checkpoint = sinks.find((sink) => sink.name === name)?.checkpoint;
      return checkpoint === undefined || Date.parse(checkpoint) < lastMs;
    });
    if (behind.length === 0) return;
    if (performance.now() > deadlineMs) {
      const conditions = JSON.stringify(
        sinks.map(({ name, checkpoint, conditions }) => ({ name, checkpoint, conditions })),
      );
      throw new Error(`not drained within ${limitMs / 1000} s: ${behind.join(", ")}; ${conditions}`);
    }
    await sleep(250, signal);
  }
}
