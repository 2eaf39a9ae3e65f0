import { describe } from "vitest";
import { SinkStates } from "./sink-states.ts";
import { stateStoreContract } from "./state-store.contract.ts";

describe("SinkStates", () => {
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
