import { type BackoffPolicy, nextDelay } from "../../../base/core/backoff.ts";
import type { Clock } from "../../../base/core/clock.ts";
import { pause } from "../../../base/core/signals.ts";
import type { EngineClient } from "./engine-client.ts";
import { engineEvent } from "./engine-objects.ts";
import { labelOf, withLabels } from "./labels.ts";

const backoff: BackoffPolicy = { baseMs: 200, maxMs: 10_000, jitter: 0.2 };

/** What changes a state; commands in containers and health checks do not. */
const changes = new Set([
  ...["create", "start", "restart", "pause", "unpause", "kill", "oom", "stop", "die", "died"],
  ...["destroy", "remove", "rename", "update"],
]);

/**
 * Follows the engine's events of a platform's containers until the signal. After each connection, the first
 * one too, anything may have changed: the callback gets undefined.
 */
export async function followEvents(
  client: EngineClient,
  platform: string,
  onChange: (uid: string | undefined) => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const filters = { type: ["container"], ...withLabels({ [labelOf.platform]: platform }) };
  for (let failures = 0; !signal.aborted; ) {
    try {
      const onOpen = (): void => {
        failures = 0;
        onChange(undefined);
      };
      await client.lines("GET", "/events", { query: { filters }, onOpen }, (line) => report(line), signal);
    } catch {
      if (signal.aborted) return;
      // Whoever calls the engine next says what is wrong.
    }
    failures += 1;
    await pause(clock, nextDelay(failures, backoff, Math.random()), [signal]);
  }

  function report(line: unknown): void {
    const event = engineEvent.safeParse(line);
    if (!event.success) return;
    const labels = event.data.Actor.Attributes;
    const uid = labels[labelOf.instance];
    if (uid !== undefined && labels[labelOf.platform] === platform && changes.has(event.data.Action)) {
      onChange(uid);
    }
  }
}
