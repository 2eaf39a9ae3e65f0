import { expect, test } from "vitest";
import { RequestEntries } from "../../../src/exporter/delivery/state/request-entries.ts";
import type { StateStore } from "../../../src/exporter/delivery/state/sink-state.ts";

const sink = "directory/default/export/-/vm";

function entries(...hashes: number[]): RequestEntries {
  const made = new RequestEntries(0);
  for (const hash of hashes) made.addTimes(hash, hash, [hash]);
  return made;
}

/**
 * The contract of every StateStore. `reopen` ends the store like a crash (without an orderly flush or close)
 * and opens it again from what survived.
 */
export function stateStoreContract(
  create: () => Promise<{ store: StateStore; reopen(): Promise<StateStore> }>,
): void {
  test("an unknown sink has nothing", async () => {
    const { store } = await create();
    expect(await store.load(sink)).toEqual({ checkpoints: new Map(), windows: [] });
  });

  test("a checkpoint survives", async () => {
    const { store, reopen } = await create();
    await store.setCheckpoint(sink, "a", 1_000);
    await store.setCheckpoint(sink, "a", 2_000);
    await store.setCheckpoint(sink, "b", 5);
    const state = await (await reopen()).load(sink);
    expect([...state.checkpoints]).toEqual([
      ["a", 2_000],
      ["b", 5],
    ]);
  });

  test("a note survives, and is no checkpoint", async () => {
    const { store, reopen } = await create();
    await store.setCheckpoint(sink, "a", 1_000);
    await store.note(sink, "last check", 1_500);
    await store.note(sink, "last check", 2_000);
    const state = await (await reopen()).load(sink);
    expect([...state.checkpoints]).toEqual([["a", 1_000]]);
    expect([...(state.notes ?? [])]).toEqual([["last check", 2_000]]);
  });

  test("what is known of the receiver survives, until it is forgotten", async () => {
    const { store, reopen } = await create();
    await store.setCheckpoint(sink, "a", 1_000);
    const text = JSON.stringify({ endpoint: "x".repeat(100_000) });
    await store.setReceiver(sink, "earlier");
    await store.setReceiver(sink, text);
    const again = await reopen();
    expect((await again.load(sink)).receiver).toBe(text);
    await again.setReceiver(sink, "");
    expect((await again.load(sink)).receiver).toBeUndefined();
  });

  test("an open window keeps its bounds, its sources and the state of its requests", async () => {
    const { store, reopen } = await create();
    const window = await store.openWindow(sink, { fromMs: 10, toMs: 20, stepMs: 5 }, ["a", "b"]);
    const first = await store.requestSent(window, entries(1, 2));
    const second = await store.requestSent(window, entries(3));
    const third = await store.requestSent(window, entries(4));
    expect(new Set([first, second, third]).size).toBe(3);
    await store.requestAcknowledged(window, first);
    await store.requestReturned(window, third);
    const [restored] = (await (await reopen()).load(sink)).windows;
    expect(restored).toMatchObject({ fromMs: 10, toMs: 20, stepMs: 5 });
    expect([...(restored?.sources ?? [])]).toEqual(["a", "b"]);
    const requests = [...(restored?.requests.values() ?? [])];
    expect(requests.map(({ number, state, entries: held }) => [number, state, held.length])).toEqual([
      [first, "acknowledged", 2],
      [second, "sent", 1],
    ]);
  });

  test("closing a source moves its checkpoint; closing the last one ends the window", async () => {
    const { store, reopen } = await create();
    const window = await store.openWindow(sink, { fromMs: 10, toMs: 20, stepMs: 5 }, ["a", "b"]);
    await store.closeSources(window, ["a"]);
    const half = await store.load(sink);
    expect([...half.checkpoints]).toEqual([["a", 20]]);
    expect(half.windows.map(({ sources }) => [...sources])).toEqual([["b"]]);
    await store.closeSources(window, ["b"]);
    const state = await (await reopen()).load(sink);
    expect([[...state.checkpoints], state.windows]).toEqual([
      [
        ["a", 20],
        ["b", 20],
      ],
      [],
    ]);
  });

  test("a dropped window moves nothing", async () => {
    const { store, reopen } = await create();
    await store.setCheckpoint(sink, "a", 10);
    await store.dropWindow(await store.openWindow(sink, { fromMs: 10, toMs: 20, stepMs: 5 }, ["a"]));
    const state = await (await reopen()).load(sink);
    expect([[...state.checkpoints], state.windows]).toEqual([[["a", 10]], []]);
  });

  test("a dropped source has no checkpoint, and can begin again further back", async () => {
    const { store, reopen } = await create();
    await store.setCheckpoint(sink, "a", 10);
    await store.setCheckpoint(sink, "b", 20);
    await store.dropSource(sink, "b");
    const reopened = await reopen();
    expect([...(await reopened.load(sink)).checkpoints]).toEqual([["a", 10]]);
    await reopened.setCheckpoint(sink, "b", 5);
    expect((await reopened.load(sink)).checkpoints.get("b")).toBe(5);
  });

  test("windows of a sink are listed oldest first, and ids are not used again after a restart", async () => {
    const { store, reopen } = await create();
    const late = await store.openWindow(sink, { fromMs: 50, toMs: 60, stepMs: 5 }, ["a"]);
    await store.openWindow(sink, { fromMs: 10, toMs: 20, stepMs: 5 }, ["b"]);
    const reopened = await reopen();
    expect((await reopened.load(sink)).windows.map(({ fromMs }) => fromMs)).toEqual([10, 50]);
    const fresh = await reopened.openWindow(sink, { fromMs: 60, toMs: 70, stepMs: 5 }, ["c"]);
    expect(fresh.id).not.toBe(late.id);
  });

  test("a forgotten sink is gone with its windows; others stay", async () => {
    const { store, reopen } = await create();
    await store.setCheckpoint(sink, "a", 10);
    await store.openWindow(sink, { fromMs: 10, toMs: 20, stepMs: 5 }, ["a"]);
    await store.setCheckpoint("other", "a", 10);
    await store.forget(sink);
    const reopened = await reopen();
    expect(await reopened.load(sink)).toEqual({ checkpoints: new Map(), windows: [] });
    expect(await reopened.sinks()).toEqual(["other"]);
  });
}
