import { describe } from "vitest";
import { sentLogContract, stepMs } from "../support/contracts/sent-log.ts";
import { MemorySentLog } from "../support/sink/memory-sent-log.ts";

describe("MemorySentLog", () => {
  sentLogContract(0, () => Promise.resolve({ log: new MemorySentLog(stepMs), reopen: undefined }));
});
