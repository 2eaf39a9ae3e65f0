import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { stateStoreContract } from "../../../../test/support/contracts/state-store.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { RequestEntries } from "./request-entries.ts";
import { StateLog } from "./state-log.ts";
import { encodeRecord } from "./state-record.ts";

let directory: string;
const opened: StateLog[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "telemetryd-state-"));
});
afterEach(async () => {
  for (const state of opened.splice(0)) await state.close();
  await rm(directory, { recursive: true, force: true });
});

async function openState(): Promise<StateLog> {
  const state = await StateLog.open({ directory, log: silentLogger });
  opened.push(state);
  return state;
}

describe("StateLog", () => {
  stateStoreContract(async () => {
    const state = await openState();
    // A second reader of the same file sees exactly what kill -9 would leave.
    return { store: state.store, reopen: async () => (await openState()).store };
  });

  test("a torn end is cut off and writing goes on behind the sound part", async () => {
    const first = await openState();
    await first.store.setCheckpoint("sink", "a", 1);
    await first.close();
    const torn = encodeRecord({ type: "checkpoint", sink: "sink", source: "a", ms: 2 }).subarray(0, 20);
    await appendFile(join(directory, "state.log"), torn);
    const second = await openState();
    await second.store.setCheckpoint("sink", "b", 3);
    const third = await openState();
    expect([...(await third.store.load("sink")).checkpoints]).toEqual([
      ["a", 1],
      ["b", 3],
    ]);
  });

  test("a log of a newer version is refused, untouched", async () => {
    const sent = encodeRecord({ type: "sent", id: 1, number: 1, entries: new RequestEntries(0) });
    // Entries in a form that this version does not know.
    const unknown = Buffer.from(sent.subarray(0, -4));
    unknown.writeUInt32LE(unknown.length - 8, 0);
    unknown.writeUInt32LE(crc32(unknown.subarray(8)), 4);
    const newer = Buffer.concat([encodeRecord({ type: "version", version: 99 }), unknown]);
    await writeFile(join(directory, "state.log"), newer);
    await expect(openState()).rejects.toThrow(
      /state\.log: the state was written by a newer telemetryd \(format 99; this one knows \d+\): run that version/,
    );
    expect(await readFile(join(directory, "state.log"))).toEqual(newer);
  });

  test("a log that grows is rewritten to what is live, and nothing is lost", async () => {
    const state = await openState();
    const entries = new RequestEntries(0);
    for (let hash = 0; hash < 20_000; hash++) entries.addTimes(hash, hash, [1]);
    for (let turn = 0; turn < 60; turn++) {
      const window = await state.store.openWindow("sink", { fromMs: turn, toMs: turn + 1, stepMs: 1 }, ["a"]);
      await state.store.requestSent(window, entries);
      await state.store.closeSources(window, ["a"]);
    }
    expect((await stat(join(directory, "state.log"))).size).toBeLessThan(60 * 240_000 * 0.7);
    const restored = await openState();
    expect([...(await restored.store.load("sink")).checkpoints]).toEqual([["a", 60]]);
  });

  test("a directory that cannot be written holds nothing up, and is written when it can be", async () => {
    const state = await openState();
    await rm(directory, { recursive: true });
    await writeFile(directory, "");
    const entries = new RequestEntries(0);
    for (let hash = 0; hash < 300_000; hash++) entries.addTimes(hash, hash, [1]);
    const window = await state.store.openWindow("sink", { fromMs: 0, toMs: 1, stepMs: 1 }, ["a"]);
    // Enough that the log has to be rewritten, which needs the directory.
    for (let turn = 0; turn < 4; turn++) await state.store.requestSent(window, entries);
    expect(state.degraded).toMatch(/EEXIST|ENOTDIR/);
    await state.store.setCheckpoint("sink", "b", 7);
    await state.store.setCheckpoint("sink", "b", 8);
    await rm(directory);
    await state.close();
    expect(state.degraded).toBeUndefined();
    const restored = await openState();
    expect([...(await restored.store.load("sink")).checkpoints]).toEqual([["b", 8]]);
  });

  test("many changes at once are all there", async () => {
    const state = await openState();
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => state.store.setCheckpoint(`sink-${index}`, "a", index)),
    );
    const restored = await openState();
    expect((await restored.store.sinks()).length).toBe(500);
  });
});
