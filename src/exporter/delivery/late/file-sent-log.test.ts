import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { full, known, Sender, sentLogContract, stepMs } from "../../../../test/support/contracts/sent-log.ts";
import { TestClock } from "../../../../test/support/test-clock.ts";
import { silentLogger } from "../../../base/log/log.ts";
import { FileSentLog, type FileSentLogOptions } from "./file-sent-log.ts";

/** Files have the real time, so that the log's clock has to be near it. */
const baseMs = Math.floor(Date.now() / stepMs) * stepMs;
const minutes = (count: number) => baseMs + count * stepMs;
const MiB = 2 ** 20;

let directory: string;
let clock: TestClock;
const opened: FileSentLog[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "telemetryd-sent-"));
  clock = new TestClock(baseMs);
});
afterEach(async () => {
  for (const log of opened.splice(0)) await log.close();
  await rm(directory, { recursive: true, force: true });
});

async function openLog(options: Partial<FileSentLogOptions> = {}): Promise<FileSentLog> {
  const log = await FileSentLog.open({
    ...{ directory, stepMs, keepMs: 3_600_000, maxBytes: 1_024 * MiB, clock, log: silentLogger },
    ...options,
  });
  opened.push(log);
  return log;
}

async function segments(): Promise<string[]> {
  const names = (await readdir(directory)).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10));
  return names.map((name) => join(directory, name));
}

/** Time passes while windows are sent, each for a minute. */
async function sendMinutes(log: FileSentLog, sender: Sender, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute++) {
    if (minute % 5 === 0) sender.newBlock();
    expect(await sender.send(log, stepMs)).toBe(true);
    clock.advance(stepMs);
  }
}

async function flipByte(path: string, at: number): Promise<void> {
  const bytes = await readFile(path);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  await writeFile(path, bytes);
}

