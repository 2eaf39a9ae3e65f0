import { expect, test } from "vitest";
import { SentBlock } from "../../../src/exporter/delivery/late/sent-block.ts";
import type { SentLog } from "../../../src/exporter/delivery/late/sent-log.ts";
import type { SentRecord } from "../../../src/exporter/delivery/late/sent-record.ts";
import { SentSamples } from "../../../src/exporter/delivery/late/sent-samples.ts";
import { RequestEntries } from "../../../src/exporter/delivery/state/request-entries.ts";
import type { StepCount } from "../../../src/exporter/delivery/state/sample-counts.ts";
import { SampleCounts } from "../../../src/exporter/delivery/state/sample-counts.ts";
import type { Window } from "../../../src/exporter/metrics-store/ports/window.ts";
import { SampleBuffer } from "../../../src/exporter/series/series.ts";

export const stepMs = 60_000;
const everyMs = 5_000;
const seriesCount = 3;
const yieldTurn = () => Promise.resolve();
const always: Window = { fromMs: -Infinity, toMs: Infinity };
const source = "source-1";

/** Sends the samples of a sink, three series with a sample every 5 s, and records them. */
export class Sender {
  readonly sink: string;
  toMs: number;
  #block: SentBlock | undefined;
  #id = 0;
  #records = 0;
  readonly #bodyBytes: number;

  /** @param bodyBytes is how large a window's record is at least */
  constructor(sink: string, fromMs: number, bodyBytes = 0) {
    this.sink = sink;
    this.toMs = fromMs;
    this.#bodyBytes = bodyBytes;
  }

  /** The record of the next window. */
  async next(ms = 15_000): Promise<SentRecord> {
    const window = { fromMs: this.toMs, toMs: this.toMs + ms };
    this.toMs = window.toMs;
    const isLong = this.#block !== undefined && window.toMs - this.#block.baseMs > 5 * 60_000;
    const isFirstOfBlock = this.#block === undefined || isLong;
    if (this.#block === undefined || isFirstOfBlock) {
      this.#block = new SentBlock(window.fromMs);
      this.#id = nextId++;
      this.#records = 0;
    }
    return this.#record("live", window, this.#block, isFirstOfBlock, 0);
  }

  /** The record of late samples of a span: one of each series, 1 ms after each step's start. */
  async late({ fromMs, toMs }: Window): Promise<SentRecord> {
    this.#id = nextId++;
    this.#records = 0;
    const record = await this.#record("late", { fromMs, toMs }, new SentBlock(fromMs), true, 1);
    this.newBlock();
    return record;
  }

  /** The next window begins another block. */
  newBlock(): void {
    this.#block = undefined;
  }

  async send(log: SentLog, ms?: number): Promise<boolean> {
    return log.append(this.sink, await this.next(ms));
  }

  async #record(
    kind: SentRecord["kind"],
    window: Window,
    block: SentBlock,
    isFirstOfBlock: boolean,
    lateMs: number,
  ): Promise<SentRecord> {
    const entries = new RequestEntries(window.fromMs);
    const counts = new SampleCounts(stepMs);
    const times = timesIn(window);
    const sent = kind === "live" ? times : times.map((ms) => ms - everyMs + lateMs);
    const read = [...new Set([...times, ...sent])].sort((a, b) => a - b);
    for (let series = 0; series < seriesCount; series++) {
      entries.addTimes(series, series, sent);
      counts.add(bufferOf(read));
    }
    for (let filler = 0; filler * 12 < this.#bodyBytes; filler++) {
      entries.addTimes(9, (window.fromMs + filler) >>> 0, [window.toMs]);
    }
    return {
      kind,
      ...window,
      sources: [{ source, counts: counts.list() }],
      blockId: this.#id,
      isFirstOfBlock,
      ordinal: this.#records++,
      blockBaseMs: block.baseMs,
      body: (await block.add([entries], yieldTurn)) ?? Buffer.alloc(8),
    };
  }
}

let nextId = 1;

