import { describe } from "vitest";
import { MemorySentLog } from "./memory-sent-log.ts";
import { sentLogContract, stepMs } from "./sent-log.contract.ts";

describe("MemorySentLog", () => {
  sentLogContract(0, () => Promise.resolve({ log: new MemorySentLog(stepMs), reopen: undefined }));
});
