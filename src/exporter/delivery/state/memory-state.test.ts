import { describe } from "vitest";
import { MemoryState } from "./memory-state.ts";
import { stateStoreContract } from "./state-store.contract.ts";

describe("MemoryState", () => {
  stateStoreContract(() => {
    const store = new MemoryState();
    const reopen = () => {
      const copy = new MemoryState();
      for (const record of store.records()) copy.apply(record);
      return Promise.resolve(copy);
    };
    return Promise.resolve({ store, reopen });
  });
});