function timesIn({ fromMs, toMs }: Window): number[] {
  const times: number[] = [];
  for (let ms = (Math.floor(fromMs / everyMs) + 1) * everyMs; ms <= toMs; ms += everyMs) times.push(ms);
  return times;
}

function bufferOf(times: readonly number[]): SampleBuffer {
  const buffer = new SampleBuffer();
  buffer.reserve(times.length);
  buffer.timestampsMs.set(times);
  buffer.length = times.length;
  return buffer;
}

/** The steps that are known of a sink; fails when the log cannot restore as many samples as it says. */
export async function honestSteps(log: SentLog, sink: string): Promise<readonly StepCount[]> {
  // Valid until the next await.
  const steps = [...((await log.counts(sink))?.get(source)?.between(-Infinity, Infinity) ?? [])];
  for (const { endMs, samples } of steps) {
    const restored = await restoredIn(log, sink, { fromMs: endMs - stepMs, toMs: endMs });
    expect(restored, `samples of the step until ${endMs}`).toBeGreaterThanOrEqual(samples);
  }
  return steps;
}

async function restoredIn(log: SentLog, sink: string, span: Window): Promise<number> {
  const sent: SentSamples[] = [];
  for (const records of await log.blocks(sink, span)) {
    const bodies = records.map(({ body }) => body);
    sent.push(await SentSamples.of(records[0]?.blockBaseMs ?? 0, bodies, yieldTurn));
  }
  const times = timesIn(span).flatMap((ms) => [ms - everyMs + 1, ms]);
  let restored = 0;
  for (let series = 0; series < seriesCount; series++) {
    restored += times.filter((ms) => sent.some((one) => one.has(series, series, ms))).length;
  }
  return restored;
}

/** Of {@link honestSteps}: the end and the number of samples of each. */
export async function known(log: SentLog, sink: string): Promise<number[][]> {
  return (await honestSteps(log, sink)).map(({ endMs, samples }) => [endMs, samples]);
}

/** `[end, samples]` of each step between two times, as a {@link Sender} fills them. */
export function full(fromMs: number, toMs: number): number[][] {
  const steps: number[][] = [];
  for (let endMs = fromMs + stepMs; endMs <= toMs; endMs += stepMs) {
    steps.push([endMs, (stepMs / everyMs) * seriesCount]);
  }
  return steps;
}

/**
 * The contract of every SentLog. `reopen` opens it again after a crash, from what survived; undefined if
 * nothing does.
 *
 * @param baseMs a border of steps, at which the tests begin to send
 */