describe("FileSentLog", () => {
  sentLogContract(baseMs, async () => ({ log: await openLog(), reopen: () => openLog() }));

  test("what was closed is there again, and goes on in a new segment", async () => {
    const first = await openLog();
    const sender = new Sender("sink", baseMs);
    await sendMinutes(first, sender, 7);
    await first.close();
    const second = await openLog();
    expect(await known(second, "sink")).toEqual(full(baseMs, minutes(7)));
    expect(second.bytes).toBe(
      (await Promise.all((await segments()).map((path) => stat(path)))).reduce(
        (sum, { size }) => sum + size,
        0,
      ),
    );
    await sendMinutes(second, sender, 2);
    expect(await known(second, "sink")).toEqual(full(baseMs, minutes(9)));
    expect((await segments()).length).toBe(3);
    expect(await known(await openLog(), "sink")).toEqual(full(baseMs, minutes(9)));
  });

  test("many appends at once are in order", async () => {
    const log = await openLog();
    const sender = new Sender("sink", baseMs);
    const records = [];
    for (let minute = 0; minute < 50; minute++) records.push(await sender.next(stepMs));
    const kept = await Promise.all(records.map((record) => log.append("sink", record)));
    expect(kept.every((isKept) => isKept)).toBe(true);
    expect(await known(log, "sink")).toEqual(full(baseMs, minutes(50)));
  });

  test.each([1, 7, 8, 30, 100])(
    "a torn end of %i bytes is cut off, and writing goes on behind it",
    async (torn) => {
      const first = await openLog();
      const sender = new Sender("sink", baseMs);
      await sendMinutes(first, sender, 3);
      await first.close();
      const [path = ""] = await segments();
      const bytes = await readFile(path);
      await appendFile(path, bytes.subarray(0, torn));
      const second = await openLog();
      expect(await readFile(path)).toEqual(bytes);
      expect(await known(second, "sink")).toEqual(full(baseMs, minutes(3)));
      await sendMinutes(second, sender, 2);
      expect(await known(await openLog(), "sink")).toEqual(full(baseMs, minutes(5)));
    },
  );

  test("a last record that is not whole was never confirmed", async () => {
    const first = await openLog();
    const sender = new Sender("sink", baseMs);
    await sendMinutes(first, sender, 3);
    await first.close();
    const [path = ""] = await segments();
    await truncate(path, (await stat(path)).size - 1);
    const second = await openLog();
    expect(await known(second, "sink")).toEqual(full(baseMs, minutes(2)));
    sender.newBlock();
    await sendMinutes(second, sender, 1);
    expect(await known(second, "sink")).toEqual([
      ...full(baseMs, minutes(2)),
      ...full(minutes(3), minutes(4)),
    ]);
  });

  test("a byte damaged in an earlier segment: only the whole blocks after it are known", async () => {
    const first = await openLog();
    const [sender, other] = [new Sender("sink", baseMs), new Sender("other", baseMs)];
    for (let turn = 0; turn < 3; turn++) {
      for (const each of [sender, other]) {
        each.newBlock();
        await each.send(first, 2 * stepMs);
        await each.send(first, 3 * stepMs);
      }
      clock.advance(5 * stepMs);
    }
    // In the middle of a block.
    await sender.send(first, stepMs);
    await other.send(first, stepMs);
    expect((await segments()).length).toBe(4);
    await first.close();
    const [, second = ""] = await segments();
    await flipByte(second, (await stat(second)).size - 20);
    const reopened = await openLog();
    for (const sink of ["sink", "other"]) {
      expect(await known(reopened, sink)).toEqual(full(minutes(10), minutes(16)));
      expect((await reopened.counts(sink))?.get("source-1")?.lost).toEqual({
        fromMs: baseMs,
        toMs: minutes(10),
      });
    }
  });

  test("a damaged record is remembered by those after it, however often the log is opened", async () => {
    const options = { maxBytes: 12_000 };
    const first = await openLog(options);
    await sendMinutes(first, new Sender("sink", baseMs, 1_000), 4);
    const paths = await segments();
    expect(paths.length).toBeGreaterThan(2);
    await first.close();
    await flipByte(paths[1] ?? "", 0);
    for (let opens = 0; opens < 3; opens++) {
      const log = await openLog(options);
      expect(await known(log, "sink")).toEqual([]);
      await log.close();
    }
  });

  test("a byte damaged while the log is open: what cannot be restored is not claimed", async () => {
    const log = await openLog();
    const sender = new Sender("sink", baseMs);
    await sendMinutes(log, sender, 15);
    const [, second = ""] = await segments();
    await flipByte(second, (await stat(second)).size - 20);
    // A look finds it.
    expect(await log.blocks("sink", { fromMs: baseMs, toMs: minutes(10) })).toEqual([]);
    expect(await known(log, "sink")).toEqual(full(minutes(10), minutes(15)));
    // The block that goes on is whole.
    expect(await sender.send(log, stepMs)).toBe(true);
    await flipByte((await segments()).at(-1) ?? "", 30);
    await log.blocks("sink", { fromMs: baseMs, toMs: minutes(16) });
    expect(await known(log, "sink")).toEqual([]);
    expect(await sender.send(log, stepMs)).toBe(false);
    sender.newBlock();
    await sendMinutes(log, sender, 2);
    expect(await known(log, "sink")).toEqual(full(minutes(17), minutes(19)));
  });

  test("only the blocks of the span are read, and others run between two of their records", async () => {
    const log = await openLog();
    const sender = new Sender("sink", baseMs);
    await sendMinutes(log, sender, 15);
    const [first = ""] = await segments();
    // What is not read is not found to be damaged.
    await flipByte(first, (await stat(first)).size - 20);
    let turns = 0;
    setImmediate(function turn() {
      if (++turns < 100) setImmediate(turn);
    });
    const blocks = await log.blocks("sink", { fromMs: minutes(6), toMs: minutes(7) });
    expect(blocks.map((records) => records.map(({ toMs }) => (toMs - baseMs) / stepMs))).toEqual([
      [6, 7, 8, 9, 10],
    ]);
    expect(turns).toBeGreaterThanOrEqual(4);
    expect((await log.counts("sink"))?.get("source-1")?.lost).toBeUndefined();
  });

  test("the oldest segments go by age, and nothing of them is claimed", async () => {
    const log = await openLog({ keepMs: 10 * stepMs });
    const sender = new Sender("sink", baseMs);
    await sendMinutes(log, sender, 40);
    expect((await segments()).length).toBeLessThanOrEqual(7);
    const steps = await known(log, "sink");
    expect(steps).toEqual(full(minutes(30), minutes(40)));
    expect((await log.counts("sink"))?.get("source-1")?.lost).toBeUndefined();
    expect(await known(await openLog({ keepMs: 10 * stepMs }), "sink")).toEqual(
      full(minutes(30), minutes(40)),
    );
  });

  test("a block that began in a segment that goes by age is not claimed, wherever it ends", async () => {
    const log = await openLog({ keepMs: 10 * stepMs });
    const sender = new Sender("sink", baseMs);
    for (let minute = 0; minute < 40; minute++) {
      if (minute % 5 === 3) sender.newBlock();
      await sender.send(log, stepMs);
      clock.advance(stepMs);
      await known(log, "sink");
    }
    expect(await known(log, "sink")).toEqual(full(minutes(30), minutes(40)));
  });

  test.each([0, 8, 30])(
    "a sink that lags by %i minutes is not said to have what was deleted",
    async (lag) => {
      const log = await openLog({ keepMs: 10 * stepMs });
      const [sender, busy] = [new Sender("sink", minutes(-lag)), new Sender("busy", baseMs)];
      await sendMinutes(log, sender, 8);
      // Others go on while it waits for its receiver.
      for (let turn = 0; turn < 5; turn++) {
        await sendMinutes(log, busy, 5);
        await known(log, "sink");
      }
      // It catches up.
      sender.newBlock();
      while (sender.toMs < clock.nowMs()) {
        expect(await sender.send(log, stepMs)).toBe(true);
        await known(log, "sink");
      }
      expect(await known(log, "sink")).toEqual(full(minutes(23), minutes(33)));
    },
  );

  test("too many bytes: the oldest segments go, what they had is lost, and the rest is known", async () => {
    const log = await openLog({ maxBytes: 2 * MiB });
    const sender = new Sender("sink", baseMs, 60_000);
    for (let minute = 0; minute < 60; minute++) {
      await sendMinutes(log, sender, 1);
      await known(log, "sink");
      expect(log.bytes).toBeLessThanOrEqual(2 * MiB);
    }
    const steps = await known(log, "sink");
    expect(steps.length).toBeGreaterThan(5);
    expect(steps.at(-1)?.[0]).toBe(minutes(60));
    const lost = (await log.counts("sink"))?.get("source-1")?.lost;
    expect(lost).toEqual({ fromMs: baseMs, toMs: (steps[0]?.[0] ?? 0) - stepMs });
    expect((await known(await openLog(), "sink")).at(-1)?.[0]).toBe(minutes(60));
  });

  test("a sink of which nothing is left starts over", async () => {
    const log = await openLog({ keepMs: 10 * stepMs });
    const [quiet, busy] = [new Sender("quiet", baseMs), new Sender("busy", baseMs)];
    await sendMinutes(log, quiet, 2);
    await sendMinutes(log, busy, 31);
    expect(await known(log, "quiet")).toEqual([]);
    expect(await quiet.send(log, stepMs)).toBe(false);
    quiet.newBlock();
    quiet.toMs = minutes(33);
    expect(await quiet.send(log, 2 * stepMs)).toBe(true);
    expect(await known(log, "quiet")).toEqual(full(minutes(33), minutes(35)));
  });

  test("a directory that cannot be written holds nothing up, and is written when it can be", async () => {
    const log = await openLog();
    const sender = new Sender("sink", baseMs);
    await sendMinutes(log, sender, 4);
    await rm(directory, { recursive: true });
    await writeFile(directory, "");
    clock.advance(5 * stepMs);
    expect(await sender.send(log, stepMs)).toBe(false);
    expect(await known(log, "sink")).toEqual([]);
    await rm(directory);
    sender.newBlock();
    // It is left alone for a while.
    expect(await sender.send(log, stepMs)).toBe(false);
    clock.advance(5_000);
    sender.newBlock();
    const recovered = await openLog();
    expect(await sender.send(log, stepMs)).toBe(true);
    expect((await known(log, "sink")).at(-1)?.[0]).toBe(minutes(7));
    expect(await known(recovered, "sink")).toEqual([]);
  });

  test("a directory that cannot be read is as good as empty, and is made when it can be", async () => {
    await rm(directory, { recursive: true });
    await writeFile(directory, "");
    const log = await openLog();
    const sender = new Sender("sink", baseMs);
    expect(await sender.send(log)).toBe(false);
    expect(await known(log, "sink")).toEqual([]);
    await rm(directory);
    clock.advance(5_000);
    sender.newBlock();
    expect(await sender.send(log)).toBe(true);
  });

  test("a segment that cannot be opened does not stop the log for good", async () => {
    const first = await openLog();
    await sendMinutes(first, new Sender("sink", baseMs), 12);
    await first.close();
    const [, second = ""] = await segments();
    await rm(second);
    await mkdir(second);
    const log = await openLog();
    clock.advance(10_000);
    const sender = new Sender("sink", minutes(13));
    expect(await sender.send(log, stepMs)).toBe(true);
    expect(await known(log, "sink")).toEqual(full(minutes(13), minutes(14)));
  });

  test("whatever happens to it, it never claims more than it can restore", async () => {
    const action = fc.oneof(
      {
        weight: 12,
        arbitrary: fc.record({ type: fc.constant("send" as const), sink: fc.nat(1), minutes: fc.nat(2) }),
      },
      { weight: 2, arbitrary: fc.record({ type: fc.constant("block" as const), sink: fc.nat(1) }) },
      {
        weight: 1,
        arbitrary: fc.record({ type: fc.constant("late" as const), sink: fc.nat(1), at: fc.nat(15) }),
      },
      { weight: 6, arbitrary: fc.record({ type: fc.constant("time" as const), minutes: fc.nat(6) }) },
      { weight: 2, arbitrary: fc.record({ type: fc.constant("reopen" as const) }) },
      {
        weight: 1,
        arbitrary: fc.record({ type: fc.constant("tear" as const), bytes: fc.integer({ min: 1, max: 300 }) }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          type: fc.constant("flip" as const),
          segment: fc.nat(),
          at: fc.double({ min: 0, max: 0.999, noNaN: true }),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        await rm(directory, { recursive: true });
        clock = new TestClock(baseMs);
        const options = { keepMs: 8 * stepMs, maxBytes: 12_000 };
        let log = await openLog(options);
        const senders = [new Sender("one", baseMs, 1_000), new Sender("other", baseMs, 200)];
        for (const each of actions) {
          const sender = senders["sink" in each ? each.sink : 0]!;
          switch (each.type) {
            case "send": {
              const isKept = await sender.send(log, (each.minutes + 1) * 30_000);
              if (!isKept) sender.newBlock();
              break;
            }
            case "block":
              sender.newBlock();
              break;
            case "late": {
              const fromMs = Math.floor(sender.toMs / stepMs) * stepMs - (each.at + 1) * stepMs;
              const late = new Sender(sender.sink, fromMs);
              await log.append(sender.sink, await late.late({ fromMs, toMs: fromMs + stepMs }));
              break;
            }
            case "time":
              clock.advance(each.minutes * stepMs);
              break;
            default: {
              await log.close();
              opened.length = 0;
              const paths = await segments();
              const path = each.type === "flip" ? paths[each.segment % paths.length] : paths.at(-1);
              const size = path === undefined ? 0 : (await stat(path)).size;
              if (path !== undefined && each.type === "tear")
                await truncate(path, Math.max(0, size - each.bytes));
              if (path !== undefined && each.type === "flip" && size > 0) {
                await flipByte(path, Math.floor(size * each.at));
              }
              log = await openLog(options);
            }
          }
          for (const { sink } of senders) await known(log, sink);
        }
        await log.close();
        opened.length = 0;
      }),
      { numRuns: 150 },
    );
  });
});
