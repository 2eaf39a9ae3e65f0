import { expect, test } from "vitest";
import { TestClock } from "../../../../test/support/test-clock.ts";
import type { SinkPlan } from "../../policy/spec/types.ts";
import { EndpointState } from "../../remote-write/endpoint/endpoint-state.ts";
import { RequestEntries } from "../state/request-entries.ts";
import { ReceiverMemory } from "./receiver-memory.ts";
import { ReceiverRecord } from "./receiver-record.ts";

type Event = "refused" | "earlier" | "later" | "a minute passes";

test.each<[string, Event[], boolean, boolean]>([
  ["nothing is known", [], false, false],
  ["something was accepted before", ["later"], false, false],
  ["accepted before it was refused", ["later", "refused"], false, false],
  ["a later sample was accepted since", ["refused", "later"], true, true],
  ["an earlier sample was accepted since", ["refused", "earlier"], false, false],
  // Late samples are sent only while live ones are delivered.
  ["it was long ago", ["refused", "later", "a minute passes"], false, true],
  ["refused again after that", ["refused", "later", "a minute passes", "refused"], false, true],
  ["and accepted again", ["refused", "later", "a minute passes", "refused", "later"], true, true],
])("a proof for older samples: %s", (_, events, isLive, isLate) => {
  const clock = new TestClock(0);
  const memory = new ReceiverMemory(clock);
  for (const event of events) {
    if (event === "refused") for (const episode of [memory.live, memory.late]) memory.refuse(episode);
    else if (event === "a minute passes") clock.advance(60_000);
    else memory.acceptLater(event === "later" ? 101 : 100);
  }
  expect([memory.isProvenLater(memory.live, 100), memory.isProvenLater(memory.late, 100)]).toEqual([
    isLive,
    isLate,
  ]);
});

test("what fails three times in two minutes may be at fault; anything accepted ends that", () => {
  const clock = new TestClock(0);
  const memory = new ReceiverMemory(clock);
  memory.fail();
  memory.fail();
  clock.advance(120_000);
  expect(memory.hasFailedLong).toBe(false);
  memory.fail();
  expect(memory.hasFailedLong).toBe(true);
  memory.acceptLater(1);
  expect(memory.hasFailedLong).toBe(true);
  memory.accept({ maxMs: 1, sampleCount: 1 });
  expect(memory.hasFailedLong).toBe(false);
});

test("what was found out survives a restart, for the same endpoint and login", () => {
  const clock = new TestClock(1_760_000_000_000);
  const plan = {
    endpoint: "http://a/write",
    credentials: { kind: "basicAuth", username: "u", password: "p" },
  } as SinkPlan;
  const memory = new ReceiverMemory(clock);
  const state = new EndpointState("auto");
  const entries = new RequestEntries(0);
  entries.addTimes(1, 2, [1]);
  memory.accept({ maxMs: 1, sampleCount: 1 });
  memory.suspects.add(entries, clock.nowMs(), true);
  state.learnSize({ bytes: 1_000, samples: 10 }, 0);
  state.learnLegacyNames();
  const record = new ReceiverRecord();
  const text = record.next(plan, memory, state, 0);
  expect(record.next(plan, memory, state, 0)).toBeUndefined();
  expect(text).not.toContain("http://a");
  const restored = (other: Partial<SinkPlan>) => {
    const again = new ReceiverMemory(clock);
    const endpoint = new EndpointState("auto");
    ReceiverRecord.restore(text, { ...plan, ...other }, again, endpoint, 0);
    return [again.lastAcceptedMs, again.suspects.times(1, 2), endpoint.maxRequest(0).samples, endpoint.names];
  };
  expect(restored({})).toEqual([clock.nowMs(), 1, 10, "legacy"]);
  const unknown = [undefined, 0, Infinity, "utf8"];
  expect(restored({ endpoint: "http://b/write" })).toEqual(unknown);
  expect(restored({ credentials: { kind: "basicAuth", username: "v", password: "p" } })).toEqual(unknown);
  for (const bad of ["", "{}", "{"]) {
    const again = new ReceiverMemory(clock);
    ReceiverRecord.restore(bad, plan, again, new EndpointState("auto"), 0);
    expect(again.suspects.size).toBe(0);
  }
});
