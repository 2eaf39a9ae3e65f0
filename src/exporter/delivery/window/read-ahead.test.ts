import { beforeEach, expect, test } from "vitest";
import type { WindowGroup } from "../plan/window-groups.ts";
import { ReadAhead } from "./read-ahead.ts";
import type { WindowResult, WindowTurn } from "./window-export.ts";

/** A window export controlled by the test. */
class FakeRun {
  readonly group: WindowGroup;
  readonly turn: WindowTurn;
  /** Undefined until its turn has come, or can no longer come. */
  mayGo: boolean | undefined;
  abandoned = false;
  #end: (result: WindowResult) => void = () => {};

  constructor(group: WindowGroup, turn: WindowTurn) {
    this.group = group;
    this.turn = turn;
  }

  async run(): Promise<WindowResult> {
    const result = new Promise<WindowResult>((resolve) => {
      this.#end = resolve;
    });
    this.mayGo = await this.turn.mayGo;
    return this.mayGo ? result : { ...closed, kind: "unfinished" };
  }

  abandon(): void {
    this.abandoned = true;
  }

  end(result: WindowResult = closed): void {
    this.#end(result);
  }
}

const closed: WindowResult = { kind: "closed", sourceErrors: new Map(), requestsWithResponse: 1 };

const groupAt = (fromMs: number): WindowGroup => ({
  fromMs,
  toMs: fromMs + 10,
  sources: ["a"],
  open: undefined,
});
/** Runs everything that is not blocked. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

let runs: FakeRun[];
let after: (group: WindowGroup) => Promise<WindowGroup | undefined>;
let sequence: ReadAhead;

beforeEach(() => {
  runs = [];
  after = async ({ toMs }) => groupAt(toMs);
  sequence = new ReadAhead({
    newExport: (group, windowTurn) => {
      const run = new FakeRun(group, windowTurn);
      runs.push(run);
      return run;
    },
    after: (group) => after(group),
  });
});

const begun = () => runs.map(({ group, mayGo }) => [group.fromMs, mayGo]);

test("the next window is read when the last requests of one are on their way, and goes when that is closed", async () => {
  const first = sequence.run(groupAt(0));
  await turn();
  expect(begun()).toEqual([[0, true]]);
  runs[0]?.turn.onReading();
  await turn();
  expect(begun()).toEqual([[0, true]]);
  runs[0]?.turn.onNearlyDelivered(false);
  await turn();
  expect(begun()).toEqual([
    [0, true],
    [10, undefined],
  ]);
  runs[0]?.end();
  expect(await first).toBe(closed);
  const ahead = await sequence.ahead();
  expect(ahead).toEqual(groupAt(10));
  expect(runs[1]?.mayGo).toBeUndefined();
  const second = sequence.run(ahead!);
  await turn();
  expect(runs[1]?.mayGo).toBe(true);
  runs[1]?.end();
  await second;
  expect(runs).toHaveLength(2);
});

test("while the receiver keeps up, the next window is read with the first samples of one, but never two of them", async () => {
  const first = sequence.run(groupAt(0));
  await turn();
  runs[0]?.turn.onNearlyDelivered(true);
  await turn();
  // The second one gets its first samples before its turn.
  runs[1]?.turn.onReading();
  await turn();
  expect(runs).toHaveLength(2);
  runs[0]?.end();
  await first;
  const second = sequence.run((await sequence.ahead())!);
  await turn();
  expect(begun()).toEqual([
    [0, true],
    [10, true],
    [20, undefined],
  ]);
  // And a third that has none yet.
  runs[1]?.end();
  await second;
  const third = sequence.run((await sequence.ahead())!);
  await turn();
  expect(runs).toHaveLength(3);
  runs[2]?.turn.onReading();
  await turn();
  expect(runs).toHaveLength(4);
  runs[2]?.turn.onNearlyDelivered(false);
  runs[2]?.end();
  await third;
  // It has not kept up: no further read-ahead.
  const fourth = sequence.run((await sequence.ahead())!);
  runs[3]?.turn.onReading();
  await turn();
  expect(runs).toHaveLength(4);
  runs[3]?.end();
  await fourth;
});

test("what is read ahead is given up without being sent", async () => {
  const first = sequence.run(groupAt(0));
  await turn();
  runs[0]?.turn.onNearlyDelivered(true);
  await turn();
  runs[0]?.end({ ...closed, kind: "failed", failure: { kind: "suspended", message: "401" } });
  expect((await first).kind).toBe("failed");
  expect([runs[1]?.abandoned, runs[1]?.mayGo]).toEqual([true, false]);
  await sequence.giveUp();
  expect(await sequence.ahead()).toBeUndefined();
  await sequence.giveUp();
  const again = sequence.run(groupAt(0));
  await turn();
  expect(begun().at(-1)).toEqual([0, true]);
  runs.at(-1)?.end();
  await again;
});

test.each([
  { name: "nothing has settled yet", next: async () => undefined },
  { name: "the state cannot be asked", next: () => Promise.reject(new Error("no lease")) },
])("no window is read ahead where $name", async ({ next }) => {
  after = next;
  const first = sequence.run(groupAt(0));
  await turn();
  runs[0]?.turn.onNearlyDelivered(true);
  runs[0]?.end();
  expect(await first).toBe(closed);
  expect(await sequence.ahead()).toBeUndefined();
  expect(runs).toHaveLength(1);
});

test("a run that breaks is reported when it is its turn", async () => {
  const broken = new ReadAhead({
    newExport: () => ({ run: () => Promise.reject(new Error("broken")), abandon: () => undefined }),
    after,
  });
  await expect(broken.run(groupAt(0))).rejects.toThrow("broken");
});