export function sentLogContract(
  baseMs: number,
  create: () => Promise<{ log: SentLog; reopen: (() => Promise<SentLog>) | undefined }>,
): void {
  const minutes = (count: number) => baseMs + count * stepMs;

  test("of an unknown sink nothing is known", async () => {
    const { log } = await create();
    expect(log.stepMs).toBe(stepMs);
    expect(await known(log, "sink")).toEqual([]);
    expect(await log.blocks("sink", always)).toEqual([]);
  });

  test("records come back as they were, with their counts, and survive", async () => {
    const { log, reopen } = await create();
    const sender = new Sender("sink", baseMs);
    const records: SentRecord[] = [];
    for (let window = 0; window < 10; window++) {
      const record = await sender.next();
      records.push(record);
      expect(await log.append("sink", record)).toBe(true);
    }
    for (const each of [log, await reopen?.()]) {
      if (each === undefined) continue;
      expect(await each.blocks("sink", always)).toEqual([records]);
      expect(await known(each, "sink")).toEqual(full(baseMs, minutes(2)));
    }
  });

  test("sinks are apart", async () => {
    const { log, reopen } = await create();
    const [one, other] = [new Sender("one", baseMs), new Sender("other", minutes(1))];
    for (let window = 0; window < 8; window++) {
      expect(await one.send(log)).toBe(true);
      expect(await other.send(log, 30_000)).toBe(true);
    }
    for (const each of [log, await reopen?.()]) {
      if (each === undefined) continue;
      expect(await known(each, "one")).toEqual(full(baseMs, minutes(2)));
      expect(await known(each, "other")).toEqual(full(minutes(1), minutes(5)));
      expect(await known(each, "on")).toEqual([]);
    }
  });

  test("a span's blocks are whole, and no others", async () => {
    const { log } = await create();
    const sender = new Sender("sink", baseMs);
    for (let window = 0; window < 9; window++) {
      if (window % 3 === 0) sender.newBlock();
      expect(await sender.send(log, stepMs)).toBe(true);
    }
    const spans = async (fromMs: number, toMs: number) =>
      (await log.blocks("sink", { fromMs, toMs })).map((records) =>
        records.map(({ toMs: endMs }) => (endMs - baseMs) / stepMs),
      );
    expect(await spans(minutes(3), minutes(6))).toEqual([[4, 5, 6]]);
    expect(await spans(minutes(4), minutes(5))).toEqual([[4, 5, 6]]);
    expect(await spans(minutes(3) - 1, minutes(6))).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(await spans(minutes(3), minutes(6) + 1)).toEqual([
      [4, 5, 6],
      [7, 8, 9],
    ]);
    expect(await spans(minutes(9), minutes(10))).toEqual([]);
  });

  test("a record without its block's beginning is not kept", async () => {
    const { log } = await create();
    const sender = new Sender("sink", baseMs);
    await sender.next(stepMs);
    expect(await sender.send(log, stepMs)).toBe(false);
    expect(await known(log, "sink")).toEqual([]);
    sender.newBlock();
    expect(await sender.send(log, stepMs)).toBe(true);
    const other = new Sender("sink", sender.toMs);
    await other.next(stepMs);
    expect(await other.send(log, stepMs)).toBe(false);
    expect(await known(log, "sink")).toEqual(full(minutes(2), minutes(3)));
  });

  test("a gap is not known, what is before and behind it is", async () => {
    const { log, reopen } = await create();
    const sender = new Sender("sink", baseMs);
    await sender.send(log, stepMs);
    sender.newBlock();
    sender.toMs += 1;
    await sender.send(log, 2 * stepMs);
    for (const each of [log, await reopen?.()]) {
      if (each !== undefined)
        expect((await known(each, "sink")).map(([endMs]) => endMs)).toEqual([minutes(1), minutes(3)]);
    }
  });

  test("late samples are added to what was sent, and counted", async () => {
    const { log, reopen } = await create();
    const sender = new Sender("sink", baseMs);
    await sender.send(log, 2 * stepMs);
    const live = await sender.next(stepMs);
    const late = await new Sender("sink", baseMs).late({ fromMs: baseMs, toMs: minutes(1) });
    expect(await log.append("sink", late)).toBe(true);
    // The live block goes on behind it.
    expect(await log.append("sink", live)).toBe(true);
    const [, second, third] = full(baseMs, minutes(3));
    for (const each of [log, await reopen?.()]) {
      if (each === undefined) continue;
      expect(await known(each, "sink")).toEqual([[minutes(1), 72], second, third]);
      expect((await each.blocks("sink", { fromMs: baseMs, toMs: minutes(1) })).length).toBe(2);
      expect((await each.blocks("sink", { fromMs: minutes(2), toMs: minutes(3) })).length).toBe(1);
    }
  });

  test("a record twice counts once", async () => {
    const { log, reopen } = await create();
    const record = await new Sender("sink", baseMs).next(2 * stepMs);
    for (let turn = 0; turn < 2; turn++) await log.append("sink", record);
    for (const each of [log, await reopen?.()]) {
      if (each !== undefined) expect(await known(each, "sink")).toEqual(full(baseMs, minutes(2)));
    }
  });

  test("after a crash, a block does not go on, since a record of it may be missing", async () => {
    const { log, reopen } = await create();
    if (reopen === undefined) return;
    const sender = new Sender("sink", baseMs);
    await sender.send(log, stepMs);
    const reopened = await reopen();
    expect(await sender.send(reopened, stepMs)).toBe(false);
    sender.newBlock();
    expect(await sender.send(reopened, 2 * stepMs)).toBe(true);
    expect(await known(reopened, "sink")).toEqual([
      ...full(baseMs, minutes(1)),
      ...full(minutes(2), minutes(4)),
    ]);
  });
}
