import { describe, expect, test } from "vitest";
import { stateStoreContract } from "../../../../test/support/contracts/state-store.ts";
import { SinkStates } from "./sink-states.ts";

describe("SinkStates", () => {
  test("times that earlier versions stored as checkpoints under names with a space are notes", async () => {
    const store = new SinkStates();
    store.apply({ type: "checkpoint", sink: "sink late", source: "last check", ms: 7 });
    expect(await store.load("sink late")).toEqual({
      checkpoints: new Map(),
      windows: [],
      notes: new Map([["last check", 7]]),
    });
  });

  stateStoreContract(() => {
    const store = new SinkStates();
    const reopen = () => {
      const copy = new SinkStates();
      for (const record of store.records()) copy.apply(record);
      return Promise.resolve(copy);
    };
    return Promise.resolve({ store, reopen });
  });
});
