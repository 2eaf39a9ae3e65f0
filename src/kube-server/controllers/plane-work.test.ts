import { expect, test } from "vitest";
import { systemClock } from "../../base/core/clock.ts";
import { Deferred } from "../../base/core/deferred.ts";
import { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import { silentLogger } from "../../base/log/log.ts";
import type { DueWork, SettledWork } from "../store/object-store.ts";
import { PlaneWork, type PlaneWorkOptions } from "./plane-work.ts";

test("work that is announced while a run ends is not lost", async () => {
  const [isEnding, mayEnd] = [new Deferred<void>(), new Deferred<void>()];
  const queue: DueWork[] = [];
  const finished: string[] = [];
  const store = {
    dueWork: async () => queue.splice(0),
    async nextWorkMs() {
      isEnding.resolve();
      await mayEnd.promise;
      return undefined;
    },
    async settleWork(_plane: unknown, work: readonly SettledWork[]) {
      finished.push(...work.map(({ item }) => item));
    },
    get: async () => undefined,
  };
  const options = {
    ...{ store, claims: {}, kinds: [], controllers: [], garbageCollector: {} },
    ...{ clock: systemClock, log: silentLogger, metrics: { controllers: { reconciled: () => undefined } } },
  } as unknown as PlaneWorkOptions;
  const plane = { type: "project", name: "web", uid: "1", organization: "acme" } as const;
  const work = new PlaneWork(options, plane, new FairSemaphore(4, "half"));
  const { signal } = new AbortController();
  let ended = 0;
  const start = () => work.start(signal, () => ended++);
  start();
  await isEnding.promise;
  queue.push({ item: "object secrets/default/a" } as DueWork);
  start();
  mayEnd.resolve();
  await work.stopped();
  await Promise.resolve();
  expect([work.isDue(0), ended]).toEqual([true, 1]);
  start();
  await work.stopped();
  expect([work.isDue(0), finished]).toEqual([false, ["object secrets/default/a"]]);
});
