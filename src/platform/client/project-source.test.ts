import { expect, test } from "vitest";
import { systemClock } from "../../base/core/clock.ts";
import { silentLogger } from "../../base/log/log.ts";
import type { PlaneClient } from "./api/plane-client.ts";
import { createProjectSource } from "./project-source.ts";

test("many projects stop with the source, and nobody listens to one signal for all of them", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => warnings.push(warning);
  process.on("warning", warned);
  const items = Array.from({ length: 30 }, (_, index) => ({
    metadata: { name: `project-${index}`, uid: `uid-${index}`, resourceVersion: "1" },
  }));
  const client = {
    send: async () => ({ outcome: "ok", json: { metadata: { resourceVersion: "1" }, items } }),
  } as unknown as PlaneClient;
  let running = 0;
  const stop = new AbortController();
  const source = createProjectSource({
    client,
    groupDomain: "platformapis",
    onGone: () => undefined,
    planeSource: (name: string) => ({
      name,
      async run(signal: AbortSignal) {
        running++;
        if (running === 30) setImmediate(() => stop.abort(new Error("stop")));
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
        running--;
      },
    }),
    clock: systemClock,
    log: silentLogger,
    random: () => 0,
  } as unknown as Parameters<typeof createProjectSource>[0]);
  await source.run(stop.signal);
  await new Promise(setImmediate);
  process.off("warning", warned);
  expect(running).toBe(0);
  expect(warnings.filter(({ name }) => name === "MaxListenersExceededWarning")).toEqual([]);
});
