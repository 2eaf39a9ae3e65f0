import { expect, test } from "vitest";
import { TestClock } from "../../../test/support/test-clock.ts";
import { FairSemaphore } from "../../base/core/fair-semaphore.ts";
import type { Plane } from "../api/plane.ts";
import { configMapKind } from "../kinds/config-map.ts";
import type { ChangesOutcome } from "../store/object-store.ts";
import type { PageOutcome, PageRequest } from "../store/page.ts";
import { defaultUnsentLimits, UnsentEvents } from "./unsent-events.ts";
import { createWatchReads, type InitialPosition, type WatchReads } from "./watch-reads.ts";

const plane: Plane = { type: "project", name: "web", uid: "1", organization: "acme" };
const collection = { kind: configMapKind, prefix: "configmaps/" };
const start: InitialPosition = { resourceVersion: "", afterKey: "" };
const signal = new AbortController().signal;
const always = { isReady: () => true, signal };
const turn = () => new Promise((resolve) => setImmediate(resolve));

const object = (version: string, bytes: number) =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"resourceVersion":"${version}"},"data":{"a":"${"x".repeat(bytes)}"}}`;

/** A store with one object of a size; it records its reads. */
function storeOf(bytes: number) {
  const reads: string[] = [];
  const state = { newest: "7", fails: 0 };
  const settle = async (): Promise<void> => {
    await turn();
    if (state.fails-- > 0) throw new Error("Connection is closed.");
  };
  const store = {
    get: () => Promise.resolve(undefined),
    newestVersion: () => Promise.resolve(state.newest),
    async page(_plane: Plane, { resourceVersion, afterKey }: PageRequest): Promise<PageOutcome> {
      reads.push(`page ${resourceVersion} ${afterKey}`);
      await settle();
      const items = [{ key: "configmaps/default/a", json: object(resourceVersion, bytes) }];
      return { outcome: "page", resourceVersion, items, remaining: 0, cursor: undefined };
    },
    async changes(_plane: Plane, after: string): Promise<ChangesOutcome> {
      reads.push(`changes ${after}`);
      await settle();
      const json = object(state.newest, bytes);
      const change = {
        resourceVersion: state.newest,
        type: "MODIFIED" as const,
        key: "configmaps/default/a",
      };
      return { outcome: "changes", newest: state.newest, changes: [{ ...change, json, previous: json }] };
    },
  };
  const make = (maxSharedBytes?: number) =>
    createWatchReads({
      store,
      semaphore: new FairSemaphore(8, "all-but-one"),
      ...(maxSharedBytes === undefined ? {} : { maxSharedBytes }),
    });
  return { reads, state, make };
}

/** One watch: takes the initial state when there is room, and keeps what it has not sent. */
async function watch(reads: WatchReads, unsent: UnsentEvents): Promise<() => void> {
  const own = unsent.open(() => undefined);
  const { signal } = new AbortController();
  for (;;) {
    await own.ready(signal);
    const part = await reads.initialPart(plane, collection, start, { isReady: own.isReady, signal });
    if (part === undefined || !own.isReady()) continue;
    const taken = part.added.map((change) => own.add(change.line().length));
    return () => {
      for (const each of taken) each();
      own.close();
    };
  }
}

test("2,400 watches of a large object read it a few times, and hold no more than their room", async () => {
  const { reads, make } = storeOf(1_000_000);
  const shared = make();
  let held = 0;
  let peak = 0;
  const unsent = new UnsentEvents(new TestClock(0), defaultUnsentLimits);
  await Promise.all(
    Array.from({ length: 2_400 }, async () => {
      const sent = await watch(shared, unsent);
      peak = Math.max(peak, ++held);
      await turn();
      held--;
      sent();
    }),
  );
  // 64 MiB, and one object more.
  expect(peak).toBeLessThanOrEqual(68);
  expect(reads).toEqual(["page 7 "]);
});

test("watches of one moment share an object's encoding; a newer version is read again", async () => {
  const { reads, state, make } = storeOf(10);
  const shared = make();
  const [one, two] = await Promise.all([
    shared.initialPart(plane, collection, start, always),
    turn().then(() => shared.initialPart(plane, collection, start, always)),
  ]);
  expect(one?.added[0]?.line()).toBe(two?.added[0]?.line());
  expect(one).toMatchObject({ resourceVersion: "7", afterKey: undefined });
  state.newest = "9";
  const later = await shared.initialPart(plane, collection, start, always);
  expect(later?.added[0]?.object().metadata.resourceVersion).toBe("9");
  expect(reads).toEqual(["page 7 ", "page 9 "]);
});

test("changes are shared by those at the same version, and not read by those that have them", async () => {
  const { reads, state, make } = storeOf(10);
  const shared = make();
  state.newest = "8";
  await shared.changes(plane, "7", always);
  await shared.changes(plane, "7", always);
  await shared.changes(plane, "6", always);
  expect(await shared.changes(plane, "8", always)).toEqual({ outcome: "changes", newest: "8", changes: [] });
  expect(reads).toEqual(["changes 7", "changes 6"]);
});

test("what exceeds the shared bytes is read again", async () => {
  const { reads, make } = storeOf(1_000);
  const shared = make(100);
  await shared.changes(plane, "6", always);
  await shared.changes(plane, "6", always);
  expect(reads).toEqual(["changes 6", "changes 6"]);
});

test("a failed read fails the watch that made it; the others read by themselves", async () => {
  const { reads, state, make } = storeOf(10);
  const shared = make();
  state.fails = 1;
  const first = shared.initialPart(plane, collection, start, always);
  const outcomes = [first.catch((error: Error) => error.message)];
  await Promise.resolve();
  await Promise.resolve();
  outcomes.push(shared.initialPart(plane, collection, start, always) as never);
  expect(await Promise.all(outcomes)).toEqual(["Connection is closed.", undefined]);
  expect(await shared.initialPart(plane, collection, start, always)).toBeDefined();
  expect(reads).toEqual(["page 7 ", "page 7 "]);
});

test("a watch without room reads nothing", async () => {
  const { reads, make } = storeOf(10);
  const terms = { isReady: () => false, signal };
  expect(await make().initialPart(plane, collection, start, terms)).toBeUndefined();
  expect(reads).toEqual([]);
});
